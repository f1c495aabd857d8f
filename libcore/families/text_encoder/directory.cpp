// A Transformer encoder that makes a vector of a text. Published ones are read; what trains an encoder here
// is a kind of its own.
#include "families/text_encoder/directory.hpp"

#include <algorithm>
#include <utility>

#include "families/config.hpp"
#include "families/encoder_rows.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/model.hpp"
#include "families/tokenizer_files.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"

namespace headwater {

void EncoderTracer::check(const AttentionSelection& selection) const {
  if (selection.kind && *selection.kind != AttentionKind::encoder) {
    throw UsageError("--kind " + std::string(name_of(*selection.kind)) + ": a " + name_ +
                     " has encoder attention only");
  }
  if (selection.head) check_below("head", *selection.head, encoder_.settings().transformer.heads);
  if (selection.layer) check_below("layer", *selection.layer, encoder_.settings().encoder_layers);
}

void EncoderTracer::visit(Arena& arena, std::span<const AttentionExample> examples,
                          const AttentionSelection& selection, const UseHeads& use) const {
  const auto is_pair = [&](const AttentionExample& example) {
    return example.source_second > 0 && encoder_.settings().segments == 2;
  };
  const auto pairs = std::ranges::count_if(examples, is_pair);
  if (pairs > 0 && pairs < std::ssize(examples)) {  // a batch is of one kind
    for (std::size_t i = 0; i < examples.size(); ++i) {
      visit(arena, examples.subspan(i, 1), selection,
            [&](std::size_t, const AttentionHeads& heads) { use(i, heads); });
    }
    return;
  }
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  ClassBatch batch;
  batch.clear();
  for (const AttentionExample& example : examples) {
    const Index length = encoder_.padded_length(static_cast<Index>(example.source_ids.size()));
    if (pairs > 0) {
      batch.add_pair(example.source_ids, example.source_second, length);
    } else {
      batch.add(example.source_ids, length);
    }
  }
  batch.finish();
  std::vector<AttentionTrace> traces;
  encoder_({tape}, batch.source, batch.segment_of, batch.words, &traces);
  const Tokenizer& tokenizer = source_tokenizer();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    AttentionExample padded = examples[i];
    const Index length = batch.source.offsets[i + 1] - batch.source.offsets[i];
    padded.source_tokens.resize(length, tokenizer.surface(tokenizer.pad_id()));
    use(i, AttentionHeads(traces, encoder_.settings().transformer.heads, arena, padded, selection, {},
                          static_cast<Index>(i)));
  }
}

static void settings_rows(schema::Visitor& v, TextEmbedderSettings& s) {
  encoder_rows(v, s, "text_encoder");
  pooling_row(v, s.pooling, "what of a text's tokens its vector is");
  v.field("pooler", &s.pooler, schema::Anything{},
          "it has BERT's dense layer with tanh, for a classifier that begins from it; vectors are not made "
          "by it");
  v.field("normalize", &s.normalize, schema::Anything{}, "vectors have the length 1");
  v.field("max_tokens", &s.max_tokens, schema::Between{0, 1e6, "tokens"},
          "tokens of a text that are read, special ones counted; 0: as many as model.length");
}

static void check_settings(const TextEmbedderSettings& s, const Recipe&, const Complain& complain) {
  check_encoder(s, complain);
}

static const ModelKind kTextEncoder{.name = "text_encoder",
                                    .meaning =
                                        "a Transformer encoder that makes a vector of a text (it is "
                                        "read, not trained)",
                                    .columns = {"source"},
                                    .sections = {"source_tokenizer"},
                                    .metrics = validation_metric_names({MetricOf::models}),
                                    .defaults = SettingsOf<TextEmbedderSettings>::defaults};

ModelSection model_section(const TextEmbedderSettings& settings) {
  return model_section(kTextEncoder, settings);
}

