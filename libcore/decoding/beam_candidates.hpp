// What may follow each live hypothesis of a beam search, the best first.
#pragma once

#include <cstdint>
#include <span>

#include "decoding/decoding_group.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

// What the rows may not choose, and what each has read (empty where nothing asks for it).
struct RowLimits {
  kernels::BannedColumns banned;
  std::span<const std::span<const std::int32_t>> texts;
};

// `hidden`: a row for each hypothesis. top and log_sums as kernels::linear_top gives them, after the
// repetition penalty and the renormalization that the settings ask for.
void find_candidates(const DecodingGroup& group, ConstMatrix hidden, const RowLimits& limits, Index count,
                     std::span<kernels::TopLogit> top, std::span<Real> log_sums);

}  // namespace headwater
