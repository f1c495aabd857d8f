#include "families/translator/directory.hpp"

#include <algorithm>

#include "families/config.hpp"
#include "families/generation_config.hpp"
#include "families/mixing_rows.hpp"
#include "families/model_directory.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void settings_rows(schema::Visitor& v, EncoderDecoderSettings& s) {
  constexpr MixingUse kMixing{.kind = "encoder_decoder", .allows = [](const MixerKind& mixer) {
                                return mixer.takes_steps && (!mixer.is_recurrent || mixer.begins_with_state);
                              }};
  mixing_rows(v, s.mixing, s.transformer, kMixing);
  const schema::When recurrent =
      kMixing.reads_with([](const MixerKind& mixer) { return mixer.is_recurrent; }, s.mixing);
  v.field("embedding_width", &s.embedding_width, schema::Between{0, 65536, "features"},
          "of mixing: gru: the numbers of a token that the first layers read",
          schema::Follows{"model.width", s.transformer.width}, recurrent);
  v.field("additive_attention", &s.additive_attention, schema::Anything{},
          "of mixing: gru: the decoder weighs the states of the source at each step (Bahdanau et al. 2015)",
          recurrent);
  BlockKeys blocks = block_keys(s.mixing, kMixing);
  // a decoder that is not recurrent attends to the source, whatever mixes
  blocks.attention = kMixing.reads_with([](const MixerKind& mixer) { return !mixer.is_recurrent; }, s.mixing);
  rows(v, s.transformer, blocks);
  v.field("encoder_layers", &s.encoder_layers, schema::Between{0, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("decoder_layers", &s.decoder_layers, schema::Between{1, 1000, "blocks"},
          "blocks of the decoder, one after the other");
  v.field("share_embeddings", &s.share_embeddings,
          {"source table, target table and output layer are three",
           "the output layer is the target table (Marian: tied-embeddings)",
           "one table for both sides (Marian: tied-embeddings-src)",
           "one for all three (Marian: tied-embeddings-all)"},
          "which embeddings are one (Press and Wolf 2017); both sides then have one vocabulary");
  v.field("source_special_tokens", &s.source_special_tokens,
          {"a source is its text alone", "[START] and [END] around it, as around targets",
           "[END] after it, as Marian has it"},
          {"special tokens around a source", "make recipe (tokenize, vectorize), train, inspect"});
}

static void check_settings(const EncoderDecoderSettings& s, const Recipe& recipe, const Complain& complain) {
  check_transformer(s.transformer, !s.mixing.is_recurrent(), complain, s.embedding_width);
  check_mixing(s.mixing, s.transformer, complain);
  if (s.mixing.is_recurrent() && s.encoder_layers == 0)
    complain({"model", "encoder_layers"},
             "a recurrent decoder begins with the encoder's last state (write 1 or more)");
  if (ties_output(s) && s.embedding_width > 0 && s.embedding_width != s.transformer.width) {
    complain({"model", "embedding_width"}, "share_embeddings: " + std::string(name_of(s.share_embeddings)) +
                                               " needs embeddings as wide as the model (write " +
                                               std::to_string(s.transformer.width) + ")");
  }
  if (!s.mixing.is_recurrent() && !s.mixing.has_attention() && s.transformer.positions == Positions::rotary)
    complain({"model", "positions"}, "rotary positions are of self-attention, not of mixing: " +
                                         s.mixing.mixing + " (write learned)");
  const std::int64_t source = recipe.source_tokenizer.size, target = recipe.target_tokenizer.size;
  if (shares_tables(s) && source != target) {
    complain({"model", "share_embeddings"},
             std::string(name_of(s.share_embeddings)) + ": source_tokenizer.size is " +
                 std::to_string(source) + ", target_tokenizer.size " + std::to_string(target) +
                 ": one table needs one vocabulary (give both the same, or write target_output)");
  }
  const TransformerSettings& t = s.transformer;
  if (recipe.training.r_drop > 0 && t.dropout == 0 && t.attention_dropout == 0 && t.output_dropout == 0) {
    complain({"training", "r_drop"},
             "without dropout both passes are one (give model.dropout, or remove r_drop)");
  }
}

static const ModelKind kEncoderDecoder{
    .name = "encoder_decoder",
    .article = "an",
    .meaning = "a Transformer that translates (Vaswani et al. 2017)",
    .columns = {"source", "target"},
    .sections = {"source_tokenizer", "target_tokenizer", "decoding"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::token_models, MetricOf::texts}),
    .defaults = SettingsOf<EncoderDecoderSettings>::defaults};

