#include "decoding/attention_alignment.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"

namespace headwater {

namespace {

void check_number(std::string_view option, const std::optional<Index>& number, Index count) {
  if (number && (*number < 0 || *number >= count)) {
    throw UsageError(std::string(option) + " is " + std::to_string(*number) + ", expected 0 to " +
                     std::to_string(count - 1));
  }
}

// The likeliest source of each token of one pair: the row of the decoder's input t is that of the choice of
// token t + 1.
std::vector<Index> likeliest_sources(const AttentionOutput& attention, const AlignmentSettings& settings,
                                     const kernels::AttentionShape& shape, Index pair,
                                     const AlignedPair& wanted, Arena& arena) {
  const ArenaScope scope(arena);
  const Index targets = shape.query_length(pair), sources = shape.key_length(pair);
  const Matrix weights = arena.matrix(targets, sources), sum = arena.matrix(targets, sources);
  std::fill_n(sum.data, targets * sources, Real(0));
  for (Index head = settings.head.value_or(0); head < (settings.head ? *settings.head + 1 : shape.heads);
       ++head) {
    head_weights(attention, shape, pair, head, weights);
    for (Index i = 0; i < targets * sources; ++i) sum.data[i] += weights.data[i];
  }
  std::vector<Index> result;
  if (kernels::find_not_finite(targets * sources, sum.data) >= 0) return result;
  const Index end = wanted.end == 0 ? sources : wanted.end;
  for (Index t = 0; t < targets; ++t)
    result.push_back(std::max_element(sum.row(t) + wanted.begin, sum.row(t) + end) - sum.row(t));
  return result;
}

}  // namespace

void check_alignment(const EncoderDecoder& model, const AlignmentSettings& settings,
                     std::string_view layer_option, std::string_view head_option) {
  if (model.settings().mixing.is_recurrent() && !model.settings().additive_attention)
    throw UsageError(
        "alignments are of attention, which this model has not (train it with additive_attention: true)");
  check_number(layer_option, settings.layer, model.settings().decoder_layers);
  check_number(head_option, settings.head, model.settings().heads());
}

std::vector<std::vector<std::vector<Index>>> align(const EncoderDecoder& model, Arena& arena,
                                                   std::span<const AlignedPair> pairs,
                                                   std::span<const AlignmentSettings> settings) {
  PackedTokens source, target;
  source.clear();
  target.clear();
  for (const AlignedPair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target.first(pair.target.size() - 1));  // nothing is chosen after the last
  }
  source.finish();
  target.finish();
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  model.decode(context, target, model.encode(context, source), &traces);
  const Index heads = model.settings().heads();
  std::vector<std::vector<std::vector<Index>>> result;
  for (const AlignmentSettings& one : settings) {
    const Index layer = one.layer.value_or(model.settings().decoder_layers - 1);
    const auto trace = std::find_if(traces.begin(), traces.end(), [&](const AttentionTrace& t) {
      return t.kind == AttentionKind::cross && t.layer == layer;
    });
    const Index head_width = trace->attention.queries.cols() / heads;
    const kernels::AttentionShape shape{.query_offsets = target.offsets,
                                        .key_offsets = source.offsets,
                                        .heads = heads,
                                        .head_width = head_width,
                                        .scale = Real(1) / std::sqrt(static_cast<Real>(head_width))};
    std::vector<std::vector<Index>>& of_pairs = result.emplace_back();
    for (Index pair = 0; pair < target.sequences(); ++pair) {
      const AlignedPair& wanted = pairs[pair];
      of_pairs.push_back(likeliest_sources(trace->attention, one, shape, pair, wanted, arena));
    }
  }
  return result;
}

}  // namespace headwater
