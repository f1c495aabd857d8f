#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "checkpoint/safetensors.hpp"
#include "cli/tool.hpp"
#include "data/id_columns.hpp"
#include "data/token_dataset.hpp"
#include "data/token_stream.hpp"
#include "families/language_model/evaluation.hpp"
#include "families/masked_lm/evaluation.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {

namespace {

// What the data are.
enum class Data { lines, stream, files, id_lines, id_files };

// Files that vectorize --output dataset wrote.
void add_id_files(const Options& o, const LoadedLanguageModel& model, LanguageModelEvaluator& evaluator) {
  for (const std::string& path : o.data) {
    TokenStream stream({.cut = evaluator.cut(),
                        .vocabulary = model.tokenizer.vocabulary_size(),
                        .vocabulary_hash = model.tokenizer.hash()});
    stream.add_file(path);
    stream.finish(path, false);
    evaluator.add_stream(stream);
  }
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

void add_id_lines(const Options& o, const LoadedLanguageModel& model, LanguageModelEvaluator& evaluator) {
  const bool has_pairs = model.delimiter >= 0;
  const TokenDataset columns = has_pairs ? read_id_lines(o, model.tokenizer, {"source", "target"})
                                         : read_id_lines(o, model.tokenizer, {"source"});
  for (std::int64_t i = 0; i < columns.examples(); ++i)
    evaluator.add_ids(columns.ids(0, i), has_pairs ? columns.ids(1, i) : std::span<const std::int32_t>());
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

// As the options say, or the files; without a word as the recipe does.
Data data_of(const Options& o, const LoadedLanguageModel& model, const TrainedReading& trained) {
  const auto ids = std::count_if(o.data.begin(), o.data.end(), [](const std::string& path) {
    return begins_as_safetensors(path) && !holds_id_columns(path);
  });
  const bool has_id_files = ids > 0;
  if (has_id_files && (o.is_multiline || o.is_of_lines))
    throw UsageError(std::string(o.is_multiline ? "--multiline" : "--lines") +
                     " is of texts, not of a file of ids");
  if (model.delimiter >= 0 && (o.is_multiline || has_id_files))
    throw UsageError(std::string(o.is_multiline ? "--multiline is" : "a file of ids is") +
                     " for language models without a delimiter, this one has one");
  if (!has_id_files)
    return o.has_ids           ? Data::id_lines
           : o.is_multiline    ? Data::files
           : o.is_of_lines     ? Data::lines
           : trained.is_stream ? Data::stream
                               : Data::lines;
  if (ids != std::ssize(o.data)) throw UsageError("files of ids and texts (one kind at a time)");
  if (o.has_start) throw UsageError("--start is of texts and of lines of ids, not of a file of ids");
  return Data::id_files;
}

// What became of the text, where that is not plain.
void note_reading(const Options& o, Data data, const LanguageModelFigures& figures,
                  const LoadedLanguageModel& model) {
  const std::string length = std::to_string(model.model->length());
  if (data == Data::stream && o.stride == 0 && !o.is_quiet)
    cli::note("read as one text in windows of " + length +
              " tokens, as the recipe of the model says (--lines: each line is a text)");
  note_pairs_without_loss(figures.skipped, o.is_quiet);
  const std::int64_t truncated = figures.truncated.count();
  if (truncated == 0) return;
  cli::warn(counted(truncated, "line") + " had more than " + length + " tokens; the rest of " +
                (truncated == 1 ? "it" : "each") + " was left out" + figures.truncated.numbers() + ": " +
                format_percent(figures.left_out, figures.ids) + " of " + counted(figures.ids, "token") +
                (model.delimiter >= 0 ? "" : " (--stride N reads them to their ends)"),
            o.is_quiet);
}

}  // namespace

void evaluate_language_model(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  const LoadedLanguageModel model = load_language_model(folder);
  const TrainedReading trained = o.is_of_lines ? TrainedReading() : trained_reading(model);
  const Data data = data_of(o, model, trained);
  const auto is_of_bits = [](const std::string& name) { return name.starts_with("bits_per_"); };
  const bool has_text = data != Data::id_lines && data != Data::id_files;
  for (const std::string& name : o.metrics) {
    if (!has_text && is_of_bits(name))
      throw UsageError("--metric: " + name + " is of texts, and ids have none");
  }
  LanguageModelEvaluator evaluator(
      model, {.stride = o.stride,
              .is_whole = data != Data::lines && data != Data::id_lines,
              .training_stride = trained.stride,
              .has_start = o.has_start,
              .batch_sequences = o.batch_sequences,
              .has_bits = has_text && std::ranges::any_of(metrics.of_model, is_of_bits)});
  switch (data) {
    case Data::lines:
      for_each_text(o, model.delimiter >= 0, [&](std::string_view line) { evaluator.add_text(line); });
      break;
    case Data::stream:
      for_each_text(o, model.delimiter >= 0, [&](std::string_view line) {
        evaluator.add_line_of_stream(line, trained.has_line_ends);
      });
      break;
    case Data::files:
      add_files(o, evaluator);
      break;
    case Data::id_lines:
      add_id_lines(o, model, evaluator);
      break;
    case Data::id_files:
      add_id_files(o, model, evaluator);
      break;
  }
  const LanguageModelFigures& figures = evaluator.finish();
  const LossTotals& totals = figures.totals;
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) +
                (figures.skipped > 0 ? ": no pair without an empty side (a measure needs one)"
                                     : ": no text of two tokens (a measure needs one)"));
  check_loss(totals);
  cli::note_unknown_tokens(figures.tokens, o.is_quiet);
  note_reading(o, data, figures, model);
  const std::string over =
      "over " + counted(totals.predicted, "token") + " of " + counted(figures.texts, "text");
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.of_model) {
    add_token_metric(rows, name, totals, {over, "line", figures.truncated.count()});
    if (name == "bits_per_byte") add_bits(rows, name, "byte", figures.bytes, figures);
    if (name == "bits_per_character") add_bits(rows, name, "character", figures.characters, figures);
    if (name == "unknown") rows.push_back(unknown_row({"", figures.tokens}));
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

void evaluate_masked_lm(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  const LoadedMaskedLm model = load_masked_lm(folder);
  MaskedReading reading = masked_reading(model);
  if (o.seed) reading.seed = *o.seed;
  MaskedLmEvaluator evaluator(model, reading, o.batch_sequences);
  if (o.has_ids) {
    const TokenDataset columns = read_id_lines(o, model.tokenizer, {"source"});
    for (std::int64_t i = 0; i < columns.examples(); ++i) evaluator.add_ids(columns.ids(0, i));
  } else {
    for_each_text(o, false, [&](std::string_view line) { evaluator.add_text(line); });
  }
  const MaskedLmFigures& figures = evaluator.finish();
  const LossTotals& totals = figures.totals;
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no text with a token (a measure needs one)");
  check_loss(totals);
  cli::note_unknown_tokens(figures.tokens, o.is_quiet);
  cli::note_truncated_lines(figures.truncated, model.length, o.is_quiet);
  const std::string over =
      "over " + counted(totals.predicted, "hidden token") + " of " + counted(figures.texts, "text");
  std::vector<ScoreRow> rows;
  for (const std::string& name : metrics.of_model) {
    add_token_metric(rows, name, totals, {over, "line", figures.truncated.count()});
    if (name == "unknown") rows.push_back(unknown_row({"", figures.tokens}));
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

}  // namespace headwater::evaluate
