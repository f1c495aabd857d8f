#include "families/language_model/directory.hpp"

#include "families/config.hpp"
#include "families/mixing_rows.hpp"
#include "families/model_directory.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "layers/transformer_stack.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "text/tokenizer/tokenizer_json.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void settings_rows(schema::Visitor& v, LanguageModelSettings& s) {
  constexpr MixingUse kMixing{.kind = "language_model",
                              .allows = [](const MixerKind& mixer) { return mixer.takes_steps; },
                              .has_encoder = false};
  mixing_rows(v, s.mixing, s.transformer, kMixing);
  BlockKeys blocks = block_keys(s.mixing, kMixing);
  blocks.has_embedding_dropout = false;
  rows(v, s.transformer, blocks);
  v.field("norm_type", &s.transformer.norm_type,
          {"less the mean, over the standard deviation (Ba et al. 2016)",
           "over the root of the mean square, without a shift (Zhang and Sennrich 2019)"},
          "what a norm computes", blocks.feed_forward);
  v.field("feed_forward", &s.transformer.feed_forward,
          {"two layers, the activation between them (Vaswani et al. 2017)",
           "three layers without biases: the activation of the first times the second, then the "
           "third; with `activation: silu` SwiGLU (Shazeer 2020)"},
          "what a block's feed-forward is", blocks.feed_forward);
  v.field("layers", &s.layers, schema::Between{1, 1000, "blocks"},
          "blocks, one after the other, that look back only");
  v.field("tie_embeddings", &s.tie_embeddings, schema::Anything{},
          "the output layer is the table of tokens, transposed (Press and Wolf 2017)");
  v.field("output_bias", &s.output_bias, schema::Anything{}, "the output layer has a bias");
  v.field("embedding_dropout", &s.embedding_dropout, schema::kShare,
          "share of the numbers that is set to 0 in training, of embeddings");
  v.field("padding", &s.padding,
          {"nothing is computed for positions without a token",
           "every training text is filled up to length with padding, which is read and predicted as "
           "tokens are: the loss of training is over all places"},
          "what becomes of the positions that a short text leaves empty");
  v.field("delimiter", &s.delimiter, schema::Text::any,
          {"for examples in two columns: the special token between source and target, as `[SEP]`. The loss "
           "counts only what follows it, and prompts get it at their end; empty: one column of texts, all of "
           "which is learned",
           "make recipe (tokenize, vectorize), train, evaluate, generate"});
}

// The columns that such a model learns from, where it is not a column of texts.
static std::vector<std::string_view> columns_of(const LanguageModelSettings& s) {
  if (s.delimiter.empty()) return {};
  return {"source", "target"};
}

static void check_settings(const LanguageModelSettings& s, const Recipe& recipe, const Complain& complain) {
  check_transformer(s.transformer, s.mixing.has_attention(), complain);
  check_mixing(s.mixing, s.transformer, complain);
  if (recipe.data.stride > s.transformer.length)
    complain({"data", "stride"}, std::to_string(recipe.data.stride) + " is more than model.length, " +
                                     std::to_string(s.transformer.length) + ": tokens would be left out");
  const bool is_padded = s.padding == TrainingPadding::predicted;
  if (is_padded && recipe.data.examples != DataExamples::lines)
    complain({"model", "padding"},
             "predicted is for data.examples: lines (write none: a stream has no gaps)");
  if (is_padded && !s.delimiter.empty())
    complain({"model", "padding"},
             "predicted is for one column of texts (write none: a target ends with [END])");
  if (is_padded && recipe.training.batch_tokens > 0)
    complain({"training", "batch_tokens"},
             "counts no padding, which is computed here (write batch_sequences)");
  if (s.delimiter.empty()) return;
  if (s.delimiter == kPadToken || s.delimiter == kUnknownToken)
    complain({"model", "delimiter"}, s.delimiter + " has a meaning of its own (write [SEP])");
  if (s.transformer.length < 2)
    complain({"model", "length"}, "has no room for a text, the delimiter and what follows (write 2 or more)");
  if (recipe.source_tokenizer.kind == "subword_text_encoder")
    complain({"model", "delimiter"},
             "a subword_text_encoder has no special tokens (choose another kind of tokenizer)");
}

static const ModelKind kLanguageModel{
    .name = "language_model",
    .meaning = "a Transformer that predicts a text's next token",
    .columns = {"source"},
    .sections = {"source_tokenizer", "training.samples", "data.examples"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::token_models}),
    .defaults = SettingsOf<LanguageModelSettings>::defaults};

ModelSection model_section(const LanguageModelSettings& settings) {
  return model_section(kLanguageModel, settings);
}

// --- The directory -----------------------------------------------------------------------------------------

namespace {
constexpr const char* kLanguageModelType = "headwater_language_model";
}  // namespace

