
#include <algorithm>
#include <filesystem>

#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/split.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

bool learns_terms(const Options& o) { return o.learn == "ngrams" || o.learn == "tf-idf"; }

bool learns_labels(const Options& o) {
  return o.learn == "labels" || (o.command->name == "labels" && o.learn.empty() && o.labels.empty());
}

bool is_of_images(const Options& o) { return !o.images.empty() || o.command->name == "images"; }

bool makes_columns(const Options& o) {
  if (o.command->name == "columns") return true;
  return o.form == "dataset" && o.block == 0 && o.tokenizer.empty() && o.command->name != "ids";
}

const ModeRow kModes[] = {
    {Mode::split, "--split", [](const Options& o) { return !o.split.empty(); }, "the other lines", nullptr,
     split_lines},
    {Mode::pairs, "vectorize pairs", [](const Options& o) { return o.command->name == "pairs"; }, "", nullptr,
     filter_pairs},
    {Mode::shortlist, "vectorize shortlist", [](const Options& o) { return o.command->name == "shortlist"; },
     "the shortlist", resolve_shortlist, write_shortlist},
    {Mode::csv, "--csv", [](const Options& o) { return o.reader.is_csv; }, "", resolve_csv,
     write_csv_columns},
    {Mode::images, "--images", is_of_images, "the data set", resolve_images, write_image_set},
    {Mode::learn_labels, "--learn labels", learns_labels, "what was learned", resolve_learn_labels,
     learn_labels},
    {Mode::learn_terms, "--learn ngrams|tf-idf", learns_terms, "what was learned", resolve_learn_terms,
     learn_terms},
    {Mode::bags, "--terms", [](const Options& o) { return !o.terms.empty(); }, "", resolve_bags, write_terms},
    // Beside --images they are names of the labels.
    {Mode::label_ids, "--labels", [](const Options& o) { return !o.labels.empty() && !is_of_images(o); }, "",
     resolve_label_ids, write_label_ids},
    {Mode::blocks, "--block", [](const Options& o) { return o.block > 0; }, "", resolve_blocks,
     write_id_stream},
    {Mode::id_file, "--output dataset",
     [](const Options& o) { return o.form == "dataset" && o.block == 0 && !o.tokenizer.empty(); },
     "the data set", resolve_id_file, write_id_stream},
    {Mode::columns, "--output dataset", makes_columns, "the data set", resolve_columns, write_columns},
    {Mode::ids, "--tokenizer",
     [](const Options& o) { return !o.tokenizer.empty() && o.block == 0 && o.form != "dataset"; }, "",
     resolve_ids, write_ids}};

// Options that are of some modes alone.
struct OptionRow {
  std::string_view options;
  std::vector<Mode> modes;
  std::string_view why = {};  // is said where one stands in another mode
  bool has_rule = false;      // of its own, which --help shows
};

const std::vector<OptionRow>& option_rows() {
  using enum Mode;
  static const std::vector<OptionRow> kRows = {
      {"--tokenizer --start --end", {ids, blocks, id_file}},
      {"--length", {ids, bags}},
      {"--order", {ids}},
      {"--block --stride", {blocks}},
      {"--max-unknown", {ids, blocks, id_file, bags}},
      {"--header", {ids, blocks, label_ids, bags}},
      {"--labels", {label_ids, images}},
      {"--learn", {learn_labels, learn_terms}},
      {"--check", {learn_labels}},
      {"--terms", {bags}},
      {"--output", {bags, learn_terms, id_file, columns}},
      {"--ngrams --size", {learn_terms}},
      {"--images --image-labels --resize --background --apply-orientation --validation", {images}},
      {"--split --split-by", {Mode::split}},
      {.options = "--validation-fraction", .modes = {Mode::split, images}, .has_rule = true},
      {.options = "--seed", .modes = {Mode::split, images, ids}, .has_rule = true},
      {"--max-ratio --scripts --dropped", {pairs}},
      {"--model --best --first", {shortlist}},
      {"-o",
       {learn_labels, learn_terms, id_file, columns, images, Mode::split, shortlist},
       "lines go to standard output"},
      {"--allow-empty", {columns, shortlist}},
      {"--recipe --side --scale", {ids, blocks, id_file, learn_labels, label_ids, learn_terms, bags, csv}},
      {"--csv --separator --no-header", {csv}},
      {"--column",
       {ids, blocks, id_file, columns, learn_labels, label_ids, learn_terms, bags, csv, Mode::split}},
      {"--replace-invalid",
       {ids, blocks, id_file, columns, learn_labels, label_ids, learn_terms, bags, csv, Mode::split, pairs,
        shortlist}}};
  return kRows;
}

