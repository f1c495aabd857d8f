#include <string>

#include "autograd/ops.hpp"
#include "support/error.hpp"

namespace headwater::ops {

Variable flatten(Tape& tape, const Variable& x, const Packing& packing) {
  const Packing& of_x = x.packing();
  const Index sequences = of_x.sequences(), length = sequences > 0 ? of_x.tokens() / sequences : 0;
  for (Index s = 0; s < sequences; ++s) {
    const Index here =
        of_x.offsets[static_cast<std::size_t>(s) + 1] - of_x.offsets[static_cast<std::size_t>(s)];
    if (here != length) {
      throw Error("flatten: sequence " + std::to_string(s) + " has " + std::to_string(here) +
                  " tokens, the others " + std::to_string(length));
    }
  }
  if (packing.tokens() != sequences) {
    throw Error("flatten: a packing of " + std::to_string(packing.tokens()) + " rows for " +
                std::to_string(sequences) + " sequences");
  }
  const Index width = length * x.cols();
  const Variable y = tape.wrap(Matrix(x.value().data, sequences, width), &packing, x.needs_gradient());
  tape.record("flatten", y,
              [&tape, x](Matrix dy) { tape.accumulate(x, Matrix(dy.data, x.rows(), x.cols())); });
  return y;
}

}  // namespace headwater::ops