ModelSection model_section(const EncoderDecoderSettings& settings) {
  return model_section(kEncoderDecoder, settings);
}

// --- The directory -----------------------------------------------------------------------------------------

namespace {
constexpr const char* kEncoderDecoderType = "headwater_encoder_decoder";

}  // namespace

Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target) {
  Json config = begin_config("HeadwaterEncoderDecoder", kEncoderDecoderType);
  ModelSection section = model_section(model.settings());
  write_settings(config, section.settings());
  config.set("source_vocabulary_size", model.source_vocabulary());
  config.set("target_vocabulary_size", model.target_vocabulary());
  config.set("source_vocabulary_hash", source.hash());
  config.set("target_vocabulary_hash", target.hash());
  config.set("pad_token_id", std::int64_t{target.pad_id()});
  config.set("decoder_start_token_id", std::int64_t{target.start_id()});
  config.set("eos_token_id", std::int64_t{target.end_id()});
  return config;
}

static Json generation_config_of(const Tokenizer& target, std::int64_t max_new_tokens,
                                 const DecodingSettings& decoding) {
  Json config;
  config.set("decoder_start_token_id", std::int64_t{target.start_id()});
  config.set("eos_token_id", std::int64_t{target.end_id()});
  config.set("pad_token_id", std::int64_t{target.pad_id()});
  config.set("max_length", max_new_tokens);
  write_decoding(config, decoding);
  return config;
}

std::vector<DirectoryFile> translator_files(const EncoderDecoder& model, const Tokenizer& source,
                                            const Tokenizer& target, const DecodingSettings& decoding) {
  const std::int64_t length = model.length(), most = decoding.max_new_tokens;
  return {{"config.json", config_of(model, source, target).dump(2) + "\n"},
          {"generation_config.json",
           generation_config_of(target, most > 0 ? std::min(most, length) : length, decoding).dump(2) + "\n"},
          {"source-tokenizer.json", source.to_json(), "tokenizer"},
          {"target-tokenizer.json", target.to_json(), "tokenizer"},
          // Once more, under the name that other programs look for; no run depends on it.
          {"tokenizer.json", source.to_json()},
          tokenizer_config_file(source, length)};
}

static ModelSection encoder_decoder_section(Json config) {
  if (config.find("share_embeddings") == nullptr)
    config.set("share_embeddings", "none");  // written before there was the key
  if (config.find("source_special_tokens") == nullptr) config.set("source_special_tokens", "none");
  if (config.find("mixing") == nullptr) config.set("mixing", "attention");
  ModelSection section(kEncoderDecoder);
  read_settings(config, section.settings());
  return section;
}

