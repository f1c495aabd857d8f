// An image with the attention that its patches get laid over it as heat.
#pragma once

#include <span>

#include "families/vision/attention.hpp"
#include "reports/picture.hpp"

namespace headwater {

// `image` as the model reads it; `weights` [tokens], a class token's is passed over. Each pixel of the image
// becomes factor x factor; its colours become grey under the heat, which goes from the least to the largest
// weight, linearly between the centres of patches. Pixels in no patch stay grey.
Picture attention_overlay(const Picture& image, std::span<const double> weights, const PatchTokens& tokens,
                          std::int64_t patch_size, std::int64_t factor);

}  // namespace headwater