std::vector<Command> commands() {
  using enum Mode;
  std::vector<Command> all = {
      {"ids",
       "turn token lines into id lines, or all of them into one file of ids",
       "token lines from tokenize; - or none: standard input",
       "cut -f1 train.tsv | tokenize -t en.json | vectorize ids -t en.json --length 20 > en.ids\n"
       "cut -f2 train.tsv | tokenize -t es.json | vectorize ids -t es.json --length 20 --start --end > "
       "es.ids",
       {ids, blocks, id_file},
       "--tokenizer FILE"},
      {"columns",
       "turn id lines of any columns into a file that train maps",
       "id lines, of one column or several with TABs between; - or none: standard input",
       "paste en.ids es.ids | vectorize columns -o train.safetensors",
       {columns},
       {},
       "--output",
       "dataset"},
      {"labels",
       "learn a set of labels, or turn labels into ids with --labels FILE",
       "labels, one a line; - or none: standard input",
       "cut -f2 reviews.tsv | vectorize labels -o labels.txt\n"
       "cut -f2 reviews.tsv | vectorize labels --labels labels.txt > label.ids",
       {learn_labels, label_ids},
       "--labels FILE",
       "--learn",
       "labels"},
      {"terms",
       "learn a table of terms from token lines, or make bags of words of them with --terms FILE",
       "token lines from tokenize; - or none: standard input",
       "vectorize terms --learn tf-idf --ngrams 2 -o terms.tsv reviews.tok\n"
       "vectorize terms --terms terms.tsv reviews.tok > reviews.bags",
       {learn_terms, bags},
       "--learn ngrams|tf-idf or --terms FILE"},
      {"csv",
       "turn CSV files into lines of columns",
       "CSV files; - or none: standard input",
       "vectorize csv --column text --column label reviews.csv > reviews.tsv",
       {csv},
       {},
       "--csv",
       "true"},
      {"split",
       "write lines to two files, a share to that of --split",
       "lines; - or none: standard input",
       "vectorize split --split test.tsv --column 2 -o train.tsv reviews.tsv",
       {Mode::split},
       "--split FILE"},
      {"pairs",
       "drop pairs of a corpus that are empty, copies, repeats, of unequal length or in another script",
       "lines of a source, a TAB and its translation; - or none: standard input",
       "vectorize pairs --scripts en,ru --dropped dropped.tsv corpus.tsv > train.tsv",
       {pairs}},
      {"shortlist",
       "learn from pairs which tokens a translator's output may consist of",
       "id lines of a source and a target, with a TAB between, or such a file of columns; - or none: "
       "standard input",
       "paste en.ids es.ids | vectorize shortlist --model models/spa-eng -o models/spa-eng/shortlist.bin",
       {shortlist}},
      {"images",
       "turn images into a data set, or into two",
       "a folder, a list of paths and labels, CIFAR files or an IDX file; no standard input",
       "vectorize images train-images.idx --image-labels train-labels.idx -o train.safetensors\n"
       "vectorize images photos --resize 64x64 -o train.safetensors --validation validation.safetensors",
       {images}}};
  Command any{"", "turn token lines into id lines or bags of words, labels into ids, images into a data set",
              "token lines from tokenize; - or none: standard input"};
  for (const Command& command : all) {
    any.examples += (any.examples.empty() ? "" : "\n") + command.examples;
    any.modes.insert(any.modes.end(), command.modes.begin(), command.modes.end());
  }
  all.push_back(std::move(any));
  return all;
}

const std::vector<Command>& all_commands() {
  static const std::vector<Command> all = commands();
  return all;
}

