// What the ways of evaluating share: texts.cpp; classifiers.cpp, which has labels of two files too;
// models.cpp with translators.cpp and language_model.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "data/token_dataset.hpp"
#include "families/model_directory.hpp"
#include "metrics/loss_totals.hpp"
#include "reports/classification_report.hpp"
#include "reports/run_report.hpp"
#include "reports/score_report.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/search/options.hpp"

namespace headwater::evaluate {

using Lines = std::vector<std::string>;

struct Options {
  std::string model, recipe, scale = "full";
  std::optional<Recipe> expecting;  // the recipe, once it was read
  std::vector<std::string> data;
  bool has_ids = false, has_reference_measure = false, has_scores = false;
  std::string labels_as;  // of ids: what the column of labels has
  std::int64_t batch_sequences = 64;

  std::int64_t stride = 0;  // of a language model: windows; 0: longer texts are truncated
  bool has_start = false, is_multiline = false, is_of_lines = false;
  std::optional<std::uint64_t> seed;  // of what is hidden from a masked language model; none: its recipe's
  search::DecodingOptions beams;      // of a translator; what is not given is as the model says

  std::string hypotheses;
  std::vector<std::string> references;

  std::string predictions, labels;

  double temperature = 1;
  bool fits_temperature = false;
  std::string reliability;             // where the picture goes
  std::vector<std::string> confusion;  // where the matrix goes: .csv, .svg

  std::vector<std::string> metrics;
  std::string tokenization = "13a", smoothing = "exp", isa = "auto";
  bool is_lowercased = false, is_stemmed = false, is_by_sentence = false, is_json = false, is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
  cli::KindOptions of_kinds;
};

// The kinds of models that options are of.
inline constexpr const char *kTranslator = "a translator", *kClassifier = "a classifier",
                            *kTextClassifier = "a classifier of texts", *kLanguageModel = "a language model",
                            *kMaskedLm = "a masked language model", *kImages = "a model of images",
                            *kTexts = "a model of texts";

// What is measured, checked before any file is read.
struct Metrics {
  std::vector<std::string> of_model;
  TextMetrics text;
};

// Throws UsageError for an option of scores that none of the metrics of texts reads.
void check_text_options(const Options& o, const Metrics& metrics);

// One text against another.
void evaluate_texts(const Options& o, const Metrics& metrics);
// Guessed labels against labels.
void evaluate_predictions(const Options& o);
// A model on data.
void evaluate_model(const Options& o, const Metrics& metrics);
void evaluate_translator(const Options& o, const ModelFolder& folder, const Metrics& metrics);
void evaluate_classifier(const Options& o, const ModelFolder& folder,
                         const Metrics& metrics);  // text, TAB, label on each line
void evaluate_vision_model(const Options& o, const ModelFolder& folder,
                           const Metrics& metrics);  // files that vectorize --images wrote
void evaluate_language_model(const Options& o, const ModelFolder& folder, const Metrics& metrics);
void evaluate_masked_lm(const Options& o, const ModelFolder& folder, const Metrics& metrics);

// The references of a translation as its tokenizer sees them, in JSON.
inline constexpr std::string_view kStandardized = "standardized";

// What is said of the loss of tokens: "over 7 tokens of 2 texts", and how many parts ("line", "side") were
// cut to what the model reads.
struct TokenMetricDetails {
  std::string over;
  std::string_view part;
  std::int64_t truncated = 0;
};

// What models share: lines of two columns, text and translation or label; figures that are no numbers are an
// error; what the recipe expects of the figures, as train writes it. `columns`: 3 of pairs of texts and their
// labels.
cli::LineReaderSettings lines_of_columns(const Options& o, std::size_t columns = 2);
// Throws UsageError for --column given again.
void check_one_column(const Options& o);
// use(line) for each line of texts, or of pairs of them; what it throws gets the line's place. Lines of one
// text with a TAB are refused.
void for_each_text(const Options& o, bool has_pairs, const std::function<void(std::string_view)>& use);
// The data as id lines of these columns of a tokenizer's ids, of any length.
TokenDataset read_id_lines(const Options& o, const Tokenizer& tokenizer,
                           std::initializer_list<std::string_view> columns);
// Whether the data are a file of columns of ids, which needs no --ids.
bool has_id_columns(const Options& o);
// As id lines of these columns, or a file of them.
TokenDataset read_id_columns(const Options& o, std::vector<TokenColumnSettings> columns);
// Says how many pairs with an empty side there were, where there were some.
void note_pairs_without_loss(std::int64_t pairs, bool is_quiet);
void check_loss(const LossTotals& totals);
// Adds the metric `name` where it follows from the loss of tokens: loss, accuracy, perplexity.
void add_token_metric(std::vector<ScoreRow>& rows, const std::string& name, const LossTotals& totals,
                      const TokenMetricDetails& details);
void write_expectations(const std::vector<ScoreRow>& rows, const Options& o);

void write(const std::vector<ScoreRow>& rows, bool is_json);
void write(const ClassificationReport& report, bool is_json);
// The reliability diagram and the confusion matrix, where they are asked for. Throws Error where no
// probabilities are known.
void write_pictures(const ClassificationReport& report, const Options& o, const std::string& title);
void write(const std::vector<JudgedExpectation>& judged, bool is_json);

}  // namespace headwater::evaluate
