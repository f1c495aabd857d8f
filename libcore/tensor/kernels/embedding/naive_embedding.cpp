// The naive form of look-ups in a table, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;

void embed(std::span<const std::int32_t> ids, ConstMatrix table, double scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y) {
  for (Index t = 0; t < y.rows; ++t) {
    const std::size_t token = t;
    auto row = array_of(y.row(t), y.cols);
    row = array_of(table.row(ids[token]), y.cols) * scale;
    if (positions) row += array_of(positions.row(position_of[token]), y.cols);
  }
}

void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, double scale, Matrix dtable,
                    bool accumulate) {
  if (!accumulate) {
    for (const std::int32_t id : ids) array_of(dtable.row(id), dtable.cols) = 0;
  }
  for (Index t = 0; t < dy.rows; ++t)
    array_of(dtable.row(ids[t]), dy.cols) += scale * array_of(dy.row(t), dy.cols);
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y) {
  naive::embed(ids, table, scale, position_of, positions, y);
}
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const ReductionTree&,
                    Matrix dtable, bool accumulate, std::span<std::int32_t>, std::span<std::int32_t>) {
  naive::embed_backward(ids, dy, scale, dtable, accumulate);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
