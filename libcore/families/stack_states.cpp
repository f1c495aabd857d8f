// The hidden states of language models and of translators.
#include <utility>

#include "families/language_model.hpp"
#include "families/translator.hpp"
#include "models/packing.hpp"

namespace headwater {

namespace {

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

std::unique_ptr<TextStates> text_states(LoadedLanguageModel model) {
  return std::make_unique<LanguageModelStates>(std::move(model));
}

std::unique_ptr<TextStates> text_states(LoadedTranslator model) {
  return std::make_unique<TranslatorStates>(std::move(model));
}

}  // namespace headwater
