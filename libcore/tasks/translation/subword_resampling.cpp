#include "tasks/translation/subword_resampling.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {
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
  const auto head = static_cast<std::size_t>(words.data() - ids.data());
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

}  // namespace headwater
