// Translators that mix otherwise than by attention, written from their description in PyTorch, pair by pair
// (reference/torch): what the encoder gives, cross-attention, logits, loss and gradients, of two pairs in one
// batch.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "families/translator/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

struct TorchTranslator {
  Safetensors file;
  PairBatch batch;
  EncoderDecoder model;
  Arena arena;

  TorchTranslator(const std::string& name, const EncoderDecoderSettings& settings)
      : file(made_here(name)),
        model(settings, file.at("weights/source_embedding.tokens").shape[0],
              file.at("weights/head.bias").shape[0]) {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
    batch.clear();
    for (const std::string pair : {"0", "1"})
      batch.add(read_ids(file.at("inputs/source_" + pair)), read_ids(file.at("inputs/target_" + pair)));
    batch.finish();
  }

  void check(const std::string& name, ConstMatrix ours) {
    const Distance far = distance(ours, read_floats(file.at("outputs/" + name)));
    INFO(name, ": absolute distance ", far.absolute, " at ", far.at, ", relative ", far.relative);
    CHECK(far.absolute <= kAbsolute);
    CHECK(far.relative <= kFigureRelative);
  }

  // The file has a tensor [heads, target tokens, source tokens] for each pair.
  void check_cross_attention(const AttentionTrace& trace) {
    CHECK(trace.kind == AttentionKind::cross);
    const Index heads = model.settings().heads(), head_width = trace.attention.queries.cols() / heads;
    const kernels::AttentionShape shape{
        .query_offsets = batch.target.offsets,
        .key_offsets = batch.source.offsets,
        .heads = heads,
        .head_width = head_width,
        .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(head_width)))};
    for (Index pair = 0; pair < shape.sequences(); ++pair) {
      const Index rows = shape.query_length(pair), cols = shape.key_length(pair);
      std::vector<Real> weights(heads * rows * cols);
      for (Index head = 0; head < heads; ++head)
        head_weights(trace.attention, shape, pair, head,
                     Matrix(weights.data() + head * rows * cols, rows, cols));
      check("cross_" + std::to_string(trace.layer) + "_" + std::to_string(pair),
            Matrix(weights.data(), heads * rows, cols));
    }
  }

  // Returns the traces, valid until the next call.
  std::vector<AttentionTrace> check_forward() {
    arena.reset();
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    std::vector<AttentionTrace> traces;
    const EncodedSource source = model.encode(context, batch.source, &traces);
    check("memory", source.memory.value());
    if (source.last) check("last", source.last.value());
    check("logits", model.logits(context, model.decode(context, batch.target, source, &traces)).value());
    for (const AttentionTrace& trace : traces) check_cross_attention(trace);
    return traces;
  }

  // Mean over the target tokens; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double tokens = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / tokens);
    tape.backward();
    return totals.loss / tokens;
  }
  void check_gradients() {
    check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
  }
};

EncoderDecoderSettings recurrent_settings(bool has_attention) {
  EncoderDecoderSettings settings;
  settings.mixing.mixing = "gru";
  settings.mixing.bidirectional = true;
  settings.additive_attention = has_attention;
  settings.transformer.positions = Positions::none;
  settings.transformer.width = 6;
  settings.embedding_width = 4;
  settings.encoder_layers = settings.decoder_layers = 2;
  return settings;
}

EncoderDecoderSettings convolution_settings() {
  EncoderDecoderSettings settings;
  settings.mixing.mixing = "convolution";
  settings.mixing.kernel_size = 5;
  settings.transformer.width = 6;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 10;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.length = 8;
  return settings;
}

}  // namespace

TEST_CASE("recurrent translator: states, logits, loss and every gradient agree with PyTorch") {
  TorchTranslator torch("torch/recurrent-translation.safetensors", recurrent_settings(false));
  CHECK(torch.check_forward().empty());
  torch.check_gradients();
}

TEST_CASE("recurrent translator with additive attention: all of it agrees with PyTorch") {
  TorchTranslator torch("torch/recurrent-attention.safetensors", recurrent_settings(true));
  const std::vector<AttentionTrace> traces = torch.check_forward();
  REQUIRE(traces.size() == 2);
  for (const AttentionTrace& trace : traces) {
    const std::string layer = std::to_string(trace.layer);
    torch.check("states_" + layer, trace.attention.queries.value());
    torch.check("attended_" + layer, trace.attention.output.value());
  }
  torch.check_gradients();
}

TEST_CASE("translator that mixes by convolution: all of it agrees with PyTorch") {
  TorchTranslator torch("torch/convolution-translation.safetensors", convolution_settings());
  CHECK(torch.check_forward().size() == 1);
  torch.check_gradients();
}