const ModeRow& row_of(Mode mode) {
  return *std::find_if(std::begin(kModes), std::end(kModes),
                       [&](const auto& row) { return row.mode == mode; });
}

// What asks for them: "--tokenizer", "--labels", "--terms".
std::vector<std::string_view> names_of(const std::vector<Mode>& modes) {
  const auto has = [&](Mode mode) { return std::find(modes.begin(), modes.end(), mode) != modes.end(); };
  std::vector<std::string_view> names;
  for (const Mode mode : modes) {
    const bool is_of_ids = mode == Mode::blocks || mode == Mode::id_file;  // they have --tokenizer, too
    if (is_of_ids && has(Mode::ids)) continue;
    const std::string_view name = row_of(mode).asked_by;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

bool has_any(const std::vector<Mode>& modes, const std::vector<Mode>& of) {
  return std::ranges::find_first_of(modes, of) != modes.end();
}

// Those of `modes` that are among the others, or are not.
std::vector<Mode> common(std::vector<Mode> modes, const std::vector<Mode>& others, bool is_wanted = true) {
  std::erase_if(modes, [&](Mode mode) { return has_any(others, {mode}) != is_wanted; });
  return modes;
}

// What --tokenizer alone does not ask for.
const std::vector<Mode> kOfOneText = {Mode::blocks, Mode::id_file};

// In --help, of an option: which of the command's modes have it.
std::string note_of(const OptionRow& row, std::string_view name, const Command& command) {
  const std::vector<Mode> with = common(row.modes, command.modes),
                          without = common(command.modes, row.modes, false);
  const std::vector<std::string_view> names = names_of(with);
  const auto not_with = [](const std::vector<Mode>& modes) {
    return "not with " + alternatives(names_of(modes));
  };
  const bool is_itself =
      std::ranges::any_of(names, [&](std::string_view mode) { return mode.starts_with(name); });
  if (without.empty() || row.has_rule || is_itself) return {};
  if (!command.name.empty()) {
    const bool is_unsaid = has_any(without, {Mode::ids, Mode::learn_labels});  // no option asks for it there
    return is_unsaid ? "only with " + alternatives(names) : not_with(without);
  }
  if (without.size() == 1) return not_with(without);
  std::string note;
  // The titles of groups name single modes.
  if (names.size() > 1 && with.size() < without.size() + 2) note = "only with " + alternatives(names);
  const std::vector<Mode> of_one_text =
      has_any(with, {Mode::ids}) ? common(kOfOneText, without) : std::vector<Mode>();
  if (!of_one_text.empty()) note += (note.empty() ? "" : "; ") + not_with(of_one_text);
  return note;
}

// A word that is no file may be meant for a mode.
void check_words(const Options& o, bool has_mode) {
  const std::vector<std::string> names = command_names();
  for (const std::string& word : o.tokens) {
    std::error_code ignored;
    if (word == "-" || fs::exists(word, ignored)) continue;
    if (std::ranges::count(names, word) > 0)
      throw UsageError("the mode stands first: vectorize " + word + " [OPTION...] [FILE...]");
    const bool is_first = &word == &o.tokens.front();
    if (is_first && (!has_mode || !nearest_word(word, names).empty()))
      throw UsageError(unknown_word("mode", word, {names.begin(), names.end()}));
  }
}

}  // namespace

const Command& find_command(std::string_view name) {
  const auto found = std::ranges::find(all_commands(), name, &Command::name);
  return found == all_commands().end() ? all_commands().back() : *found;
}

std::string command_list() {
  std::string list;
  for (const Command& command : all_commands()) {
    if (command.name.empty()) continue;
    list += (list.empty() ? "" : "\n") + command.name + std::string(10 - command.name.size(), ' ') +
            command.summary;
  }
  return list;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  std::erase(names, "");
  return names;
}

void ModeOptions::find(cli::CommandLine& line, const Command& command) {
  const auto takes = [](const Command& one, const OptionRow& row, std::string_view name) {
    return has_any(one.modes, row.modes) && one.implied != name;
  };
  for (const OptionRow& row : option_rows()) {
    for (const std::string_view name : split(row.options, ' ')) {
      cli::Option option = line.option(name);
      entries_.push_back({name, option, row.modes, row.why, row.has_rule});
      if (!takes(command, row, name)) option.hide();
      if (const std::string note = note_of(row, name, command); !note.empty()) option.note(note);
      std::vector<std::string> names;
      for (const Command& one : all_commands()) {
        if (takes(one, row, name)) names.push_back(one.name);
      }
      option.of_modes(std::move(names));
    }
  }
}

bool ModeOptions::is_given(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name && entry.option.is_given(); });
}

