#include "pipeline/experiment.hpp"

#include <algorithm>
#include <iterator>

#include "families/classifier/directory.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "recipe/key_values.hpp"
#include "support/hash.hpp"

namespace headwater {

RecipeFiles files_of_recipe(const Recipe& recipe) {
  const DataSettings& data = recipe.data;
  if (data.train.empty())
    throw UsageError("data.train: the recipe names no training examples (write train: FILE)");
  RecipeFiles files;
  if (data.split == DataSplit::seed && !data.set.empty()) files.split_seed = recipe.seed;
  const auto in_folder = [&](const std::string& name) {
    const bool has_own = files.split_seed && recipe.seed != 1 && name.starts_with(data.set + "/");
    return has_own ? data.set + "-seed-" + std::to_string(recipe.seed) + name.substr(data.set.size()) : name;
  };
  files.train = in_folder(data.train);
  files.validation = in_folder(data.validation);
  files.test = in_folder(data.test);
  files.tokenizer_text = in_folder(data.tokenizer_text);
  return files;
}

std::vector<std::string> RecipeFiles::all() const {
  std::vector<std::string> names;
  for (const std::string& name : {train, validation, test, tokenizer_text}) {
    if (!name.empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> RecipeFiles::of_set(std::string_view set) const {
  std::vector<std::string> names;
  for (const std::string& name : all()) {
    const std::string folder = name.substr(0, name.find('/'));
    if (folder == set || folder.starts_with(std::string(set) + "-seed-")) names.push_back(name);
  }
  return names;
}

std::string preparation_of(const Recipe& recipe) {
  static constexpr std::string_view kSections[] = {"data.", "source_tokenizer.", "target_tokenizer.",
                                                   "shared_tokenizer", "terms."};
  // Keys of the data that belong to training and reports.
  static constexpr std::string_view kOthers[] = {
      "data.stride",    "data.epoch_examples", "data.validation_fraction",
      "data.summaries", "data.examples",       "data.test_orders"};
  const Family& family = family_of(recipe.model);
  const DataSettings& data = recipe.data;
  const bool is_stream = recipe.model.kind().reads("data.examples") && data.examples != DataExamples::lines;
  std::string all(recipe.model.kind().name);
  const auto add = [&all](std::string_view name, const std::string& value) {
    all.append("\n").append(name).append("=").append(value);
  };
  for (const auto& [key, value] : key_values(recipe, WhichKeys::read)) {
    const auto begins = [&k = key](std::string_view section) { return k.starts_with(section); };
    const bool is_other = std::find(std::begin(kOthers), std::end(kOthers), key) != std::end(kOthers);
    const bool is_default = (key == "data.split_by" && data.split_by == SplitBy::line) ||
                            (key == "data.teacher" && data.teacher.empty());
    if (!is_other && !is_default && std::any_of(std::begin(kSections), std::end(kSections), begins))
      add(key, value);
  }
  add("stream", is_stream ? "yes" : "no");
  if (recipe.model.kind().reads("masking"))
    add("masking.examples", std::string(name_of(recipe.masking.examples)));
  if (!is_stream) add("length", std::to_string(family.max_line_ids(recipe)));
  const LineForm form = family.line_form(recipe.model);
  for (const char* side : {"source", "target"}) {
    const LineEnds& ends = form.ends(side);
    add(side, std::string(ends.start ? "start" : "") + (ends.end ? "end" : ""));
  }
  for (const std::string& token : form.special_tokens) add("special", token);
  if (!form.tokenizer_from.empty()) add("tokenizer", tokenizer_of(form.tokenizer_from).hash());
  if (data.split == DataSplit::seed && !data.set.empty()) add("seed", std::to_string(recipe.seed));
  return hash128(all).substr(0, 12);
}

bool Experiment::has_columns() const { return !recipe.model.kind().columns.empty(); }

std::optional<int> Experiment::field(std::string_view column) const {
  const auto at = std::ranges::find(recipe.data.columns, column);
  if (at == recipe.data.columns.end() || !has_columns()) return std::nullopt;
  return static_cast<int>(at - recipe.data.columns.begin()) + 1;
}

bool Experiment::reads_terms() const {
  const auto* const classifier = dynamic_cast<const TextClassifierFamily*>(&family_of(recipe.model));
  return classifier != nullptr && classifier->reads_terms(recipe.model);
}

bool Experiment::is_stream() const {
  return recipe.model.kind().reads("data.examples") && recipe.data.examples != DataExamples::lines;
}

bool Experiment::has_shared_tokenizer() const {
  // A kind with one tokenizer has it for all of its columns of text.
  return recipe.shared_tokenizer || (field("target") && !recipe.model.kind().reads("target_tokenizer"));
}

Task Experiment::task() const { return family_of(recipe.model).task; }

fs::path Experiment::whole_lines(const std::string& file) const {
  return recipe.data.csv_columns.empty() ? prepared / "lines" / file : prepared / "csv" / (file + ".tsv");
}

fs::path Experiment::lines(const std::string& file) const {
  return holds_out_test() && file == files.train ? prepared / "split" / "train.tsv" : whole_lines(file);
}

fs::path Experiment::part(std::string_view name) const { return prepared / (std::string(name) + ".tsv"); }

fs::path Experiment::chosen(std::string_view name) const {
  return name == "train" && !teacher.empty() ? prepared / "references.tsv" : part(name);
}

fs::path Experiment::tokenizer(std::string_view side) const {
  if (!tokenizer_folder.empty()) return tokenizer_folder;
  return prepared / (std::string(has_shared_tokenizer() ? "tokenizer" : side) + ".json");
}

std::vector<fs::path> Experiment::train_files() const {
  std::vector<fs::path> names;
  for (const auto& [part_name, file] :
       {std::pair("train", files.train), std::pair("validation", files.validation)}) {
    if (file.empty()) continue;
    const std::string ending = is_stream() ? ".safetensors" : ".ids";
    names.push_back(has_columns() ? prepared / (part_name + ending) : data / file);
  }
  return names;
}

std::vector<fs::path> Experiment::prepared_files() const {
  if (!has_columns()) return {};
  std::vector<fs::path> names = train_files();
  for (const std::string_view side : {"source", "target"}) {
    if (field(side) && tokenizer_folder.empty()) names.push_back(tokenizer(side));
  }
  if (field("label")) names.push_back(prepared / "labels.txt");
  if (reads_terms()) names.push_back(prepared / "terms.tsv");
  names.push_back(part("train"));
  if (!files.validation.empty()) names.push_back(part("validation"));
  if (has_test()) names.push_back(part("test"));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

int Experiment::ways() const {
  if (recipe.data.summaries) return 2;
  if (task() != Task::translation) return 1;
  return 1 + (recipe.decoding.num_beams != 1 ? 1 : 0) + (recipe.training.checkpoint.keep > 2 ? 1 : 0);
}

Words Experiment::writer() const {
  const Words quiet = is_quiet ? line("--quiet") : Words{};
  // A summary or a translation is short; what a language model is asked for is kept free of its positions.
  if (task() == Task::translation) return line(bin / "translate", quiet);
  return line(bin / "generate", quiet, "--max-new-tokens", "40");
}

Words Experiment::with_threads() const {
  return threads == 0 ? Words{} : line("--threads", std::to_string(threads));
}

namespace {

bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
           std::string_view("._-/+@,:%=").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string in_quotes(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string Shell::quoted(std::string_view word) const {
  for (const Variable& variable : variables_) {
    if (word == variable.value) return "\"$" + variable.name + "\"";
    if (word.starts_with(variable.value) && word[variable.value.size()] == '/')
      return "\"$" + variable.name + "\"" + in_quotes(word.substr(variable.value.size()));
  }
  // Only the folder of a path is quoted, so that a program's name is seen.
  const std::size_t slash = word.rfind('/');
  if (slash != word.npos && slash > 0 && is_plain(word.substr(slash)))
    return in_quotes(word.substr(0, slash)) + std::string(word.substr(slash));
  return in_quotes(word);
}

std::string Shell::text(const Words& command) const {
  std::string out;
  for (const Word& word : command) {
    if (!out.empty()) out += ' ';
    switch (word.kind) {
      case Word::Kind::plain:
        out += quoted(word.text);
        break;
      case Word::Kind::made:
        out += quoted(place_ ? place_(word.text).string() : word.text);
        break;
      case Word::Kind::of_shell:
        out += word.text;
        break;
    }
  }
  return out;
}

std::string text_of(const Stage& stage, const Shell& shell) {
  std::string out;
  for (const Words& command : stage.commands) out += shell.text(command) + "\n";
  return out;
}

}  // namespace headwater
