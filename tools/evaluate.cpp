// evaluate: how good a model is on data, or how close one text is to another. Manual: tools/evaluate.md.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "analysis/bleu.hpp"
#include "analysis/chrf.hpp"
#include "analysis/table.hpp"
#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace headwater {
namespace {

using Lines = std::vector<std::string>;

struct Options {
  std::string hypotheses;
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu", "chrf"};
  std::string tokenization = "13a", smoothing = "exp";
  bool is_lowercased = false, is_by_sentence = false, is_json = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

void describe(CLI::App& app, Options& o) {
  app.add_option("--hypotheses", o.hypotheses, "text to score, one line each; - is standard input")
      ->option_text("FILE");
  app.add_option("--references", o.references,
                 "what it should be, line for line; given again: further right answers")
      ->allow_extra_args(false)
      ->option_text("FILE");
  app.add_option("--metric", o.metrics, "bleu, chrf, chrf++; several separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--tokenize", o.tokenization, "of BLEU: 13a, none, intl or char")->capture_default_str();
  app.add_option("--smooth", o.smoothing, "of BLEU, for orders without a match: exp, floor, add-k or none")
      ->capture_default_str();
  app.add_flag("--lowercase", o.is_lowercased, "score lower-cased text");
  app.add_flag("--sentences", o.is_by_sentence,
               "one line of scores for each line of text, separated by tabs");
  app.add_flag("--json", o.is_json, "one JSON object a line");
  app.add_flag("--replace-invalid", o.reader.replace_invalid, "turn invalid UTF-8 and NUL into U+FFFD");
  cli::add_threads_option(app, o.threads);
}

// The metrics and their settings, checked before any file is read.
struct Scores {
  std::vector<std::string> metrics;
  BleuSettings bleu;
  ChrfSettings chrf, chrf_plus_plus;
};

Scores scores_of(const Options& o) {
  Scores scores{.metrics = o.metrics, .bleu = {}, .chrf = {}, .chrf_plus_plus = {}};
  for (const std::string& metric : o.metrics) {
    if (metric != "bleu" && metric != "chrf" && metric != "chrf++") {
      throw UsageError("--metric: unknown metric " + quote(metric) + " (bleu, chrf or chrf++)");
    }
  }
  const auto tokenization = bleu_tokenization(o.tokenization);
  if (!tokenization)
    throw UsageError("--tokenize: unknown tokenization " + quote(o.tokenization) +
                     " (13a, none, intl or char)");
  const auto smoothing = bleu_smoothing(o.smoothing);
  if (!smoothing)
    throw UsageError("--smooth: unknown smoothing " + quote(o.smoothing) + " (exp, floor, add-k or none)");
  scores.bleu = {.tokenization = *tokenization, .smoothing = *smoothing, .is_lowercased = o.is_lowercased};
  scores.chrf.is_lowercased = scores.chrf_plus_plus.is_lowercased = o.is_lowercased;
  scores.chrf_plus_plus.word_order = 2;
  return scores;
}

Lines read_all(const std::string& path, const cli::LineReaderSettings& settings) {
  cli::LineReader reader({path}, settings);
  Lines lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

// One result: a row of the table, or an object.
struct Result {
  std::string name, value;
  std::vector<std::string> details;
  Json json;
};

Json json_of(std::string_view metric, std::string_view signature, double score) {
  Json json;
  json.set("version", 1).set("metric", metric).set("score", score).set("signature", signature);
  return json;
}

Result bleu_result(const Lines& hypotheses, const std::vector<Lines>& references,
                   const BleuSettings& settings) {
  const BleuScore score = corpus_bleu(hypotheses, references, settings);
  const std::string signature = bleu_signature(settings, references.size());
  const std::string line = bleu_line(score);
  Result result{"BLEU",
                format_fixed(score.score, 2),
                {line.substr(line.find(' ', line.find("= ") + 2) + 1), signature},
                {}};
  result.json = json_of("bleu", signature, score.score);
  Json::Array precisions, counts, totals;
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    precisions.emplace_back(score.precisions[n]);
    counts.emplace_back(score.counts[n]);
    totals.emplace_back(score.totals[n]);
  }
  result.json.set("precisions", precisions).set("counts", counts).set("totals", totals);
  result.json.set("brevity_penalty", score.brevity_penalty);
  result.json.set("hypothesis_length", score.hypothesis_length)
      .set("reference_length", score.reference_length);
  return result;
}

Result chrf_result(const Lines& hypotheses, const std::vector<Lines>& references,
                   const ChrfSettings& settings) {
  const double score = corpus_chrf(hypotheses, references, settings);
  const std::string signature = chrf_signature(settings, references.size());
  return {chrf_name(settings),
          format_fixed(score, 2),
          {signature},
          json_of(settings.word_order > 0 ? "chrf++" : "chrf", signature, score)};
}

std::vector<Result> score(const Lines& hypotheses, const std::vector<Lines>& references,
                          const Scores& scores) {
  std::vector<Result> results;
  for (const std::string& metric : scores.metrics) {
    if (metric == "bleu") {
      results.push_back(bleu_result(hypotheses, references, scores.bleu));
    } else {
      results.push_back(
          chrf_result(hypotheses, references, metric == "chrf" ? scores.chrf : scores.chrf_plus_plus));
    }
  }
  return results;
}

void write(const std::vector<Result>& results, bool is_json, cli::LineWriter& out) {
  if (is_json) {
    for (const Result& result : results) out.line(result.json.dump());
    return;
  }
  Table table({{"metric"}, {"value", Table::Align::right}, {"details"}});
  for (const Result& result : results) {
    table.add_row({result.name, result.value, result.details.empty() ? "" : result.details.front()});
    for (std::size_t i = 1; i < result.details.size(); ++i) table.add_row({"", "", result.details[i]});
  }
  out.text(table.text());
}

// A line of scores for each line of text, in the order of --metric.
void write_sentences(const Lines& hypotheses, const std::vector<Lines>& references, const Scores& scores,
                     bool is_json, cli::LineWriter& out) {
  std::vector<std::vector<double>> columns;
  for (const std::string& metric : scores.metrics) {
    if (metric == "bleu") {
      columns.emplace_back();
      for (const BleuScore& s : sentence_bleu(hypotheses, references, scores.bleu))
        columns.back().push_back(s.score);
    } else {
      columns.push_back(
          sentence_chrf(hypotheses, references, metric == "chrf" ? scores.chrf : scores.chrf_plus_plus));
    }
  }
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Json json;
    json.set("version", 1).set("line", static_cast<std::uint64_t>(i + 1));
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      line += (c == 0 ? "" : "\t") + format_fixed(columns[c][i], 2);
      json.set(scores.metrics[c], columns[c][i]);
    }
    out.line(is_json ? json.dump() : line);
  }
}

