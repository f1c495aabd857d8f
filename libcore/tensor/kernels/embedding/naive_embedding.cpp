// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/embedding/naive_embedding.hpp"

namespace headwater::kernels {

void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y) {
  naive::embed<Real>(ids, table, scale, position_of, positions, y);
}
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const FoldPlan&,
                    Matrix dtable, bool accumulate, std::span<std::int32_t>, std::span<std::int32_t>) {
  naive::embed_backward<Real>(ids, dy, scale, dtable, accumulate);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
