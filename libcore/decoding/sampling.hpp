// The next token drawn at random.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "decoding/next_token.hpp"

namespace headwater {

struct TokenProbability {
  std::int32_t id;
  double probability;
};

// The tokens that may be drawn, with their probabilities, which sum to 1: in the order of ids where nothing
// is filtered out, else the most likely first, the smaller id first of equals. Logits of -infinity are never
// among them; empty where all are. `to`: the memory is used again. The same bits on every machine.
void token_probabilities(std::span<const Real> logits, const SamplingSettings& settings,
                         std::vector<TokenProbability>& to);

// What a repetition penalty changed: a token, and its logit before.
struct PenalizedLogit {
  std::int32_t id;
  Real logit;
};

// The logit of each token of the text is divided by the penalty where it is above 0, else multiplied (Keskar
// et al. 2019, as Hugging Face's library has it), once however often it occurs. Ids beyond the logits are
// passed over. `changed`: as it was before, in the order of the text.
void penalize_repetition(std::span<Real> logits, std::span<const std::int32_t> text, double penalty,
                         std::vector<PenalizedLogit>& changed);

// The random number of token `position` of text `number`, in [0, 1): from counters, so that neighbours do
// not matter.
double sampling_number(std::uint64_t seed, std::uint64_t number, std::int64_t position);

// The number of sample `sample` of line `line`, for the above: no two have the same.
inline constexpr std::int64_t kMaxSamples = std::int64_t{1} << 16;
inline constexpr std::uint64_t kMaxSampledLines = std::uint64_t{1} << 40;
constexpr std::uint64_t text_number(std::uint64_t line, std::uint64_t sample) {
  return sample * kMaxSampledLines + line % kMaxSampledLines;
}

class Sampler : public NextToken {
 public:
  explicit Sampler(const SamplingSettings& settings) : settings_(settings) {}
  bool reads_texts() const override { return settings_.repetition_penalty != 1; }
  // The log-probabilities are those of the model, before penalty, temperature and filters.
  void choose(const StepRows& rows, std::span<Chosen> chosen) const override;

 private:
  SamplingSettings settings_;
};

}  // namespace headwater
