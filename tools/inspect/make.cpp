#include "support/error.hpp"
#include "tasks/registry.hpp"
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
  variable("set", data.set);
  variable("seed_of_split", is_split_anew ? std::to_string(recipe.seed) : "");
  path("train", data.train);
  path("validation", data.validation);
  path("test", data.test);
  path("tokenizer_text", data.tokenizer_text);
  variable("max_tokens", std::to_string(data.max_tokens));
  variable("train_examples", std::to_string(data.train_examples));
  variable("validation_examples", std::to_string(data.validation_examples));
  variable("test_examples", std::to_string(data.test_examples));
  std::string columns;
  for (std::size_t i = 0; i < data.columns.size() && !kind.columns.empty(); ++i) {
    const std::string& column = data.columns[i];
    columns += (i == 0 ? "" : " ") + column;
    variable("field_" + column, std::to_string(i + 1));
    variable("stage_" + column, column == "label" ? "labels" : kind.reads("terms") ? "terms" : "tokens");
  }
  variable("columns", columns);
  // A kind with one tokenizer has it for all of its columns of text.
  const bool has_one = columns.find("target") != std::string::npos && !kind.reads("target_tokenizer");
  variable("shared_tokenizer", recipe.shared_tokenizer || has_one ? "yes" : "");
  variable("summaries", data.summaries ? "yes" : "");
  const bool is_stream = kind.reads("data.examples") && data.examples != "lines";
  variable("stream", is_stream ? "yes" : "");
  variable("line_ends", is_stream && data.line_ends ? "--line-ends" : "");
  variable("csv", data.csv_columns.empty() ? "" : "yes");
  variable("answer", std::string(name_of(task_of(recipe.model).answer())));
}

}  // namespace headwater::inspect
