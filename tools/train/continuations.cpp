#include "tools/train/continuations.hpp"

#include <numeric>

#include "decoding/decoder.hpp"
#include "decoding/sampling.hpp"

namespace headwater::train {

std::vector<std::vector<std::int32_t>> drawn_continuations(const CachedModel& model,
                                                           std::span<const std::vector<std::int32_t>> prompts,
                                                           const ContinuationSettings& settings) {
  Prompts all;
  all.clear();
  for (const std::vector<std::int32_t>& prompt : prompts) all.add({}, prompt);
  all.finish();
  std::vector<std::uint64_t> numbers(prompts.size());
  std::iota(numbers.begin(), numbers.end(), settings.first_number);
  Decoder decoder(model);
  const Sampler sampler(
      model.output_layer(),
      {.temperature = settings.temperature, .top_k = settings.top_k, .seed = settings.seed});
  const std::vector<Hypotheses> written = decoder.decode(all,
                                                         {.end_id = settings.end_id,
                                                          .max_new_tokens = settings.max_new_tokens,
                                                          .suppress_tokens = settings.suppress_tokens,
                                                          .vocabulary_limit = settings.vocabulary_limit},
                                                         {sampler, numbers});
  std::vector<std::vector<std::int32_t>> continuations;
  for (const Hypotheses& hypotheses : written) continuations.push_back(hypotheses.front().ids);
  return continuations;
}

}  // namespace headwater::train