Json config_of(const LanguageModel& model, const Tokenizer& tokenizer) {
  ModelSection section = model_section(model.settings());
  Json config = begin_config("HeadwaterLanguageModel", kLanguageModelType);
  write_settings(config, section.settings());
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  return config;
}

// Which may have been written before there were all keys.
static ModelSection language_model_section(Json config) {
  for (const auto& [key, value] : {std::pair<const char*, Json>{"mixing", "attention"},
                                   {"delimiter", ""},
                                   {"tie_embeddings", false},
                                   {"output_bias", true},
                                   {"padding", "none"},
                                   {"norm_type", "layer_norm"},
                                   {"feed_forward", "plain"}}) {
    if (config.find(key) == nullptr) config.set(key, value);
  }
  ModelSection section(kLanguageModel);
  read_settings(config, section.settings());
  return section;
}

std::unique_ptr<LanguageModel> language_model_of_config(const Json& config, const std::string& where) {
  try {
    return std::make_unique<LanguageModel>(language_model_section(config).as<LanguageModelSettings>(),
                                           whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

LoadedLanguageModel load_language_model(const std::filesystem::path& path) {
  return load_language_model(open_model(path));
}

LoadedLanguageModel load_language_model(const ModelFolder& folder) {
  require(folder, Ability::continue_texts);
  std::unique_ptr<LanguageModel> model =
      language_model_of_config(folder.config, folder.config_path().string());
  Tokenizer tokenizer = load_one_tokenizer(folder, model->vocabulary());
  check_prompts(folder, tokenizer);
  load_weights(folder, model->parameters());
  const bool is_published = folder.layout != nullptr;
  const std::filesystem::path of_tokenizer = is_published ? folder.path : folder.path / "tokenizer.json";
  const std::int32_t delimiter = delimiter_of(model->settings(), tokenizer, of_tokenizer.string());
  return {folder.path, std::move(tokenizer), std::move(model), delimiter, {}};
}

std::int32_t delimiter_of(const LanguageModelSettings& settings, const Tokenizer& tokenizer,
                          const std::string& path) {
  if (settings.delimiter.empty()) return -1;
  const std::int32_t id = tokenizer.special_id(settings.delimiter);
  if (id >= 0) return id;
  throw UsageError(path + ": has no special token " + quote(settings.delimiter) +
                   ", the model's delimiter (learn it with tokenize --learn ... --start-end --special " +
                   quote(settings.delimiter) + ")");
}

std::vector<std::int32_t> LoadedLanguageModel::prompt_ids(std::string_view text) const {
  std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (delimiter >= 0) ids.push_back(delimiter);
  return ids;
}

// --- The row of the registry -------------------------------------------------------------------------------

namespace {
class LanguageModelFamily : public Family {
 public:
  LanguageModelFamily()
      : Family({.model_kind = kLanguageModel,
                .task = Task::language_modeling,
                .model_type = kLanguageModelType,
                .noun = "a language model",
                .example = "text",
                .token_axes = {{"embedding.tokens", 0, "tokenizer.json"},
                               {"head.weight", 1, "tokenizer.json"},
                               {"head.bias", 0, "tokenizer.json"}},
                .int8_weights = ""}) {}
  Offer offer(const ModelSection& model) const override {
    return offer_with_mixing("a language model", model.as<LanguageModelSettings>().mixing,
                             {Ability::continue_texts, Ability::embed});
  }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json"}; }
  // All but the last are read, all but the first predicted; beside a delimiter one less of each column.
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    const LanguageModelSettings& s = recipe.model.as<LanguageModelSettings>();
    return s.transformer.length + (s.delimiter.empty() ? 1 : 0);
  }
  LineForm line_form(const ModelSection& model) const override {
    const std::string& delimiter = model.as<LanguageModelSettings>().delimiter;
    LineForm form{.target = {.start = false, .end = true}};
    if (!delimiter.empty()) form.special_tokens.push_back(delimiter);
    return form;
  }
  MadeModel model_of(const Recipe& recipe) const override {
    return made(std::make_unique<LanguageModel>(recipe.model.as<LanguageModelSettings>(),
                                                recipe.source_tokenizer.size));
  }
  MadeModel model_of(const Json& config, const std::string& where) const override {
    return made(language_model_of_config(config, where));
  }
  ModelSection section_of_config(Json config) const override {
    return language_model_section(std::move(config));
  }

 private:
  static MadeModel made(std::unique_ptr<LanguageModel> model) {
    const std::string length = std::to_string(model->length());
    return made_model(std::move(model),
                      "T: tokens; FLOPs: a forward pass over a text of " + length + " tokens");
  }
  std::unique_ptr<AttentionTracer> attention_of(const ModelFolder& folder) const override {
    return attention_tracer(load_language_model(folder));
  }
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return text_states(load_language_model(folder));
  }
};

}  // namespace

const Family& language_model_family() {
  static const LanguageModelFamily family;
  return family;
}

// --- Where it looked, and the states of its tokens ---------------------------------------------------------

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
