#include "families/translator/train_objective.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decoding/translate.hpp"
#include "families/tokenizer_files.hpp"
#include "families/train_task.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/evaluation.hpp"
#include "support/error.hpp"

namespace headwater {

TranslationObjective::TranslationObjective(EncoderDecoder& model, Subset train, Subset validation,
                                           double label_smoothing, TranslationMeasure measure)
    : model_(model),
      train_(std::move(train), {"source", "target"}),
      validation_(std::move(validation), {"source", "target"}),
      label_smoothing_(label_smoothing),
      measure_(measure) {}

TranslationObjective::Pair TranslationObjective::pair(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  const std::int64_t example = e.subset.at(i);
  return {e.ids(0, example), e.ids(1, example)};
}

std::int64_t TranslationObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::int64_t example = e.subset.at(i);
    sum += static_cast<std::int64_t>(e.count(0, example) + e.count(1, example)) - 1;
  }
  return sum;
}

void TranslationObjective::prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                                   BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear(split == Split::train && r_drop_ > 0);
  std::int64_t predicted = 0;
  to.longest = 0;
  for (Index i = 0; i < part.sequences; ++i) {
    const std::uint32_t example = chosen[i];
    Pair p = pair(split, example);
    if (split == Split::train) {
      p.source = resampling_[0].apply(p.source, epoch_, example, to.source);
      p.target = resampling_[1].apply(p.target, epoch_, example, to.target);
    }
    const std::int64_t choices = static_cast<std::int64_t>(p.target.size()) - 1;
    predicted += to.batch.copies() * choices;
    to.longest = std::max(to.longest, choices);
    if (i < part.begin()) {
      to.batch.skip(p.source, p.target);
    } else if (i < part.end()) {
      to.batch.add(p.source, p.target);
    }
  }
  to.batch.finish(part);
  to.loss_scale = 1.0 / static_cast<double>(predicted);
}

LossTotals TranslationObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const bool trains = split == Split::train;
  LossTotals totals = totals_of(model_.loss(context, packed.batch, trains ? label_smoothing_ : 0,
                                            packed.loss_scale, trains ? r_drop_ : 0),
                                packed.batch, model_.length());
  totals.batch_positions = totals.sequences * packed.longest;
  return totals;
}

namespace {

// Translates validation sentences a batch at a time, which bounds the memory and shows in nothing else.
std::vector<std::vector<std::int32_t>> greedy_translations(
    const LoadedTranslator& model, std::span<const std::vector<std::int32_t>> sources) {
  constexpr std::size_t kSentences = 64;
  GenerationSettings settings{.search = model.generation.decoding};
  settings.search.num_beams = 1;
  Translator translator(model, settings);
  std::vector<std::vector<std::int32_t>> targets;
  for (std::size_t begin = 0; begin < sources.size(); begin += kSentences) {
    const auto batch = sources.subspan(begin, std::min(kSentences, sources.size() - begin));
    for (std::vector<std::int32_t>& ids : translator.target_ids(batch)) targets.push_back(std::move(ids));
  }
  return targets;
}

}  // namespace

std::span<const Metric* const> TranslationMeasure::metrics() const {
  static const std::vector<const Metric*> kMetrics = [] {
    std::vector<const Metric*> metrics;
    for (const TextMetric& metric : text_metrics()) {
      if (metric.is_validated()) metrics.push_back(&metric);
    }
    return metrics;
  }();
  if (sentences_ == 0) return {};
  return kMetrics;
}

void TranslationMeasure::finish(const ColumnSubset& validation, ValidationFigures& figures) const {
  const auto examples = static_cast<std::int64_t>(validation.subset.count());
  const std::int64_t count = std::min(sentences_, examples);
  if (count == 0) return;
  const Tokenizer& target = model_->target_tokenizer;
  std::vector<std::vector<std::int32_t>> sources;
  std::vector<std::string> references, translations;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t example = validation.subset.at(static_cast<std::uint32_t>(i * examples / count));
    const auto source = validation.ids(0, example);
    sources.emplace_back(source.begin(), source.end());
    references.push_back(target.decode(validation.ids(1, example)));
  }
  for (const std::vector<std::int32_t>& ids : greedy_translations(*model_, sources))
    translations.push_back(target.decode(ids));
  const std::vector<std::vector<std::string>> reference_sets{std::move(references)};
  const TextMetricSettings settings;
  ScoredTexts texts(translations, reference_sets, settings);
  figures.figures.clear();
  for (const TextMetric& metric : text_metrics()) {
    if (metric.is_validated()) figures.figures.emplace_back(metric.score(texts).value);
  }
}

SubwordResampling::SubwordResampling(const Tokenizer& tokenizer, const SubwordSamplingSettings& settings,
                                     std::uint64_t seed, std::uint32_t column, std::int64_t max_length,
                                     const std::string& where)
    : is_on_(settings.dropout > 0 || settings.alpha > 0),
      tokenizer_(&tokenizer),
      sampling_{.dropout = settings.dropout, .alpha = settings.alpha},
      seed_(seed),
      column_(column),
      max_length_(static_cast<std::size_t>(max_length)) {
  if (!is_on_) return;
  const std::string type = tokenizer.model_type();
  const auto check = [&](double value, const char* key, const char* wanted) {
    if (value == 0 || type == wanted) return;
    throw UsageError("training.subword_sampling." + std::string(key) + ": " + where +
                     (type.empty() ? " is no " + std::string(wanted) + " tokenizer"
                                   : " is a " + type + " tokenizer, it is for " + wanted));
  };
  check(settings.dropout, "dropout", "BPE");
  check(settings.alpha, "alpha", "Unigram");
}

