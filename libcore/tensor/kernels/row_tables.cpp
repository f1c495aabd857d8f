#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/row_tables.hpp"

#include "support/error.hpp"

namespace headwater::kernels {

#ifdef HEADWATER_X86
namespace avx512 {
extern const AttentionTable attention_functions;
extern const CacheTable cache_functions;
extern const NormTable norm_functions;
extern const EmbeddingTable embedding_functions;
extern const ElementwiseTable elementwise_functions;
extern const SoftmaxTable softmax_functions;
extern const OptimizerTable optimizer_functions;
}  // namespace avx512
namespace avx2 {
extern const AttentionTable attention_functions;
extern const CacheTable cache_functions;
extern const NormTable norm_functions;
extern const EmbeddingTable embedding_functions;
extern const ElementwiseTable elementwise_functions;
extern const SoftmaxTable softmax_functions;
extern const OptimizerTable optimizer_functions;
}  // namespace avx2
const AttentionTable& attention_table() {
  return active_isa() == Isa::avx512 ? avx512::attention_functions : avx2::attention_functions;
}
const CacheTable& cache_table() {
  return active_isa() == Isa::avx512 ? avx512::cache_functions : avx2::cache_functions;
}
const NormTable& norm_table() {
  return active_isa() == Isa::avx512 ? avx512::norm_functions : avx2::norm_functions;
}
const EmbeddingTable& embedding_table() {
  return active_isa() == Isa::avx512 ? avx512::embedding_functions : avx2::embedding_functions;
}
const ElementwiseTable& elementwise_table() {
  return active_isa() == Isa::avx512 ? avx512::elementwise_functions : avx2::elementwise_functions;
}
const SoftmaxTable& softmax_table() {
  return active_isa() == Isa::avx512 ? avx512::softmax_functions : avx2::softmax_functions;
}
const OptimizerTable& optimizer_table() {
  return active_isa() == Isa::avx512 ? avx512::optimizer_functions : avx2::optimizer_functions;
}
#else
namespace portable {
extern const AttentionTable attention_functions;
extern const CacheTable cache_functions;
extern const NormTable norm_functions;
extern const EmbeddingTable embedding_functions;
extern const ElementwiseTable elementwise_functions;
extern const SoftmaxTable softmax_functions;
extern const OptimizerTable optimizer_functions;
}  // namespace portable
const AttentionTable& attention_table() { return portable::attention_functions; }
const CacheTable& cache_table() { return portable::cache_functions; }
const NormTable& norm_table() { return portable::norm_functions; }
const EmbeddingTable& embedding_table() { return portable::embedding_functions; }
const ElementwiseTable& elementwise_table() { return portable::elementwise_functions; }
const SoftmaxTable& softmax_table() { return portable::softmax_functions; }
const OptimizerTable& optimizer_table() { return portable::optimizer_functions; }
#endif

void check_depth(const FoldPlan& plan) {
  if (plan.depth > kMostPartialSums) {
    throw Error("fold plan: " + std::to_string(plan.depth) + " partial sums at once, more than " +
                std::to_string(kMostPartialSums) + " (use smaller batches)");
  }
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
