// Which kind of model is measured, and what the kinds share.
#include <algorithm>
#include <cmath>

#include "checkpoint/safetensors.hpp"
#include "cli/tool.hpp"
#include "data/id_columns.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

cli::LineReaderSettings lines_of_columns(const Options& o, std::size_t columns) {
  const std::string measured = o.model + " is measured on " + (columns == 2 ? "two" : "three") + " columns ";
  if (o.reader.column > 0)
    throw UsageError("--column N is for texts alone, " + measured + "(cut -f picks them)");
  if (const std::size_t count = o.reader.csv.columns.size(); count != 0 && count != columns)
    throw UsageError("--column: given " + std::to_string(count) + (count == 1 ? " time" : " times") + ", " +
                     measured + (columns == 2 ? "(the text" : "(two texts") + ", then what it should give)");
  cli::LineReaderSettings settings = o.reader;
  settings.has_columns = true;
  settings.csv.wanted = columns;
  return settings;
}

void check_one_column(const Options& o) {
  if (const std::size_t count = o.reader.csv.columns.size(); count > 1)
    throw UsageError("--column: given " + std::to_string(count) + " times, where one text is read");
}

void for_each_text(const Options& o, bool has_pairs, const std::function<void(std::string_view)>& use) {
  cli::LineReaderSettings settings = has_pairs ? lines_of_columns(o) : o.reader;
  if (!has_pairs) {
    settings.refuses_tabs = true;
    settings.csv.wanted = 1;
    settings.csv_fix = "read a column of it: --csv --column NAME";
    check_one_column(o);
  }
  cli::LineReader reader(o.data, settings);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) {
    try {
      use(line);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
  if (!o.is_quiet) reader.note_dropped();
}

TokenDataset read_id_lines(const Options& o, const Tokenizer& tokenizer,
                           std::initializer_list<std::string_view> names) {
  std::vector<TokenColumnSettings> settings;
  for (const std::string_view name : names) {
    settings.push_back({.name = std::string(name),
                        .vocabulary = tokenizer.vocabulary_size(),
                        .max_length = std::int64_t{1} << 30,  // evaluators truncate
                        .special = tokenizer.special_ids(),
                        .vocabulary_hash = tokenizer.hash()});
  }
  return read_id_columns(o, std::move(settings));
}

bool has_id_columns(const Options& o) {
  return std::any_of(o.data.begin(), o.data.end(),
                     [](const std::string& path) { return holds_id_columns(path); });
}

TokenDataset read_id_columns(const Options& o, std::vector<TokenColumnSettings> settings) {
  TokenDataset columns(std::move(settings));
  if (has_id_columns(o)) {
    for (const std::string& path : o.data) columns.add_file(path);
    columns.finish(o.data.front());
    return columns;
  }
  cli::LineReaderSettings lines = o.reader;
  lines.has_columns = true;
  cli::LineReader reader(o.data, lines);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) columns.add_line(line, reader.place());
  if (!o.is_quiet) reader.note_dropped();
  columns.finish(o.data.empty() ? "-" : o.data.front());
  return columns;
}

void write_expectations(const std::vector<ScoreRow>& rows, const Options& o) {
  if (!o.expecting) return;
  std::vector<std::pair<std::string, double>> figures;
  for (const ScoreRow& row : rows) {
    // Among the scores of a translation a recipe means the one with references as the tokenizer sees them.
    const Json* const references = row.json.find("references");
    if (references != nullptr && references->as_string() != kStandardized) continue;
    const std::string& metric = row.json.at("metric").as_string();
    figures.emplace_back(find_text_metric(metric) != nullptr ? metric : "test_" + metric,
                         row.json.at("score").as_number());
  }
  write(judge_expectations(*o.expecting, figures), o.is_json);
}

void note_pairs_without_loss(std::int64_t pairs, bool is_quiet) {
  if (pairs == 0) return;
  cli::warn(counted(pairs, "pair") + " with an empty side " + (pairs == 1 ? "has" : "have") + " no loss",
            is_quiet);
}

