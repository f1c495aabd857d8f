// Attention weights are a distribution over what a token may see.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "small_run.hpp"

using namespace headwater;

TEST_CASE("rows of attention weights sum to 1, and the decoder does not look ahead") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    Recipe recipe = small_recipe("adam");
    EncoderDecoderSettings& settings = recipe.model.as<EncoderDecoderSettings>();
    settings.transformer.norm = norm;
    settings.encoder_layers = 3;
    settings.decoder_layers = 2;
    SmallRun run(recipe, copy_pairs(60, 8, 29, 41), copy_pairs(4, 8, 29, 42), 29);
    Trainer(run.recipe, run.objective, nullptr).run({});
    const EncoderDecoder& model = run.model;
    std::vector<Sequence> sources, targets;
    for (const Pair& pair : copy_pairs(23, 8, 29, 43)) {
      sources.push_back(pair.source);
      targets.push_back({pair.target.begin(), pair.target.end() - 1});
    }
    const PackedTokens source = packed(sources), target = packed(targets);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    std::vector<AttentionTrace> traces;
    model.decode(context, target, model.encode(context, source, &traces), &traces);

    std::map<AttentionKind, Index> layers;
    for (const AttentionTrace& trace : traces) {
      CHECK(trace.layer == layers[trace.kind]++);
      const Variable q = trace.attention.queries, k = trace.attention.keys;
      const kernels::AttentionShape shape{
          .query_offsets = q.packing().offsets,
          .key_offsets = k.packing().offsets,
          .heads = settings.transformer.heads,
          .head_width = settings.transformer.head_width,
          .scale = Real(1) / std::sqrt(static_cast<Real>(settings.transformer.head_width)),
          .is_causal = trace.attention.causality == Causality::causal};
      CHECK(shape.is_causal == (trace.kind == AttentionKind::decoder));
      for (Index s = 0; s < shape.sequences(); ++s) {
        for (Index head = 0; head < shape.heads; ++head) {
          std::vector<Real> storage(shape.query_length(s) * shape.key_length(s));
          const Matrix weights(storage.data(), shape.query_length(s), shape.key_length(s));
          kernels::attention_weights(q.value(), k.value(), shape, s, head, weights);
          INFO(name_of(trace.kind), " layer ", trace.layer, " head ", head, " sequence ", s);
          for (Index r = 0; r < weights.rows; ++r) {
            double sum = 0;
            for (Index c = 0; c < weights.cols; ++c) {
              const Real w = weights.row(r)[c];
              CHECK((w >= 0 && w <= 1));
              if (shape.is_causal && c > r) CHECK(w == 0);
              sum += static_cast<double>(w);
            }
            CHECK(std::abs(sum - 1) <= 1e-5);
          }
        }
      }
    }
    CHECK(layers == std::map<AttentionKind, Index>{
                        {AttentionKind::encoder, 3}, {AttentionKind::decoder, 2}, {AttentionKind::cross, 2}});
  }
}
