#include <cmath>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tasks/language_model_evaluator.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

namespace {

// A text a line; of a model with a delimiter a pair.
void add_lines(const Options& o, const LanguageModelFiles& model, LanguageModelEvaluator& evaluator) {
  cli::LineReaderSettings settings = o.reader;
  settings.refuses_tabs = model.delimiter < 0;
  settings.tab_fix = "give one column of texts, with cut -f";
  settings.has_columns = model.delimiter >= 0;
  cli::LineReader reader(o.data, settings);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) {
    try {
      evaluator.add_text(line);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
  if (!o.is_quiet) reader.note_dropped();
}

// A text a file.
void add_files(const Options& o, LanguageModelEvaluator& evaluator) {
  for (const std::string& path : o.data.empty() ? std::vector<std::string>{"-"} : o.data) {
    cli::LineReader reader({path}, o.reader);
    std::string text;
    for (std::string_view line; reader.next(line);) text.append(line).push_back('\n');
    if (!o.is_quiet) reader.note_dropped();
    evaluator.add_text(text);
  }
}

void add_id_lines(const Options& o, const LanguageModelFiles& model, LanguageModelEvaluator& evaluator) {
  std::vector<TokenColumnSettings> settings;
  for (const std::string_view name : {"source", "target"}) {
    if (name == "target" && model.delimiter < 0) break;
    settings.push_back({.name = std::string(name),
                        .vocabulary = model.tokenizer.vocabulary_size(),
                        .max_length = std::int64_t{1} << 30,  // the evaluator truncates
                        .special = model.tokenizer.special_ids(),
                        .vocabulary_hash = model.tokenizer.hash()});
  }
  TokenDataset columns(std::move(settings));
  cli::LineReaderSettings lines = o.reader;
  lines.has_columns = true;
  cli::LineReader reader(o.data, lines);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) columns.add_line(line, reader.place());
  if (!o.is_quiet) reader.note_dropped();
  columns.finish(o.data.empty() ? "-" : o.data.front());
  for (std::int64_t i = 0; i < columns.examples(); ++i)
    evaluator.add_ids(columns.ids(0, i),
                      model.delimiter < 0 ? std::span<const std::int32_t>() : columns.ids(1, i));
}

// Bits of a unit of the text; nothing where there is no text.
void add_bits(std::vector<ScoreRow>& rows, const std::string& name, std::string_view unit, std::int64_t units,
              const LanguageModelFigures& figures) {
  if (units <= 0) return;
  ScoreRow row = score_row(name, figures.bits() / static_cast<double>(units), 4,
                           counted(std::llround(figures.bits()), "bit") + " for " +
                               counted(units, std::string(unit)) + " of text");
  row.json.set("bits", figures.bits()).set(std::string(unit) + "s", units);
  rows.push_back(std::move(row));
}

}  // namespace

void evaluate_language_model(const Options& o, const Metrics& metrics) {
  check_metrics(o, {"loss", "accuracy", "perplexity", "bits_per_byte", "bits_per_character", "unknown"},
                "a language model");
  if (o.has_ids && o.is_multiline) throw UsageError("both --ids and --multiline (one at a time)");
  const LanguageModelFiles model = load_language_model(o.model);
  if (o.is_multiline && model.delimiter >= 0)
    throw UsageError("--multiline is for language models without a delimiter, this one has one");
  for (const std::string& name : o.metrics) {
    if (o.has_ids && name.starts_with("bits_per_"))
      throw UsageError("--metric: " + name + " is of texts, and --ids has none");
  }
  LanguageModelEvaluator evaluator(
      model, {.stride = o.stride, .has_start = o.has_start, .batch_sequences = o.batch_sequences});
  if (o.has_ids) {
    add_id_lines(o, model, evaluator);
  } else if (o.is_multiline) {
    add_files(o, evaluator);
  } else {
    add_lines(o, model, evaluator);
  }
  const LanguageModelFigures& figures = evaluator.finish();
  const LossTotals& totals = figures.totals;
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no text of two tokens (a measure needs one)");
  check_loss(totals);
  if (!o.is_quiet) {
    cli::note_unknown_tokens(figures.tokens);
    cli::note_truncated_lines(figures.truncated, model.model->length());
  }
  const std::string over =
      "over " + counted(totals.predicted, "token") + " of " + counted(figures.texts, "text");
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.of_model) {
    if (name == "loss") rows.push_back(score_row(name, totals.mean_loss(), 4, over));
    if (name == "accuracy") rows.push_back(score_row(name, totals.accuracy(), 4, over));
    if (name == "perplexity") rows.push_back(score_row(name, std::exp(totals.mean_loss()), 2, "exp(loss)"));
    if (name == "bits_per_byte") add_bits(rows, name, "byte", figures.bytes, figures);
    if (name == "bits_per_character") add_bits(rows, name, "character", figures.characters, figures);
    if (name == "unknown") rows.push_back(unknown_row({"", figures.tokens}));
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

}  // namespace headwater::evaluate
