// Translators: the loss of pairs, and scores of their translations.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "cli/progress.hpp"
#include "cli/tool.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/translate.hpp"
#include "families/translator/evaluation.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/evaluate/evaluate.hpp"

namespace headwater::evaluate {
namespace {

// What the references of a score are, in JSON, beside kStandardized.
constexpr std::string_view kRaw = "raw", kLowercased = "lowercased";

TranslationExamples read_texts(const Options& o, const LoadedTranslator& model) {
  TranslationExamples examples;
  cli::LineReader reader(o.data, lines_of_columns(o));
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) {
    try {
      examples.add_text(line, model);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
  if (!o.is_quiet) reader.note_dropped();
  if (examples.sources.empty())
    throw Error((o.data.empty() ? "-" : o.data.front()) + ": no lines (a measure needs at least one)");
  return examples;
}

std::vector<ScoreRow> loss_rows(const LossTotals& totals, const TranslationExamples& examples,
                                const Options& o, const Metrics& metrics) {
  if (totals.predicted == 0)
    throw Error((o.data.empty() ? "-" : o.data.front()) +
                ": no pair with words on both sides (a loss needs one)");
  check_loss(totals);
  std::vector<ScoreRow> rows;
  const std::string over =
      "over " + counted(totals.predicted, "target token") + " of " + counted(totals.sequences, "pair");
  for (const std::string& name : metrics.of_model) {
    add_token_metric(rows, name, totals, {over, "side", examples.truncated});
    if (name == "unknown") {
      rows.push_back(unknown_row({"source", examples.source_tokens}));
      rows.push_back(unknown_row({"target", examples.target_tokens}));
    }
  }
  if (o.has_reference_measure) {
    rows.push_back(
        score_row("reference_loss", totals.reference_loss(), 4, "divided by all positions, padded ones too"));
    rows.push_back(score_row("reference_accuracy", totals.reference_accuracy(), 4,
                             "the pad after the end token counted as right"));
  }
  return rows;
}

// A line for each line of data.
void write_scores(const LoadedTranslator& model, const TranslationExamples& examples, const Options& o) {
  Arena arena;
  cli::Progress progress("score", static_cast<double>(examples.pairs.size()), "lines", o.is_quiet);
  const std::vector<TargetScore> scores = score_targets(
      *model.model, arena, examples.pairs, o.batch_sequences,
      [&](std::int64_t done) { progress.update(static_cast<double>(done), static_cast<double>(done), ""); });
  progress.clear();
  cli::LineWriter out;
  for (std::size_t line = 0, i = 0; line < examples.sources.size(); ++line) {
    const bool has_score = i < scores.size() && examples.lines[i] == line;
    const TargetScore score = has_score ? scores[i++] : TargetScore();
    if (!std::isfinite(score.log_probability))
      throw Error("pair " + std::to_string(line + 1) + ": " + kOutputNotFinite);
    if (o.is_json) {
      Json json;
      json.set("version", 1).set("line", static_cast<std::uint64_t>(line + 1));
      json.set("log_probability", has_score ? Json(score.log_probability) : Json());
      out.line(json.set("tokens", score.tokens).dump());
    } else {
      out.line(has_score ? format_fixed(score.log_probability, 6) + '\t' + std::to_string(score.tokens)
                         : "\t");
    }
  }
  out.flush();
}

// A line for each source; an empty source gives an empty line.
Lines translate(const LoadedTranslator& model, const GenerationSettings& settings,
                const TranslationExamples& examples, const Options& o) {
  Translator translator(model, settings);
  const std::span sources(examples.sources);
  const std::size_t batch = o.batch_sequences;
  Lines translations;
  cli::Progress progress("translate", static_cast<double>(sources.size()), "lines", o.is_quiet);
  while (translations.size() < sources.size()) {
    const std::size_t begin = translations.size();
    try {
      for (std::string& translation :
           translator.translate_ids(sources.subspan(begin, std::min(batch, sources.size() - begin))))
        translations.push_back(std::move(translation));
    } catch (const LineError& error) {
      throw Error("pair " + std::to_string(begin + error.line + 1) + ": " + error.what());
    }
    const auto done = static_cast<double>(translations.size());
    progress.update(done, done, "");
  }
  progress.clear();
  return translations;
}

// Those that depend on capitals, of lower-cased text.
TextMetrics lowercased(TextMetrics metrics) {
  std::erase_if(metrics.names, [](const std::string& name) {
    return find_text_metric(name)->needs != TextMetricNeeds::references;
  });
  metrics.bleu.is_lowercased = metrics.chrf.is_lowercased = metrics.chrf_plus_plus.is_lowercased = true;
  return metrics;
}

}  // namespace

void evaluate_translator(const Options& o, const ModelFolder& folder, const Metrics& metrics) {
  check_text_options(o, metrics);
  const LoadedTranslator model = load_translator(folder);
  GenerationSettings settings{.search = model.generation.decoding,
                              .compute_type = folder.is_quantized ? ComputeType::int8 : ComputeType::float32};
  o.beams.put_over(settings.search);
  if (!o.beams.any()) settings.sampling = sampling_of_files(model.generation);
  TranslationExamples examples;
  std::optional<TokenDataset> columns;
  if (o.has_scores && o.has_ids)
    throw UsageError("--scores is of lines of text, not of a file of ids (give source, TAB, target)");
  if (o.has_ids) {
    columns.emplace(read_id_columns(
        o, translation_columns(model.source_tokenizer, model.target_tokenizer, model.model->length())));
    examples.add_ids(*columns, model, !metrics.text.names.empty());
  } else {
    examples = read_texts(o, model);
  }
  if (examples.truncated > 0)
    cli::warn(counted(examples.truncated, "side") + (examples.truncated == 1 ? " was" : " were") +
                  " truncated to the model's length" + examples.truncated_lines.numbers(),
              o.is_quiet);
  note_pairs_without_loss(examples.skipped, o.is_quiet);
  const std::vector<ColumnTokenCounts> sides{{"source", examples.source_tokens},
                                             {"target", examples.target_tokens}};
  cli::note_unknown_tokens(sides, o.is_quiet);
  if (o.has_scores) return write_scores(model, examples, o);

  Arena arena;
  std::vector<ScoreRow> rows;
  if (!metrics.of_model.empty() || o.has_reference_measure) {
    const std::int64_t count = columns ? columns->examples() : std::ssize(examples.pairs);
    cli::Progress progress("loss", static_cast<double>(count), "lines", o.is_quiet,
                           cli::Progress::Takes::minutes);
    const auto pair_at = [&](std::int64_t i) -> IdPairView {
      if (columns) return {columns->ids(0, i), columns->ids(1, i)};
      const IdPair& pair = examples.pairs[i];
      return {pair.source, pair.target};
    };
    const LossTotals totals =
        evaluate_pairs(*model.model, arena, count, pair_at, o.batch_sequences, [&](std::int64_t done) {
          progress.update(static_cast<double>(done), static_cast<double>(done), "");
        });
    rows = loss_rows(totals, examples, o, metrics);
  }
  if (!metrics.text.names.empty()) {
    const Lines translations = translate(model, settings, examples, o);
    const auto add = [&](const Lines& references, const TextMetrics& text, std::string_view kind,
                         std::string_view detail) {
      for (ScoreRow& row : text_rows(translations, std::span(&references, 1), text)) {
        // The signature of changed references would pass for that of published figures.
        if (kind == kStandardized) row.details.pop_back();
        if (find_text_metric(row.json.at("metric").as_string())->needs != TextMetricNeeds::nothing) {
          row.details.insert(row.details.begin(), std::string(detail));
          row.json.set("references", kind);
        }
        rows.push_back(std::move(row));
      }
    };
    // The figure that a reader of the translations would find comes first.
    TextMetrics against_standardized = metrics.text;
    if (!o.has_ids) {
      std::erase_if(against_standardized.names, [](const std::string& name) {
        return find_text_metric(name)->needs == TextMetricNeeds::nothing;
      });
      add(examples.raw_references, metrics.text, kRaw, "against the references as they are");
      if (!o.is_lowercased) {
        add(examples.raw_references, lowercased(metrics.text), kLowercased,
            "against the same, both sides lower-cased");
      }
    }
    add(examples.references, against_standardized, kStandardized,
        "against the references as the tokenizer sees them (changed, so it has no sacreBLEU signature)");
  }
  write(rows, o.is_json);
  write_expectations(rows, o);
}

}  // namespace headwater::evaluate