std::span<const std::int32_t> SubwordResampling::apply(std::span<const std::int32_t> ids, std::int64_t epoch,
                                                       std::uint32_t example,
                                                       std::vector<std::int32_t>& sampled) const {
  if (!is_on_) return ids;
  const SpecialIds special = tokenizer_->special_ids();
  const auto is_frame = [&](std::int32_t id) { return id == special.start || id == special.end; };
  std::span<const std::int32_t> words = ids;
  while (!words.empty() && is_frame(words.front())) words = words.subspan(1);
  const std::size_t head = words.data() - ids.data();
  while (!words.empty() && is_frame(words.back())) words = words.first(words.size() - 1);
  const std::string text = tokenizer_->decode(words);
  tokenizer_->encode(text, sampled);
  if (!std::equal(sampled.begin(), sampled.end(), words.begin(), words.end())) return ids;
  const auto step = static_cast<std::uint32_t>(2 * epoch + column_);
  tokenizer_->sample(text, sampling_,
                     {.seed = seed_, .purpose = Purpose::sample, .layer = example, .step = step}, sampled);
  if (sampled.empty() || sampled.size() + ids.size() - words.size() > max_length_) return ids;
  sampled.insert(sampled.begin(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(head));
  sampled.insert(sampled.end(), ids.begin() + static_cast<std::ptrdiff_t>(head + words.size()), ids.end());
  return sampled;
}

// --- The row of the registry -------------------------------------------------------------------------------

namespace {

// One file may stand for both sides where the recipe says that they share it.
Tokenizer load_target(const Recipe& recipe, const TaskFiles& given) {
  const bool is_source = recipe.shared_tokenizer && given.target_tokenizer.empty();
  return load_side(is_source ? given.source_tokenizer : given.target_tokenizer, "--target-tokenizer");
}

class EncoderDecoderTaskModel : public TaskModel {
 public:
  EncoderDecoderTaskModel(const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        translator_{.files = {},
                    .source_tokenizer = load_side(given.source_tokenizer, "--source-tokenizer"),
                    .target_tokenizer = load_target(recipe, given),
                    .model = std::make_unique<EncoderDecoder>(recipe.model.as<EncoderDecoderSettings>(),
                                                              recipe.source_tokenizer.size,
                                                              recipe.target_tokenizer.size),
                    .max_new_tokens = recipe.decoding.max_new_tokens,
                    .generation = {.decoding = recipe.decoding}} {
    if (lacks_source_ends(model_.settings(), source_)) {
      throw UsageError(
          given.source_tokenizer +
          ": has no [START] and [END], which model.source_special_tokens asks for (learn it with "
          "tokenize --learn ... --start-end)");
    }
    if (target_.start_id() < 0 || target_.end_id() < 0) {
      const bool are_swapped = source_.start_id() >= 0 && source_.end_id() >= 0;
      const bool is_source = given.target_tokenizer.empty();
      throw UsageError((is_source ? given.source_tokenizer : given.target_tokenizer) +
                       ": has no [START] and [END]" +
                       (are_swapped ? ", but " + given.source_tokenizer + " has (are the two swapped?)"
                                    : " (learn it with tokenize --learn ... --start-end)"));
    }
    if (shares_tables(model_.settings()) && source_.hash() != target_.hash()) {
      throw UsageError("model.share_embeddings: " + std::string(name_of(model_.settings().share_embeddings)) +
                       ": " + given.source_tokenizer + " and " + given.target_tokenizer +
                       " are two vocabularies (learn one from both columns with --start-end, or write "
                       "target_output)");
    }
    if (recipe.shared_tokenizer && source_.hash() != target_.hash()) {
      throw UsageError(given.target_tokenizer + ": another vocabulary than " + given.source_tokenizer +
                       ", and the recipe has shared_tokenizer: true (give both options one file)");
    }
    check_size(source_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    check_size(target_, recipe.target_tokenizer.size, given.target_tokenizer, target_section());
    translator_.ids = translation_ids(target_);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    return columns_in_order(translation_columns(source_, target_, model_.length()), recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    auto objective = std::make_unique<TranslationObjective>(
        model_, std::move(train), std::move(validation), recipe_.training.label_smoothing,
        TranslationMeasure(translator_, recipe_.training.validation_translations));
    const auto of = [&](const Tokenizer& tokenizer, std::uint32_t column, const char* name) {
      return SubwordResampling(tokenizer, recipe_.training.subword_sampling, recipe_.seed, column,
                               model_.length() + column, name);
    };
    objective->resample(of(source_, 0, "the source tokenizer"), of(target_, 1, "the target tokenizer"));
    objective->regularize(recipe_.training.r_drop);
    return objective;
  }
  std::vector<UsedRows> used_rows() const override {
    return {{"source_tokenizer", "source-tokenizer.json", source_.vocabulary_size()},
            {target_section(), "target-tokenizer.json", target_.vocabulary_size()}};
  }
  std::vector<DirectoryFile> files() const override {
    return translator_files(model_, source_, target_, recipe_.decoding);
  }

 private:
  // The recipe has no section for the target if both sides share a tokenizer.
  const char* target_section() const {
    return recipe_.shared_tokenizer ? "source_tokenizer" : "target_tokenizer";
  }

  const Recipe& recipe_;
  LoadedTranslator translator_;
  const Tokenizer &source_ = translator_.source_tokenizer, &target_ = translator_.target_tokenizer;
  EncoderDecoder& model_ = *translator_.model;
};

}  // namespace

std::unique_ptr<TaskModel> prepare_translation(const Recipe& recipe, const TaskFiles& given) {
  if (!given.labels.empty() || !given.terms.empty())
    throw UsageError("--labels and --terms are for recipes of classifiers");
  return std::make_unique<EncoderDecoderTaskModel>(recipe, given);
}

}  // namespace headwater
