// A language model in GPT-2's layout against transformers (reference/gpt2): logits, loss and attention.
// Sizes and settings are read from the files.
#include <doctest/doctest.h>

#include <cmath>

#include "gpt2.hpp"

using namespace headwater;

namespace {

struct Gpt2Reference {
  std::unique_ptr<LanguageModel> model = load_reference_gpt2();
  Safetensors expected{reference_path("gpt2/expected.safetensors")};
  std::vector<std::int32_t> ids = read_ids(expected.at("ids"));
  Arena arena;

  PackedTokens text() const {
    PackedTokens tokens;
    tokens.clear();
    tokens.add(ids);
    tokens.finish();
    return tokens;
  }
};

constexpr double kLargestOfLogits = 1e-4;

}  // namespace

TEST_CASE_FIXTURE(Gpt2Reference, "GPT-2's layout: settings of config.json") {
  const Json config = reference_gpt2_config();
  const LanguageModelSettings& s = model->settings();
  CHECK(s.tie_embeddings);
  CHECK(!s.output_bias);
  CHECK(s.transformer.norm == NormPlacement::pre);
  CHECK(s.transformer.activation == ops::Activation::gelu_tanh);
  CHECK(s.layers == config.at("n_layer").as_integer());
  CHECK(s.transformer.width == config.at("n_embd").as_integer());
  CHECK(s.transformer.heads == config.at("n_head").as_integer());
  CHECK(s.transformer.length == config.at("n_positions").as_integer());
  CHECK(s.transformer.norm_epsilon == config.at("layer_norm_epsilon").as_number());
  CHECK(s.embedding_dropout == config.at("embd_pdrop").as_number());
  CHECK(model->vocabulary() == config.at("vocab_size").as_integer());
}

TEST_CASE_FIXTURE(Gpt2Reference, "GPT-2's layout: logits, loss and attention agree") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  const PackedTokens tokens = text();
  std::vector<AttentionTrace> traces;
  const Variable logits = model->logits(context, model->decode(context, tokens, &traces));
  CHECK(distance(logits.value(), read_floats(expected.at("logits"))).absolute <= kLargestOfLogits);

  TokenBatch batch;
  batch.clear();
  batch.add(ids);
  batch.finish();
  const kernels::CrossEntropyTotals totals = model->loss(context, batch, 0, 1);
  const double loss = totals.loss / static_cast<double>(totals.tokens);
  const auto theirs = static_cast<double>(read_floats(expected.at("loss"))[0]);
  CHECK(std::abs(loss - theirs) <= 1e-5 * theirs);

  REQUIRE(traces.size() == static_cast<std::size_t>(model->settings().layers));
  const Index heads = model->settings().transformer.heads;
  for (const AttentionTrace& trace : traces) {
    const std::vector<float> wanted = read_floats(expected.at("attention_" + std::to_string(trace.layer)));
    const Variable q = trace.attention.queries, k = trace.attention.keys;
    const kernels::AttentionShape shape{
        .query_offsets = q.packing().offsets,
        .key_offsets = k.packing().offsets,
        .heads = heads,
        .head_width = q.cols() / heads,
        .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(q.cols() / heads))),
        .is_causal = true};
    const Index size = q.rows() * k.rows();
    std::vector<Real> storage(size);
    const Matrix weights(storage.data(), q.rows(), k.rows());
    for (Index head = 0; head < heads; ++head) {
      kernels::attention_weights(q.value(), k.value(), shape, 0, head, weights);
      const auto first = wanted.begin() + head * size;
      CHECK(distance(weights, {first, first + size}).absolute <= kLargestOfLogits);
    }
  }
}
