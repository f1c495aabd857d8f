// Where a language model looked, and the states of its tokens.
#include "families/language_model/directory.hpp"
#include "layers/transformer_stack.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

// An example is a text; each token of it is a query, and `predicts` what the model would write next.
class LanguageModelTracer : public AttentionTracer {
 public:
  explicit LanguageModelTracer(LoadedLanguageModel model) : model_(std::move(model)) {}
  const Tokenizer& source_tokenizer() const override { return model_.tokenizer; }
  // A prompt: a delimiter stands at its end.
  SourceIds source(std::string_view text) const override {
    const bool has_delimiter = model_.delimiter >= 0;
    SourceIds found;
    find_source_ids(model_.tokenizer, 0, has_delimiter ? length() - 1 : length(), text, found);
    if (has_delimiter) found.ids.push_back(model_.delimiter);
    return found;
  }
  std::int64_t length() const override { return model_.model->length(); }

  void check(const AttentionSelection& selection) const override {
    const LanguageModelSettings& s = model_.model->settings();
    if (selection.kind && *selection.kind != AttentionKind::decoder) {
      throw UsageError("--kind " + std::string(name_of(*selection.kind)) +
                       ": a language model has decoder attention only");
    }
    if (selection.head) check_below("head", *selection.head, s.transformer.heads);
    if (selection.layer) check_below("layer", *selection.layer, s.layers);
  }

  void visit(Arena& arena, std::span<const AttentionExample> examples, const AttentionSelection& selection,
             const UseHeads& use) const override {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const ArenaScope scope(arena);
      Tape tape(arena, Tape::Mode::inference);
      const ForwardContext context{tape};
      const PackedTokens tokens =
          packed(examples.subspan(i, 1), &AttentionExample::source_ids);  // traces refer to it
      std::vector<AttentionTrace> traces;
      const Variable hidden = model_.model->decode(context, tokens, &traces);
      AttentionExample read = examples[i];
      read.target_tokens = read.source_tokens;
      std::vector<std::string> predicts;
      if (selection.has_predictions)
        predicts = likeliest_tokens(model_.model->logits(context, hidden).value(), model_.tokenizer);
      use(i, AttentionHeads(traces, model_.model->settings().transformer.heads, arena, read, selection,
                            predicts));
    }
  }

 private:
  LoadedLanguageModel model_;
};

class LanguageModelStates : public TextStates {
 public:
  explicit LanguageModelStates(LoadedLanguageModel model) : model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.tokenizer; }
  void source_ids(std::string_view text, SourceIds& found) const override {
    find_source_ids(model_.tokenizer, 0, length(), text, found);
  }
  Index length() const override { return model_.model->length(); }
  Index width(Index /*layers*/) const override { return model_.model->settings().transformer.width; }
  Index layers() const override { return model_.model->settings().layers; }
  Variable states(const ForwardContext& context, const ClassBatch& batch, Index layers) const override {
    const PackedTokens& text = batch.source;
    const Variable x =
        model_.model->embed_target(context, pack(context.tape, text), text.ids, text.position_of);
    return model_.model->decoder().states(context, x, layers);
  }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  std::string_view blocks() const override { return "decoder."; }

 private:
  LoadedLanguageModel model_;
};

}  // namespace

std::unique_ptr<AttentionTracer> attention_tracer(LoadedLanguageModel model) {
  return std::make_unique<LanguageModelTracer>(std::move(model));
}

std::unique_ptr<TextStates> text_states(LoadedLanguageModel model) {
  return std::make_unique<LanguageModelStates>(std::move(model));
}

}  // namespace headwater
