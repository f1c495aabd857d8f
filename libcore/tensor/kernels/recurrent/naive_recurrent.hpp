// The naive form (tensor/kernels/naive.hpp).
#pragma once

#include "tensor/kernels/naive.hpp"
#include "tensor/kernels/recurrent/recurrent.hpp"

namespace headwater::naive {

using Recurrence = kernels::RecurrenceOf<double>;
using RecurrentRecord = kernels::RecurrentRecordOf<double>;
using RecurrentGradients = kernels::RecurrentGradientsOf<double>;

void recurrent(const Recurrence& recurrence, ConstMatrix x, Matrix y, const RecurrentRecord& record,
               Matrix final);
void recurrent_backward(const Recurrence& recurrence, ConstMatrix y, const RecurrentRecord& record,
                        ConstMatrix dy, const RecurrentGradients& gradients);

}  // namespace headwater::naive
