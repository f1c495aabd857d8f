// Where a translator looked, and the states of the tokens of a source.
#include <algorithm>

#include "families/translator/directory.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

class TranslationTracer : public AttentionTracer {
 public:
  explicit TranslationTracer(LoadedTranslator model) : model_(std::move(model)) {}
  const Tokenizer& source_tokenizer() const override { return model_.source_tokenizer; }
  SourceIds source(std::string_view text) const override { return model_.source_ids(text); }
  const LoadedTranslator* translator() const override { return &model_; }
  std::int64_t length() const override { return model_.model->length(); }

  void check(const AttentionSelection& selection) const override {
    const EncoderDecoderSettings& s = model_.model->settings();
    const bool has_encoder = s.encoder_mixing().has_attention(), has_decoder = s.mixing.has_attention();
    const bool lacks = (selection.kind == AttentionKind::encoder && !has_encoder) ||
                       (selection.kind == AttentionKind::decoder && !has_decoder);
    if (lacks)
      throw UsageError("--kind " + std::string(name_of(*selection.kind)) + ": a translator with mixing: " +
                       s.mixing.mixing + " has no such attention (give --kind " +
                       (has_encoder ? "encoder or " : "") + "cross)");
    if (selection.head) check_below("head", *selection.head, s.heads());
    if (!selection.layer) return;
    const bool is_encoder = selection.kind == AttentionKind::encoder;
    check_below("layer", *selection.layer,
                !selection.kind ? std::max(s.encoder_layers, s.decoder_layers)
                : is_encoder    ? s.encoder_layers
                                : s.decoder_layers);
  }

  void visit(Arena& arena, std::span<const AttentionExample> examples, const AttentionSelection& selection,
             const UseHeads& use) const override {
    const ArenaScope scope(arena);
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const PackedTokens source = packed(examples, &AttentionExample::source_ids),
                       target = packed(examples, &AttentionExample::target_ids);
    std::vector<AttentionTrace> traces;
    const EncodedSource encoded = model_.model->encode(context, source, &traces);
    const Variable hidden = model_.model->decode(context, target, encoded, &traces);
    std::stable_sort(traces.begin(), traces.end(),
                     [](const AttentionTrace& a, const AttentionTrace& b) { return a.kind < b.kind; });
    Matrix logits;
    if (selection.has_predictions) logits = model_.model->logits(context, hidden).value();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      std::vector<std::string> predicts;
      if (selection.has_predictions) {
        predicts = likeliest_tokens(logits.rows_between(target.offsets[i], target.offsets[i + 1]),
                                    model_.target_tokenizer, examples[i].suppress_tokens);
      }
      use(i, AttentionHeads(traces, model_.model->settings().heads(), arena, examples[i], selection, predicts,
                            static_cast<Index>(i)));
    }
  }

 private:
  LoadedTranslator model_;
};

class TranslatorStates : public TextStates {
 public:
  explicit TranslatorStates(LoadedTranslator model) : model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.source_tokenizer; }
  void source_ids(std::string_view text, SourceIds& found) const override { found = model_.source_ids(text); }
  Index length() const override { return model_.model->length(); }
  Index width(Index layers) const override {
    const EncoderDecoderSettings& settings = model_.model->settings();
    return layers == 0 && settings.embedding_width > 0 ? settings.embedding_width
                                                       : settings.transformer.width;
  }
  Index layers() const override { return model_.model->settings().encoder_layers; }
  Variable states(const ForwardContext& context, const ClassBatch& batch, Index layers) const override {
    return model_.model->encoder().states(context, model_.model->embed_source(context, batch.source), layers);
  }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  std::string_view blocks() const override { return "encoder."; }

 private:
  LoadedTranslator model_;
};

}  // namespace

std::unique_ptr<AttentionTracer> attention_tracer(LoadedTranslator model) {
  return std::make_unique<TranslationTracer>(std::move(model));
}

std::unique_ptr<TextStates> text_states(LoadedTranslator model) {
  return std::make_unique<TranslatorStates>(std::move(model));
}

}  // namespace headwater
