#include "decoding/greedy.hpp"

#include <algorithm>

namespace headwater {

Greedy::Greedy(const OutputLayer& output, const GenerationSettings& settings)
    : output_(output), vocabulary_limit_(output.outputs()), suppress_tokens_(settings.suppress_tokens) {
  if (settings.vocabulary_limit > 0)
    vocabulary_limit_ = std::min<Index>(vocabulary_limit_, settings.vocabulary_limit);
}

void Greedy::choose(const ForwardContext& context, const Variable& hidden,
                    std::span<std::int32_t> next) const {
  kernels::ArgmaxWeight weight = context.packed->output();
  weight.packed.outputs = vocabulary_limit_;
  kernels::linear_argmax(hidden.value(), weight, output_.bias()->value.data, suppress_tokens_, next);
}

std::vector<std::vector<std::int32_t>> decode_greedily(const CachedModel& model, const Prompts& prompts,
                                                       const GenerationSettings& settings) {
  return Decoder(model).decode(prompts, Greedy(model.output_layer(), settings), settings);
}

}  // namespace headwater
