// What an instruction set provides: one table of functions for each, one row for each kernel. The vector code
// (<topic>/simd_*.cpp) is compiled once for each instruction set and defines `<row>_functions` there.
#pragma once

#include "tensor/kernels/activation/activation_table.hpp"
#include "tensor/kernels/argmax/argmax_table.hpp"
#include "tensor/kernels/attention/attention_table.hpp"
#include "tensor/kernels/dropout/dropout_table.hpp"
#include "tensor/kernels/elementwise/elementwise_table.hpp"
#include "tensor/kernels/embedding/embedding_table.hpp"
#include "tensor/kernels/fourier/fourier_table.hpp"
#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/gemm/int8_table.hpp"
#include "tensor/kernels/loss/loss_table.hpp"
#include "tensor/kernels/norm/norm_table.hpp"
#include "tensor/kernels/optimizer/optimizer_table.hpp"
#include "tensor/kernels/recurrent/recurrent_table.hpp"
#include "tensor/kernels/reduction/reduction_table.hpp"

// A list, so that a kernel is one row here and nothing elsewhere.
#define HEADWATER_KERNEL_ROWS(ROW)          \
  ROW(ActivationTable, activation)          \
  ROW(ArgmaxTable, argmax)                  \
  ROW(AttentionTable, attention)            \
  ROW(AttentionCacheTable, attention_cache) \
  ROW(CrossEntropyTable, cross_entropy)     \
  ROW(DropoutTable, dropout)                \
  ROW(ElementwiseTable, elementwise)        \
  ROW(EmbeddingTable, embedding)            \
  ROW(FourierTable, fourier)                \
  ROW(GemmTable, gemm)                      \
  ROW(Int8Table, int8)                      \
  ROW(LogitBoundsTable, logit_bounds)       \
  ROW(NormTable, norm)                      \
  ROW(OptimizerTable, optimizer)            \
  ROW(PackedTable, packed)                  \
  ROW(RecurrentTable, recurrent)            \
  ROW(ReductionTable, reduction)            \
  ROW(SoftmaxTable, softmax)                \
  ROW(TopLogitsTable, top_logits)

namespace headwater::kernels {

struct KernelTable {
#define HEADWATER_ROW(Table, name) const Table* name;
  HEADWATER_KERNEL_ROWS(HEADWATER_ROW)
#undef HEADWATER_ROW
};

// The kernels of the instruction set that is active.
const KernelTable& kernel_table();

}  // namespace headwater::kernels
