#include "tools/vectorize/modes.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/name_list.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

bool learns_terms(const Options& o) { return o.learn == "ngrams" || o.learn == "tf-idf"; }

const ModeRow kModes[] = {
    {Mode::split, "--split", [](const Options& o) { return !o.split.empty(); }, resolve_split, split_lines},
    {Mode::csv, "--csv", [](const Options& o) { return o.reader.is_csv; }, resolve_csv, write_csv_columns},
    {Mode::images, "--images", [](const Options& o) { return !o.images.empty(); }, resolve_images,
     write_image_set},
    {Mode::learn_labels, "--learn labels", [](const Options& o) { return o.learn == "labels"; },
     resolve_learn_labels, learn_labels},
    {Mode::learn_terms, "--learn ngrams|tf-idf", learns_terms, resolve_learn_terms, learn_terms},
    {Mode::bags, "--terms", [](const Options& o) { return !o.terms.empty(); }, resolve_bags, write_terms},
    // Beside --images they are names of the labels.
    {Mode::label_ids, "--labels", [](const Options& o) { return !o.labels.empty() && o.images.empty(); },
     resolve_label_ids, write_label_ids},
    {Mode::blocks, "--block", [](const Options& o) { return o.block > 0; }, resolve_blocks, write_id_stream},
    {Mode::id_file, "--output dataset",
     [](const Options& o) { return o.form == "dataset" && o.block == 0 && !o.tokenizer.empty(); },
     resolve_id_file, write_id_stream},
    {Mode::columns, "--output dataset",
     [](const Options& o) { return o.form == "dataset" && o.block == 0 && o.tokenizer.empty(); },
     resolve_columns, write_columns},
    {Mode::ids, "--tokenizer",
     [](const Options& o) { return !o.tokenizer.empty() && o.block == 0 && o.form != "dataset"; },
     resolve_ids, write_ids}};

const ModeRow& row_of(Mode mode) {
  return *std::find_if(std::begin(kModes), std::end(kModes),
                       [&](const auto& row) { return row.mode == mode; });
}

// "--tokenizer, --labels and --terms".
std::string list_of(const std::vector<Mode>& modes) {
  const auto has = [&](Mode mode) { return std::find(modes.begin(), modes.end(), mode) != modes.end(); };
  std::vector<std::string_view> names;
  for (const Mode mode : modes) {
    const bool is_of_ids = mode == Mode::blocks || mode == Mode::id_file;  // they have --tokenizer, too
    if (is_of_ids && has(Mode::ids)) continue;
    const std::string_view name = row_of(mode).asked_by;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return listed(names);
}

}  // namespace

void ModeOptions::add(std::string_view name, cli::Option option, std::initializer_list<Mode> modes,
                      std::string_view why) {
  entries_.push_back({name, option, modes, why});
}

bool ModeOptions::is_given(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name && entry.option.is_given(); });
}

void ModeOptions::check(std::optional<Mode> mode) const {
  for (const Entry& entry : entries_) {
    const bool is_of_mode =
        mode && std::find(entry.modes.begin(), entry.modes.end(), *mode) != entry.modes.end();
    if (is_of_mode || !entry.option.is_given()) continue;
    std::string text = std::string(entry.name) + " goes with " + list_of(entry.modes) + " only";
    if (mode) text += ", not with " + std::string(row_of(*mode).asked_by);
    if (!entry.why.empty()) text += " (" + std::string(entry.why) + ")";
    throw UsageError(text);
  }
}

const ModeRow& resolve_mode(Options& o, const ModeOptions& typed) {
  if (!o.learn.empty() && o.learn != "labels" && !learns_terms(o))
    throw UsageError("--learn: unknown kind " + quote(o.learn) + " (labels, ngrams or tf-idf)");
  const ModeRow* asked = nullptr;
  for (const ModeRow& row : kModes) {
    if (!row.is_asked(o)) continue;
    if (asked != nullptr)
      throw UsageError("both " + std::string(asked->asked_by) + " and " + std::string(row.asked_by) +
                       " (one at a time" +
                       (asked->mode == Mode::csv ? "; pipe its lines on: cut -f1)" : ")"));
    asked = &row;
  }
  if (asked == nullptr) {
    typed.check(std::nullopt);
    throw UsageError(
        "give one of --tokenizer, --terms, --labels, --images, --split, each with a FILE, --learn and --csv "
        "(see --help)");
  }
  typed.check(asked->mode);
  asked->resolve(o, typed);
  return *asked;
}

}  // namespace headwater::vectorize
