// evaluate: how good a model is on data, or how close one text is to another. Manual: tools/evaluate.md.

#include "tools/evaluate/evaluate.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "metrics/registry.hpp"
#include "reports/classification_report.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/parallel.hpp"
#include "support/split.hpp"
#include "tensor/kernels/isa.hpp"

namespace headwater::evaluate {

namespace {

// The words of --metric for texts: a family by its word.
std::vector<std::string_view> text_words() {
  std::vector<std::string_view> words;
  for (const TextMetric& metric : text_metrics()) {
    const std::string_view word = metric.family.empty() ? metric.name : metric.family;
    if (words.empty() || words.back() != word) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> family(std::string_view word) {
  std::vector<std::string_view> names;
  for (const TextMetric& metric : text_metrics()) {
    if (metric.family == word) names.push_back(metric.name);
  }
  return names;
}

std::string metrics_in_words() {
  std::string texts;
  for (const std::string_view word : text_words()) {
    texts.append(texts.empty() ? "" : ", ").append(word);
    if (const auto names = family(word); !names.empty()) texts += " (" + joined(names) + ")";
  }
  return "of a model: " +
         joined(metric_names({MetricOf::models, MetricOf::token_models, MetricOf::vocabularies})) +
         "; of language models " + joined(metric_names({MetricOf::language_models})) + "; of classifiers " +
         joined(metric_names({MetricOf::classifiers})) + "; of translations and texts: " + texts +
         "; separated by commas";
}

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (const auto& names : {metric_names({MetricOf::models, MetricOf::token_models, MetricOf::vocabularies,
                                          MetricOf::language_models, MetricOf::classifiers}),
                            text_words()})
    words.insert(words.end(), names.begin(), names.end());
  return words;
}

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory or checkpoint").shown_as("[MODEL]").reads_model();
  line.add_option(
          "data", o.data,
          "what to measure it on, a line each: source, TAB, target; or text, TAB, label; or text; - or none: "
          "standard input; of images: files of vectorize --images")
      .shown_as("[DATA...]")
      .reads_lines("the examples", "--hypotheses --predictions");
  line.group("Input");
  line.add_flag("--ids", o.has_ids,
                "the data are id lines, as `train` reads them; a header line of `vectorize --header` is "
                "checked. Labels are names, or ids as `vectorize --labels` writes them");
  line.add_option("--labels-as", o.labels_as,
                  "what the column of labels has, with --ids; needed if a name is another label's id, unless "
                  "a header line or a file of columns says it")
      .one_of({"names", "ids"})
      .needs("--ids", "the labels of texts are names");
  line.add_flag("--multiline", o.is_multiline, "each file is one text, with a line end after each line")
      .goes_without("--ids", "one at a time");
  line.add_flag("--lines", o.is_of_lines,
                "each line is one text, also if the model has learned from one long text")
      .goes_without("--ids --multiline", "one at a time");
  line.add_flag("--start", o.has_start,
                "put the start token before each text, so that its first token is predicted, too");
  line.group("Scores");
  line.add_option("--stride", o.stride,
                  "read long texts in windows that move on by N tokens, 1 to the model's length "
                  "([below](#language-models))")
      .between(1, 1e6);
  line.add_option("--seed", o.seed, "which tokens are hidden (the seed of the model's recipe, or 1)");
  line.add_flag("--reference-measure", o.has_reference_measure,
                "also loss and accuracy as the source of the recipe counts: the loss over real tokens "
                "divided by all positions, and the pad after each end token counted as right");
  line.group("Search");
  o.beams.describe(line, search::is_of_beams);
  line.group("Speed");
  line.add_option("--batch", o.batch_sequences, "examples measured at a time; a matter of speed")
      .between(1, 65536)
      .with_default();
  line.group("Scores");
  line.add_option("-r,--recipe", o.recipe,
                  "also print which of this recipe's expectations about test data were met")
      .reads();
  line.add_option("--scale", o.scale, "of the recipe: quick is its cut-down version")
      .offers({"full", "quick"})
      .with_default()
      .goes_with("--recipe");
  line.group("Input");
  line.add_option("--hypotheses", o.hypotheses, "the text to score, one line each; - is standard input")
      .reads()
      .goes_without("model", "one at a time");
  line.add_option("--references", o.references,
                  "the right text, line for line; given again, each file is a further right answer")
      .one_value_each()
      .reads()
      .goes_without("model", "one at a time")
      .needs("--hypotheses", "the file that they are for");
  line.add_option("--predictions", o.predictions,
                  "the labels to score, one a line: a label, or label, TAB, probability, as `classify --top` "
                  "writes them ([below](#labels)); - is standard input")
      .reads()
      .needs("--labels", "those that are right, one a line");
  line.add_option("--labels", o.labels, "the right labels, line for line")
      .reads()
      .needs("--predictions", "the file that they are for");
  line.goes_without("--predictions --labels", "model --hypotheses --references", "one at a time");
  line.group("Scores");
  line.add_option("--metric", o.metrics, metrics_in_words())
      .list(',')
      .shown_as("NAMES")
      .offers(metric_words())
      .checked([](const std::string& name) {
        const std::vector<std::string> known = metric_words();
        if (find_metric(name) == nullptr && family(name).empty())
          throw Error(unknown_word("metric", name, {known.begin(), known.end()}));
      })
      .goes_without("--predictions", "all figures are written");
  line.add_option("--tokenize", o.tokenization, "of BLEU, distinct and repetition")
      .one_of({"13a", "none", "intl", "char"})
      .with_default();
  line.add_flag("--stem", o.is_stemmed,
                "of ROUGE: words of more than three letters count by their stems (Porter)");
  line.add_option("--smooth", o.smoothing, "of BLEU, for orders without a match")
      .one_of({"exp", "floor", "add-k", "none"})
      .with_default();
  line.add_flag("--lowercase", o.is_lowercased, "lower-case both sides first (Unicode); ROUGE always does");
  line.add_option("--temperature", o.temperature,
                  "measure its probabilities at this temperature, as `classify --temperature` writes them "
                  "([below](#calibration))")
      .between(kLeastTemperature, kGreatestTemperature)
      .shown_as("T");
  line.add_flag("--fit-temperature", o.fits_temperature,
                "also find the temperature of least loss on these data, at best validation data, with its "
                "loss and ECE")
      .goes_without("--temperature", "one at a time");
  line.group("Output");
  line.add_option("--reliability", o.reliability, "draw how often the confidence in a label comes true (SVG)")
      .writes_beside("the table");
  line.add_option("--confusion", o.confusion,
                  "how often each label was taken for each: a table (FILE.csv), a line for each label and a "
                  "column for each predicted one, or a picture (FILE.svg) of at most 500 labels; may be "
                  "given twice, for both")
      .one_value_each()
      .writes_beside("the table")
      .checked([](const std::string& file) {
        if (!file.ends_with(".csv") && !file.ends_with(".svg"))
          throw Error(quote(file) + " ends neither in .csv, a table, nor in .svg, a picture");
      });
  line.add_flag("--sentences", o.is_by_sentence,
                "the scores of each line, separated by TABs, in the order of --metric; BLEU with effective "
                "order, of ROUGE F1")
      .goes_with("--hypotheses");
  line.add_flag(
          "--scores", o.has_scores,
          "of each pair, its target's log-probability, a TAB, and the number of the target's tokens, the "
          "end token counted; both are empty if a side is empty")
      .goes_without("--ids --metric --recipe --reference-measure --tokenize --stem --smooth --lowercase " +
                    o.beams.names());
  line.add_flag("--json", o.is_json, "one JSON object a line, each with `\"version\": 1`");
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader, cli::Columns::any);
  line.goes_without("--csv --column", "--predictions --labels --ids --multiline", "it is of lines of text");
  const std::vector<std::pair<const char*, std::string>> of_models = {
      {kTranslator, "--scores --reference-measure " + o.beams.names()},
      {kTextClassifier, "--labels-as"},
      {kClassifier, "--temperature --fit-temperature"},
      {kLanguageModel, "--stride --start --multiline --lines"},
      {kMaskedLm, "--seed"},
      {kTexts, "--ids"}};
  for (const auto& [kind, options] : of_models) {
    line.is_of(options, kind, o.of_kinds);
    line.goes_with(options, "model", "evaluate MODEL DATA");
  }
  // These are for texts and labels alone, too.
  const std::vector<std::pair<const char*, std::string>> of_data = {
      {kTranslator, "--lowercase --stem --tokenize --smooth"},
      {kClassifier, "--reliability --confusion"},
      {kTexts, "--csv --column"}};
  for (const auto& [kind, options] : of_data) {
    line.is_of(options, kind, o.of_kinds);
    for (const std::string_view name : split(options, ' '))
      line.option(name).note("with MODEL only for " + std::string(kind));
  }
  line.goes_with("--reliability --confusion", "model --predictions");
  line.goes_with("--recipe", "model");
  line.needs_any("model --hypotheses --predictions",
                 "nothing to evaluate (name a model and data, or --hypotheses and --references, or "
                 "--predictions and --labels)");
  o.reader.csv_fix.clear();  // of lines of one text alone
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::vector<std::string_view> of_any_text_model() {
  return metric_names(
      {MetricOf::models, MetricOf::token_models, MetricOf::language_models, MetricOf::vocabularies});
}

Metrics metrics_of(const Options& o) {
  Metrics metrics;
  for (const std::string& name : o.metrics) {
    const std::vector<std::string_view> of_family = family(name);
    const TextMetric* const text = find_text_metric(name);
    const bool is_of_model = text == nullptr && of_family.empty(),
               is_of_links = text != nullptr && text->needs == TextMetricNeeds::links;
    if (o.model.empty() ? is_of_model : is_of_links)
      throw UsageError(
          "--metric: " + name +
          (is_of_model
               ? " is measured of a model (evaluate MODEL DATA)"
               : " is of lines of links, not of what a model writes (give --hypotheses and --references)"));
    std::vector<std::string>& names = is_of_model ? metrics.of_model : metrics.text.names;
    if (of_family.empty())
      names.push_back(name);
    else
      names.insert(names.end(), of_family.begin(), of_family.end());
  }
  if (o.metrics.empty()) {
    metrics.text.names = {"bleu", "chrf"};
    if (!o.model.empty()) {
      for (const std::string_view name : of_any_text_model()) metrics.of_model.emplace_back(name);
    }
  }
  const BleuTokenization tokenization = bleu_tokenization(o.tokenization).value();
  metrics.text.bleu = {.tokenization = tokenization,
                       .smoothing = bleu_smoothing(o.smoothing).value(),
                       .is_lowercased = o.is_lowercased};
  metrics.text.chrf.is_lowercased = metrics.text.chrf_plus_plus.is_lowercased = o.is_lowercased;
  metrics.text.rouge.is_stemmed = o.is_stemmed;
  metrics.text.diversity = {.tokenization = tokenization, .is_lowercased = o.is_lowercased};
  return metrics;
}

void run(const Options& o) {
  const Metrics metrics = metrics_of(o);
  const bool has_texts = !o.hypotheses.empty() || !o.references.empty();
  const bool has_labels = !o.predictions.empty() || !o.labels.empty();
  cli::check_ending(o.reliability, "--reliability", "svg");
  if (!o.reliability.empty()) cli::check_result_file(o.reliability);
  for (const std::string& file : o.confusion) cli::check_result_file(file);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  if (has_labels) {
    evaluate_predictions(o);
    return;
  }
  ThreadPool(o.threads).run([&] { has_texts ? evaluate_texts(o, metrics) : evaluate_model(o, metrics); });
}

}  // namespace

void check_text_options(const Options& o, const Metrics& metrics) {
  const Options usual;
  const auto check = [&](bool is_given, const char* option, std::initializer_list<std::string_view> of) {
    const auto is_of_these = [&](const std::string& name) {
      return std::ranges::any_of(of, [&](std::string_view begin) { return name.starts_with(begin); });
    };
    if (!is_given || std::ranges::any_of(metrics.text.names, is_of_these)) return;
    throw UsageError(std::string(option) + " is of " + listed(of) + ", which --metric does not name");
  };
  check(o.is_stemmed, "--stem", {"rouge"});
  check(o.tokenization != usual.tokenization, "--tokenize", {"bleu", "distinct", "repetition"});
  check(o.smoothing != usual.smoothing, "--smooth", {"bleu"});
  check(o.is_lowercased, "--lowercase", {"bleu", "chrf", "distinct", "repetition"});
}

void write(const std::vector<ScoreRow>& rows, bool is_json) {
  cli::LineWriter out;
  out.text(scores_text(rows, is_json));
  out.flush();
}

void write(const ClassificationReport& report, bool is_json) {
  cli::LineWriter out;
  if (is_json) {
    report.write_json([&](std::string_view text) { out.text(text); });
  } else {
    out.text(report.text());
  }
  out.flush();
}

void write(const std::vector<JudgedExpectation>& judged, bool is_json) {
  cli::LineWriter out;
  out.text(expectations_text(judged, is_json));
  out.flush();
}

void write_pictures(const ClassificationReport& report, const Options& o, const std::string& title) {
  for (const std::string& file : o.confusion) {
    cli::write_result_file(file, [&](const cli::TakePiece& take) {
      file.ends_with(".csv") ? write_confusion_csv(report, take) : take(confusion_svg(report, title));
    });
  }
  if (o.reliability.empty()) return;
  if (!report.calibration)
    throw Error(
        "no probabilities, which --reliability draws (a prediction is a label, TAB, its probability)");
  cli::write_result_file(o.reliability, reliability_svg(*report.calibration, title));
}

}  // namespace headwater::evaluate

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::evaluate;
  const cli::ToolDescription tool{
      "evaluate", "measure a model on data, or one text against another",
      "evaluate models/spa-eng test.tsv\n"
      "evaluate models/imdb-encoder reviews.tsv\n"
      "evaluate --hypotheses translated.txt --references right.txt\n"
      "translate models/spa-eng < test.en | evaluate --hypotheses - --references test.es --json"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