void evaluate_texts(const Options& o) {
  const Scores scores = scores_of(o);
  if (o.hypotheses.empty())
    throw UsageError("--hypotheses is missing (give the file that the references are for)");
  if (o.references.empty())
    throw UsageError("--references is missing (give the file that the hypotheses should equal)");
  const auto from_standard_input =
      std::count(o.references.begin(), o.references.end(), "-") + (o.hypotheses == "-" ? 1 : 0);
  if (from_standard_input > 1)
    throw UsageError("standard input is named " + std::to_string(from_standard_input) +
                     " times (it can be read once)");

  const Lines hypotheses = read_all(o.hypotheses, o.reader);
  std::vector<Lines> references;
  for (const std::string& path : o.references) {
    references.push_back(read_all(path, o.reader));
    if (references.back().size() != hypotheses.size()) {
      throw Error(path + ": " + std::to_string(references.back().size()) + " lines, but " + o.hypotheses +
                  " has " + std::to_string(hypotheses.size()) +
                  " (line i of one belongs to line i of the other)");
    }
  }
  if (hypotheses.empty()) throw Error(o.hypotheses + ": no lines (a score needs at least one)");
  cli::LineWriter out;
  ThreadPool(o.threads).run([&] {
    if (o.is_by_sentence) {
      write_sentences(hypotheses, references, scores, o.is_json, out);
    } else {
      write(score(hypotheses, references, scores), o.is_json, out);
    }
  });
  out.flush();
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  Options options;
  const cli::ToolDescription tool{
      "evaluate", "measure a model on data, or one text against another",
      "evaluate --hypotheses translated.txt --references right.txt\n"
      "translate models/spa-eng < test.en | evaluate --hypotheses - --references test.es --json"};
  return cli::tool_main(
      argc, argv, tool, [&](CLI::App& app) { describe(app, options); }, [&] { evaluate_texts(options); });
}
