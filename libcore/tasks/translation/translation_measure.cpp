#include "tasks/translation/translation_measure.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "decoding/translate.hpp"

namespace headwater {

namespace {

// Translates validation sentences a batch at a time, which bounds the memory and shows in nothing else.
std::vector<std::vector<std::int32_t>> greedy_translations(
    const LoadedTranslator& model, std::span<const std::vector<std::int32_t>> sources) {
  constexpr std::size_t kSentences = 64;
  TranslationSettings settings{.decoding = model.generation.decoding};
  settings.decoding->num_beams = 1;
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

}  // namespace headwater