void ModeOptions::check_command(const Command& command) const {
  for (const Entry& entry : entries_) {
    if (!entry.option.is_given()) continue;
    const bool is_implied = entry.name == command.implied;
    if (is_implied ? entry.option.value() == command.implied_value : has_any(entry.modes, command.modes))
      continue;
    throw UsageError(
        std::string(entry.name) + (is_implied ? " " + entry.option.value() : "") + " is not of vectorize " +
        command.name + " (" +
        (entry.why.empty() ? "see vectorize " + command.name + " --help" : std::string(entry.why)) + ")");
  }
}

void ModeOptions::check_mode(const Command& command, std::optional<Mode> mode) const {
  for (const Entry& entry : entries_) {
    if ((mode && has_any(entry.modes, {*mode})) || !entry.option.is_given() || entry.has_rule) continue;
    const std::vector<Mode> own = common(entry.modes, command.modes);
    const std::vector<std::string_view> names = names_of(own);
    const bool is_itself = names.size() == 1 && names.front().starts_with(entry.name);
    const std::string name = std::string(entry.name) + (is_itself ? " " + entry.option.value() : ""),
                      asked(mode ? row_of(*mode).asked_by : ""),
                      why = entry.why.empty() ? "" : " (" + std::string(entry.why) + ")";
    // What it goes with is there, and yet more; or goes without saying.
    const bool is_there = mode && ((has_any(kOfOneText, {*mode}) && has_any(own, {Mode::ids})) ||
                                   (command.implied == "--learn" && *mode == Mode::label_ids) || is_itself);
    if (is_there) throw UsageError(name + " and " + asked + " do not go together" + why);
    const bool is_unsaid = !mode || (mode == Mode::ids && common(own, kOfOneText, false).empty()) ||
                           (mode == Mode::learn_labels && !command.name.empty());
    throw UsageError(name + " goes with " + listed(names) + " only" +
                     (is_unsaid ? "" : ", not with " + asked) + why);
  }
}

const ModeRow& find_mode(const Options& o, const ModeOptions& typed) {
  const Command& command = *o.command;
  const bool is_any = command.name.empty();
  if (!is_any) typed.check_command(command);
  const ModeRow* asked = nullptr;
  for (const ModeRow& row : kModes) {
    if (!row.is_asked(o)) continue;
    if (asked != nullptr)
      throw UsageError("both " + std::string(asked->asked_by) + " and " + std::string(row.asked_by) +
                       " (one at a time" +
                       (asked->mode == Mode::csv ? "; pipe its lines on: cut -f1)" : ")"));
    asked = &row;
  }
  if (is_any) check_words(o, asked != nullptr);
  if (asked == nullptr) {
    if (!is_any) throw UsageError(command.name + " needs " + command.needs);
    typed.check_mode(command, std::nullopt);
    const std::vector<std::string> names = command_names();
    throw UsageError("name a mode first: " + alternatives({names.begin(), names.end()}) +
                     " (see vectorize --help)");
  }
  if (!has_any(command.modes, {asked->mode}))
    throw UsageError(std::string(asked->asked_by) + " is not of vectorize " + command.name);
  typed.check_mode(command, asked->mode);
  if (!asked->needs_output.empty() && o.output.empty())
    throw UsageError((is_any ? std::string(asked->asked_by) : command.name) + " needs -o FILE for " +
                     std::string(asked->needs_output) +
                     (asked->mode == Mode::learn_labels && !is_any ? ", or " + command.needs : ""));
  return *asked;
}

}  // namespace headwater::vectorize