std::unique_ptr<TextEmbedder> text_embedder_of_config(const Json& config, const std::string& where) {
  try {
    ModelSection section(kTextEncoder);
    read_encoder_settings(config, section, section.as<TextEmbedderSettings>());
    return std::make_unique<TextEmbedder>(section.as<TextEmbedderSettings>(),
                                          whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

LoadedTextEncoder load_text_encoder(const ModelFolder& folder) {
  require(folder, Ability::embed);
  std::unique_ptr<TextEmbedder> model = text_embedder_of_config(folder.config, folder.config_path().string());
  Tokenizer tokenizer = load_one_tokenizer(folder, model->vocabulary());
  load_weights(folder, model->parameters());
  const TextEmbedderSettings& settings = model->settings();
  Index length = room_for_text(folder, tokenizer, settings.transformer.length);
  if (settings.max_tokens > 0) length = std::min<Index>(length, settings.max_tokens);
  const std::size_t around = tokens_around(tokenizer, length, folder.path.string());
  const Uncounted uncounted{uncounted_tokens(folder).id, settings.max_tokens};
  return {folder.path, std::move(tokenizer), std::move(model), around, length, uncounted};
}

namespace {

class TextEncoderTracer : public EncoderTracer {
 public:
  explicit TextEncoderTracer(LoadedTextEncoder model)
      : EncoderTracer("text encoder", model.model->encoder()), model_(std::move(model)) {}
  const Tokenizer& source_tokenizer() const override { return model_.tokenizer; }
  SourceIds source(std::string_view text) const override {
    SourceIds found;
    model_.source_ids(text, found);
    return found;
  }
  std::int64_t length() const override { return model_.length; }

 private:
  LoadedTextEncoder model_;
};

class TextEncoderStates : public EncoderStates {
 public:
  explicit TextEncoderStates(LoadedTextEncoder model)
      : EncoderStates(model.model->encoder()), model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.tokenizer; }
  void source_ids(std::string_view text, SourceIds& found) const override { model_.source_ids(text, found); }
  Index length() const override { return model_.length; }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  ops::Pooling pooling() const override { return model_.model->settings().pooling; }
  bool normalizes() const override { return model_.model->settings().normalize; }

 private:
  LoadedTextEncoder model_;
};

class TextEncoderFamily : public Family {
 public:
  TextEncoderFamily()
      : Family({.model_kind = kTextEncoder,
                .task = Task::feature_extraction,
                .model_type = "headwater_text_encoder",
                .noun = "a text encoder",
                .example = "text",
                .token_axes = {{"embedding.tokens", 0, "tokenizer.json"}},
                .int8_weights = kEncoderBlocks}) {}
  Offer offer(const ModelSection& model) const override {
    return offer_with_mixing("a text encoder", model.as<TextEmbedderSettings>().mixing, {Ability::embed});
  }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json"}; }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    constexpr std::int64_t kAroundText = 2;  // [CLS] and [SEP]
    return recipe.model.as<TextEmbedderSettings>().transformer.length - kAroundText;
  }
  LineForm line_form(const ModelSection&) const override { return {.uses_template = true}; }
  ModelSection section_of_config(Json config) const override {
    ModelSection section(kTextEncoder);
    read_encoder_settings(config, section, section.as<TextEmbedderSettings>());
    return section;
  }
  MadeModel model_of(const Recipe& recipe) const override {
    return made(std::make_unique<TextEmbedder>(recipe.model.as<TextEmbedderSettings>(),
                                               recipe.source_tokenizer.size));
  }
  MadeModel model_of(const Json& config, const std::string& where) const override {
    return made(text_embedder_of_config(config, where));
  }

 private:
  static MadeModel made(std::unique_ptr<TextEmbedder> model) {
    const std::string length = std::to_string(model->settings().transformer.length);
    return made_model(std::move(model),
                      "S: source tokens; FLOPs: a forward pass over a text of " + length + " tokens");
  }
  std::unique_ptr<AttentionTracer> attention_of(const ModelFolder& folder) const override {
    return std::make_unique<TextEncoderTracer>(load_text_encoder(folder));
  }
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return std::make_unique<TextEncoderStates>(load_text_encoder(folder));
  }
};

}  // namespace

const Family& text_encoder_family() {
  static const TextEncoderFamily family;
  return family;
}

}  // namespace headwater
