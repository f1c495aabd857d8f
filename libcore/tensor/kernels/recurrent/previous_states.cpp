// Copies alone, which need no form of their own for doubles.
#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/recurrent/recurrent.hpp"

namespace headwater::kernels {

void previous_states(const Recurrence& recurrence, ConstMatrix y, Matrix previous) {
  const Index H = recurrence.width();
  parallel_for(recurrence.sequences(), [&](Index s) {
    for (Index step = 0; step < recurrence.length(s); ++step) {
      Real* const to = previous.row(recurrence.token(s, step));
      if (step > 0) {
        std::copy_n(y.row(recurrence.token(s, step - 1)), H, to);
      } else if (recurrence.initial) {
        std::copy_n(recurrence.initial.row(s), H, to);
      } else {
        std::fill_n(to, H, Real(0));
      }
    }
  });
}

}  // namespace headwater::kernels
