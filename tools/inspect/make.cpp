#include <algorithm>
#include <iterator>

#include "families/classifier/directory.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "recipe/key_values.hpp"
#include "reports/run_report.hpp"
#include "support/drafts.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/numbers.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// A word that make and a shell take as it is.
std::string for_make(std::string_view key, const std::string& value) {
  for (const char c : value) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("._-/+@,").find(c) != std::string_view::npos;
    if (!is_plain)
      throw UsageError(std::string(key) + ": " + quote(value) +
                       " has a character that make cannot name "
                       "(rename the file: letters, digits and ._-/+@, only)");
  }
  return value;
}

// Names what is made of the data before training: recipes that need the same lines, tokenizers and ids have
// the same name.
std::string preparation(const Recipe& recipe) {
  static constexpr std::string_view kSections[] = {"data.", "source_tokenizer.", "target_tokenizer.",
                                                   "shared_tokenizer", "terms."};
  // Keys of the data that belong to training and reports.
  static constexpr std::string_view kOthers[] = {
      "data.stride",    "data.epoch_examples", "data.validation_fraction",
      "data.summaries", "data.examples",       "data.test_orders"};
  const Family& family = family_of(recipe.model);
  const DataSettings& data = recipe.data;
  const bool is_stream = recipe.model.kind().reads("data.examples") && data.examples != "lines";
  std::string all(recipe.model.kind().name);
  const auto add = [&all](std::string_view name, const std::string& value) {
    all.append("\n").append(name).append("=").append(value);
  };
  for (const auto& [key, value] : key_values(recipe, WhichKeys::read)) {
    const auto begins = [&k = key](std::string_view section) { return k.starts_with(section); };
    const bool is_other = std::find(std::begin(kOthers), std::end(kOthers), key) != std::end(kOthers);
    const bool is_default = key == "data.split_by" && data.split_by == "line";
    if (!is_other && !is_default && std::any_of(std::begin(kSections), std::end(kSections), begins))
      add(key, value);
  }
  add("stream", is_stream ? "yes" : "no");
  if (recipe.model.kind().reads("masking")) add("masking.examples", recipe.masking.examples);
  if (!is_stream) add("length", std::to_string(family.max_line_ids(recipe)));
  const LineForm form = family.line_form(recipe.model);
  for (const char* side : {"source", "target"}) {
    const LineEnds& ends = form.ends(side);
    add(side, std::string(ends.start ? "start" : "") + (ends.end ? "end" : ""));
  }
  for (const std::string& token : form.special_tokens) add("special", token);
  if (!form.tokenizer_from.empty()) add("tokenizer", tokenizer_of(form.tokenizer_from).hash());
  if (data.split == "seed" && !data.set.empty()) add("seed", std::to_string(recipe.seed));
  Hasher hasher;
  hasher.update(all);
  return hasher.digest().substr(0, 12);
}

}  // namespace

void write_make(const Recipe& recipe, cli::LineWriter& out) {
  const ModelKind& kind = recipe.model.kind();
  const DataSettings& data = recipe.data;
  const bool is_split_anew = data.split == "seed" && !data.set.empty();
  const std::string folder = data.set + "/";
  const auto variable = [&](const std::string& name, const std::string& value) {
    out.line(name + " := " + value);
  };
  const auto path = [&](const std::string& name, std::string value) {
    if (is_split_anew && recipe.seed != 1 && value.starts_with(folder))
      value = data.set + "-seed-" + std::to_string(recipe.seed) + value.substr(data.set.size());
    variable(name, for_make("data." + name, value));
  };
  if (data.train.empty())
    throw UsageError("data.train: the recipe names no training examples (write train: FILE)");
  variable("drafts", draft_name(""));
  variable("set", data.set);
  variable("seed_of_split", is_split_anew ? std::to_string(recipe.seed) : "");
  path("train", data.train);
  path("validation", data.validation);
  path("test", data.test);
  path("tokenizer_text", data.tokenizer_text);
  variable("test_fraction", data.test_fraction == 0 ? "" : format_number(data.test_fraction));
  variable("split_by_source", data.split_by == "source" ? "yes" : "");
  variable("max_tokens", std::to_string(data.max_tokens));
  variable("train_examples", std::to_string(data.train_examples));
  variable("validation_examples", std::to_string(data.validation_examples));
  variable("test_examples", std::to_string(data.test_examples));
  const auto* const classifier = dynamic_cast<const TextClassifierFamily*>(&family_of(recipe.model));
  const bool reads_terms = classifier != nullptr && classifier->reads_terms(recipe.model);
  std::string columns;
  for (std::size_t i = 0; i < data.columns.size() && !kind.columns.empty(); ++i)
    columns += (i == 0 ? "" : " ") + data.columns[i];
  // One that is missing, too: else make would take a variable of the environment.
  for (const std::string column : {"source", "target", "label"}) {
    const auto at = std::find(data.columns.begin(), data.columns.end(), column);
    const bool is_there = at != data.columns.end() && !kind.columns.empty();
    variable("field_" + column, is_there ? std::to_string(at - data.columns.begin() + 1) : "");
    const char* const stage = column == "label" ? "labels" : reads_terms ? "terms" : "tokens";
    variable("stage_" + column, is_there ? stage : "");
  }
  variable("columns", columns);
  // A kind with one tokenizer has it for all of its columns of text.
  const bool has_one = columns.find("target") != std::string::npos && !kind.reads("target_tokenizer");
  variable("shared_tokenizer", recipe.shared_tokenizer || has_one ? "yes" : "");
  variable("summaries", data.summaries ? "yes" : "");
  const bool is_stream = kind.reads("data.examples") && data.examples != "lines";
  variable("stream", is_stream ? "yes" : "");
  const bool has_sentences = kind.reads("masking") && recipe.masking.examples == "sentence_pairs";
  variable("text_lines", has_sentences ? "--sentences" : is_stream && data.line_ends ? "--line-ends" : "");
  variable("csv", data.csv_columns.empty() ? "" : "yes");
  variable("preparation", preparation(recipe));
  variable("num_beams", std::to_string(recipe.decoding.num_beams));
  variable("keep", std::to_string(recipe.training.checkpoint.keep));
  variable("reference_measure", expects_reference_measure(recipe) ? "--reference-measure" : "");
  std::string orders;
  for (const std::string& order : data.test_orders) orders += (orders.empty() ? "" : " ") + order;
  variable("orders", orders);
  variable("task", std::string(name_of(family_of(recipe.model).task)));
}

}  // namespace headwater::inspect