std::unique_ptr<EncoderDecoder> encoder_decoder_of_config(const Json& config, const std::string& where) {
  try {
    return std::make_unique<EncoderDecoder>(encoder_decoder_section(config).as<EncoderDecoderSettings>(),
                                            whole(config, "source_vocabulary_size", 1, 10000000),
                                            whole(config, "target_vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

SourceIds LoadedTranslator::source_ids(std::string_view text) const {
  SourceIds found;
  found.is_empty = true;
  if (trimmed(text).empty()) return found;  // also where a space is a token
  std::vector<std::int32_t> own = source_tokenizer.encode(text);
  found.is_empty = own.empty();
  if (found.is_empty) return found;
  constexpr std::int32_t kText = -1;  // no id: where the text goes
  std::vector<std::int32_t>& all = found.ids;
  all = {kText};
  if (uses_template) all = source_tokenizer.with_special_tokens(std::vector{kText});
  if (appends_end) all.push_back(ids.end);
  if (model->settings().has_source_start()) all.insert(all.begin(), source_tokenizer.start_id());
  if (model->settings().has_source_end()) all.push_back(source_tokenizer.end_id());
  const std::size_t most = model->length();
  const std::size_t around = all.size() - 1;
  found.is_truncated = own.size() + around > most;
  if (uses_template && around < most) own.resize(std::min(own.size(), most - around));
  const auto at = std::ranges::find(all, kText);
  const Index begin = at - all.begin();
  if (at != all.end()) all.insert(all.erase(at), own.begin(), own.end());
  all.resize(std::min(all.size(), most));
  found.first = {std::min(begin, std::ssize(all)), std::min(begin + std::ssize(own), std::ssize(all))};
  return found;
}

std::string LoadedTranslator::target_surface(std::int32_t id) const {
  return id < target_tokenizer.vocabulary_size() ? target_tokenizer.surface(id) : "[START]";
}

bool lacks_source_ends(const EncoderDecoderSettings& settings, const Tokenizer& source) {
  return (settings.has_source_start() && source.start_id() < 0) ||
         (settings.has_source_end() && source.end_id() < 0);
}

TranslationIds translation_ids(const Tokenizer& target) {
  return {target.pad_id(), target.start_id(), target.end_id()};
}

LoadedTranslator load_translator(const std::filesystem::path& path) {
  return load_translator(open_model(path));
}

static LoadedTranslator load_own_texts(const ModelFolder& folder, const EncoderDecoder& model) {
  const Json& config = folder.config;
  const std::filesystem::path config_path = folder.config_path();
  Tokenizer source = load_tokenizer(folder, "source-tokenizer.json", model.source_vocabulary(),
                                    text_at(config, "source_vocabulary_hash", config_path));
  Tokenizer target = load_tokenizer(folder, "target-tokenizer.json", model.target_vocabulary(),
                                    text_at(config, "target_vocabulary_hash", config_path));
  if (target.start_id() < 0 || target.end_id() < 0) {
    throw Error((folder.path / "target-tokenizer.json").string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  if (lacks_source_ends(model.settings(), source)) {
    throw Error((folder.path / "source-tokenizer.json").string() +
                ": has no [START] and [END], which the model reads (learn it with tokenize --start-end)");
  }
  GenerationConfig generation = read_generation_config(folder);
  const TranslationIds ids = translation_ids(target);
  std::shared_ptr<const Shortlist> shortlist;
  if (const auto path = folder.beside(kShortlistFile))
    shortlist = std::make_shared<const Shortlist>(
        read_shortlist(read_file(*path), path->string(), shortlist_vocabularies(source, target)));
  const std::int64_t max_new_tokens = generation.max_length.value_or(0);
  return {.source_tokenizer = std::move(source),
          .target_tokenizer = std::move(target),
          .max_new_tokens = max_new_tokens,
          .generation = std::move(generation),
          .ids = ids,
          .shortlist = std::move(shortlist)};
}

// Their max_length counts the start. 0: not said.
static std::int64_t published_max_new_tokens(const GenerationConfig& generation) {
  if (generation.max_new_tokens) return *generation.max_new_tokens;
  return generation.max_length ? std::max<std::int64_t>(1, *generation.max_length - 1) : 0;
}

static LoadedTranslator load_published_texts(const ModelFolder& folder, const EncoderDecoder& model) {
  ModelTokenizers tokenizers = published_tokenizers(
      folder, {.source = model.source_vocabulary(), .target = model.target_vocabulary()});
  GenerationConfig generation = read_generation_config(folder);
  const std::int64_t max_new_tokens = published_max_new_tokens(generation);
  const auto id = [&](const char* name) {
    return static_cast<std::int32_t>(folder.config.at(name).as_integer());
  };
  return {
      .source_tokenizer = std::move(tokenizers.source),
      .target_tokenizer = std::move(*tokenizers.target),
      .max_new_tokens = max_new_tokens,
      .generation = std::move(generation),
      .ids = {.pad = id("pad_token_id"), .start = id("decoder_start_token_id"), .end = id("eos_token_id")},
      .uses_template = true,
      .appends_end = tokenizers.appends_end,
      .shortlist = std::move(tokenizers.shortlist)};
}

LoadedTranslator load_translator(const ModelFolder& folder) {
  require(folder, Ability::translate);
  std::unique_ptr<EncoderDecoder> model =
      encoder_decoder_of_config(folder.config, folder.config_path().string());
  const auto load_texts = folder.layout != nullptr ? load_published_texts : load_own_texts;
  LoadedTranslator loaded = load_texts(folder, *model);
  load_weights(folder, model->parameters());
  loaded.files = folder.path;
  loaded.model = std::move(model);
  return loaded;
}

// --- The row of the registry -------------------------------------------------------------------------------

namespace {
class EncoderDecoderFamily : public Family {
 public:
  EncoderDecoderFamily()
      : Family({.model_kind = kEncoderDecoder,
                .task = Task::translation,
                .model_type = kEncoderDecoderType,
                .noun = "a translator",
                .example = "pair",
                .token_axes = {{"source_embedding.tokens", 0, "source-tokenizer.json"},
                               {"target_embedding.tokens", 0, "target-tokenizer.json"},
                               {"embedding.tokens", 0, "target-tokenizer.json"},
                               {"head.weight", 1, "target-tokenizer.json"},
                               {"head.bias", 0, "target-tokenizer.json"}},
                .int8_weights = ""}) {}
  Offer offer(const ModelSection& model) const override {
    const auto& s = model.as<EncoderDecoderSettings>();
    if (!s.mixing.is_recurrent() || s.additive_attention)
      return {"a translator", {Ability::translate, Ability::embed, Ability::show_attention}};
    return {"a translator with mixing: " + s.mixing.mixing + " and without additive_attention",
            {Ability::translate, Ability::embed}};
  }
  std::vector<std::string> text_files(const Json&) const override {
    return {"source-tokenizer.json", "target-tokenizer.json", "generation_config.json"};
  }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    return recipe.model.as<EncoderDecoderSettings>().transformer.length;
  }
  LineForm line_form(const ModelSection& model) const override {
    const auto& settings = model.as<EncoderDecoderSettings>();
    return {.source = {.start = settings.has_source_start(), .end = settings.has_source_end()},
            .has_one_vocabulary = shares_tables(settings)};
  }
  MadeModel model_of(const Recipe& recipe) const override {
    return made(std::make_unique<EncoderDecoder>(recipe.model.as<EncoderDecoderSettings>(),
                                                 recipe.source_tokenizer.size, recipe.target_tokenizer.size));
  }
  MadeModel model_of(const Json& config, const std::string& where) const override {
    return made(encoder_decoder_of_config(config, where));
  }
  ModelSection section_of_config(Json config) const override {
    return encoder_decoder_section(std::move(config));
  }

 private:
  static MadeModel made(std::unique_ptr<EncoderDecoder> model) {
    const std::string length = std::to_string(model->length());
    return made_model(std::move(model),
                      "S, T: source and target tokens; FLOPs: a forward pass over one pair of " + length +
                          " and " + length + " tokens");
  }
  std::unique_ptr<AttentionTracer> attention_of(const ModelFolder& folder) const override {
    return attention_tracer(load_translator(folder));
  }
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return text_states(load_translator(folder));
  }
};

}  // namespace

const Family& encoder_decoder_family() {
  static const EncoderDecoderFamily family;
  return family;
}

}  // namespace headwater