void check_loss(const LossTotals& totals) {
  if (!std::isfinite(totals.loss)) throw Error(std::string("loss: ") + kOutputNotFinite);
}

void add_token_metric(std::vector<ScoreRow>& rows, const std::string& name, const LossTotals& totals,
                      const TokenMetricDetails& details) {
  const auto of_tokens = [&](double value) {
    rows.push_back(score_row(name, value, 4, details.over, details.part, details.truncated));
  };
  if (name == "loss") of_tokens(totals.mean_loss());
  if (name == "accuracy") of_tokens(totals.accuracy());
  if (name == "perplexity") rows.push_back(score_row(name, std::exp(totals.mean_loss()), 2, "exp(loss)"));
}

namespace {

struct ModelRow {
  Task task;
  std::vector<std::string_view> kinds;  // what options are of, first what messages call it
  std::vector<MetricOf> metrics;
  void (*evaluate)(const Options&, const ModelFolder&, const Metrics&);
};

const std::vector<ModelRow>& model_rows() {
  using enum MetricOf;
  static const std::vector<ModelRow> kRows = {
      {Task::translation,
       {kTranslator, kTexts},
       {models, token_models, vocabularies, texts},
       evaluate_translator},
      {Task::classification,
       {kClassifier, kTextClassifier, kTexts},
       {models, classifiers, vocabularies},
       evaluate_classifier},
      {Task::image_classification, {kImages, kClassifier}, {models, classifiers}, evaluate_vision_model},
      {Task::language_modeling,
       {kLanguageModel, kTexts},
       {models, token_models, language_models, vocabularies},
       evaluate_language_model},
      {Task::masked_language_modeling,
       {kMaskedLm, kTexts},
       {models, token_models, vocabularies},
       evaluate_masked_lm}};
  return kRows;
}

// Refuses a metric that was named and is not of such a model.
void check_metrics(const Options& o, const Metrics& metrics, const ModelRow& row) {
  if (o.metrics.empty()) return;
  std::vector<std::string_view> known = metric_names(row.metrics);
  std::erase_if(known, [](std::string_view name) {
    const TextMetric* const metric = find_text_metric(name);
    return metric != nullptr && metric->needs == TextMetricNeeds::links;
  });
  std::vector<std::string> names = metrics.of_model;
  names.insert(names.end(), metrics.text.names.begin(), metrics.text.names.end());
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) == 0)
      throw UsageError(
          "--metric: " + o.model + " is " + std::string(row.kinds.front()) + ", which has no " + name +
          " (choose " + alternatives(known) +
          (find_text_metric(name) == nullptr ? ")" : "; texts have it: --hypotheses and --references)"));
  }
}

}  // namespace

void evaluate_model(const Options& given, const Metrics& metrics) {
  Options o = given;
  o.has_ids = o.has_ids || has_id_columns(o);
  if (!o.recipe.empty()) o.expecting = read_recipe(o.recipe, o.scale);
  const ModelFolder folder = open_model(o.model);
  cli::note_skipped_checkpoints(folder.skipped);
  const Task task = folder.family->task;
  if (o.expecting && family_of(o.expecting->model).task != task)
    throw UsageError("--recipe: " + o.recipe + " is of " + o.expecting->model.kind().with_article() + ", " +
                     o.model + " is of " + folder.family->model_kind.with_article());
  const auto row = std::ranges::find(model_rows(), task, &ModelRow::task);
  if (row == model_rows().end()) throw Error(o.model + ": holds " + offer_of(folder).text());
  o.of_kinds.check(o.model, row->kinds);
  check_metrics(o, metrics, *row);
  const bool reads_lines =
      task == Task::translation || task == Task::classification || task == Task::masked_language_modeling;
  for (const std::string& path : o.data) {
    if (reads_lines && begins_as_safetensors(path) && !holds_id_columns(path))
      throw Error(path + ": a file of tensors, where " + o.model +
                  " is measured on lines of text or a file of columns of ids (vectorize --output dataset "
                  "without --tokenizer makes one)");
  }
  row->evaluate(o, folder, metrics);
}

}  // namespace headwater::evaluate
