// Which source token each target token was made from, by the attention of the decoder to the source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "families/translator/model.hpp"

namespace headwater {

// Throws UsageError, naming the option, where the model has no such layer or head.
void check_alignment(const EncoderDecoder& model, const AlignmentSettings& settings,
                     std::string_view layer_option = "--alignment-layer",
                     std::string_view head_option = "--alignment-head");

struct AlignedPair {
  std::span<const std::int32_t> source, target;  // the target begins with the start token; neither is empty
  // The source tokens that are looked for, from begin to end - 1; of none all are.
  Index begin = 0, end = 0;
};

// For each of the settings, each pair and each token of the target but the start token: the source token with
// the greatest weight when the decoder chose it, the first of equals; none where a weight is no number. Each
// pair is read whole, for itself.
std::vector<std::vector<std::vector<Index>>> align(const EncoderDecoder& model, Arena& arena,
                                                   std::span<const AlignedPair> pairs,
                                                   std::span<const AlignmentSettings> settings);

}  // namespace headwater
