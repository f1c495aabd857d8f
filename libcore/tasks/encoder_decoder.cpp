#include "tasks/encoder_decoder.hpp"

#include <algorithm>

#include "data/labels.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "tasks/config.hpp"
#include "tasks/generation_config.hpp"
#include "tasks/marian.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/model_rows.hpp"
#include "tasks/tokenizer_files.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void settings_rows(schema::Visitor& v, EncoderDecoderSettings& s) {
  rows(v, s.transformer);
  v.field("encoder_layers", &s.encoder_layers, schema::Between{0, 1000, "blocks"},
          "blocks of the encoder, one after the other");
  v.field("decoder_layers", &s.decoder_layers, schema::Between{1, 1000, "blocks"},
          "blocks of the decoder, one after the other");
  v.field("share_embeddings", &s.share_embeddings,
          schema::OneOf{{{"none", "source table, target table and output layer are three"},
                         {"target_output", "the output layer is the target table (Marian: tied-embeddings)"},
                         {"source_target", "one table for both sides (Marian: tied-embeddings-src)"},
                         {"all", "one for all three (Marian: tied-embeddings-all)"}}},
          "which embeddings are one (Press and Wolf 2017); both sides then have one vocabulary");
}

static void check_settings(const EncoderDecoderSettings& s, const Recipe& recipe, const Complain& complain) {
  check_transformer(s.transformer, true, complain);
  const std::int64_t source = recipe.source_tokenizer.size, target = recipe.target_tokenizer.size;
  if (shares_tables(s) && source != target) {
    complain({"model", "share_embeddings"},
             s.share_embeddings + ": source_tokenizer.size is " + std::to_string(source) +
                 ", target_tokenizer.size " + std::to_string(target) +
                 ": one table needs one vocabulary (give both the same, or write target_output)");
  }
  const TransformerSettings& t = s.transformer;
  if (recipe.training.r_drop > 0 && t.dropout == 0 && t.attention_dropout == 0 && t.output_dropout == 0) {
    complain({"training", "r_drop"},
             "without dropout both passes are one (give model.dropout, or remove r_drop)");
  }
}

static const ModelKind kEncoderDecoder{.name = "encoder_decoder",
                                       .article = "an",
                                       .meaning = "a Transformer that translates (Vaswani et al. 2017)",
                                       .columns = {"source", "target"},
                                       .sections = {"source_tokenizer", "target_tokenizer", "decoding"},
                                       .metrics = {"loss", "accuracy", "perplexity", "bleu", "chrf"},
                                       .defaults = SettingsOf<EncoderDecoderSettings>::defaults};

ModelSection model_section(const EncoderDecoderSettings& settings) {
  return model_section(kEncoderDecoder, settings);
}

// --- The directory -----------------------------------------------------------------------------------------

namespace {

constexpr const char* kEncoderDecoderType = "headwater_encoder_decoder";

Json generation_config_of(const Tokenizer& target, std::int64_t max_new_tokens,
                          const DecodingSettings& decoding) {
  Json config;
  config.set("decoder_start_token_id", std::int64_t{target.start_id()});
  config.set("eos_token_id", std::int64_t{target.end_id()});
  config.set("pad_token_id", std::int64_t{target.pad_id()});
  config.set("max_length", max_new_tokens);
  write_decoding(config, decoding);
  return config;
}

}  // namespace

std::optional<std::int64_t> read_max_length(const std::filesystem::path& files) {
  const std::filesystem::path path = files / "generation_config.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const Json config = Json::parse(read_file(path, 1 << 20), path.string());
  try {
    const Json* const most = config.find("max_length");
    if (most == nullptr || most->is_null()) return std::nullopt;
    return whole(config, "max_length", 1, 1000000);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

Json config_of(const EncoderDecoder& model, const Tokenizer& source, const Tokenizer& target) {
  Json config;
  config.set("architectures", Json::Array{"HeadwaterEncoderDecoder"});
  config.set("model_type", kEncoderDecoderType);
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

std::unique_ptr<EncoderDecoder> encoder_decoder_of_config(const Json& config, const std::string& where) {
  try {
    if (config.at("model_type").as_string() == kMarianType) return marian_of_config(config);
    ModelSection section(kEncoderDecoder);
    if (config.find("share_embeddings") == nullptr) {  // written before there was the key
      Json complete = config;
      read_settings(complete.set("share_embeddings", "none"), section.settings());
    } else {
      read_settings(config, section.settings());
    }
    return std::make_unique<EncoderDecoder>(section.as<EncoderDecoderSettings>(),
                                            whole(config, "source_vocabulary_size", 1, 10000000),
                                            whole(config, "target_vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

std::vector<std::int32_t> TranslationModel::source_ids(std::string_view text) const {
  if (trimmed_label(text).empty()) return {};  // also where a space is a token
  std::vector<std::int32_t> found = source_tokenizer.encode(text);
  if (found.empty()) return found;
  found = source_tokenizer.with_special_tokens(found);
  if (appends_end) found.push_back(ids.end);
  return found;
}

static TranslationIds ids_of(const Tokenizer& target) {
  return {target.pad_id(), target.start_id(), target.end_id()};
}

TranslationModel load_translation_model(const std::filesystem::path& path) {
  const std::filesystem::path files = model_files(path), config_path = files / "config.json";
  check_answer(files, Answer::translation);
  const Json config = read_config(files);
  if (config.at("model_type").as_string() == kMarianType) return load_marian(files, config);
  std::unique_ptr<EncoderDecoder> model = encoder_decoder_of_config(config, config_path.string());
  Tokenizer source = load_tokenizer(files / "source-tokenizer.json", model->source_vocabulary(),
                                    text_at(config, "source_vocabulary_hash", config_path), config_path);
  Tokenizer target = load_tokenizer(files / "target-tokenizer.json", model->target_vocabulary(),
                                    text_at(config, "target_vocabulary_hash", config_path), config_path);
  if (target.start_id() < 0 || target.end_id() < 0) {
    throw Error((files / "target-tokenizer.json").string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  map_parameters(files / "model.safetensors", model->parameters());
  const TranslationIds ids = ids_of(target);
  return {files,
          std::move(source),
          std::move(target),
          std::move(model),
          read_max_length(files).value_or(0),
          read_decoding(files),
          ids};
}

// --- Training ----------------------------------------------------------------------------------------------

std::vector<TokenColumnSettings> translation_columns(const Tokenizer& source, const Tokenizer& target,
                                                     std::int64_t length) {
  return {{.name = "source",
           .vocabulary = source.vocabulary_size(),
           .max_length = length,
           .special = source.special_ids(),
           .vocabulary_hash = source.hash()},
          {.name = "target",
           .vocabulary = target.vocabulary_size(),
           .max_length = length + 1,
           .min_length = 2,
           .first_id = target.start_id(),
           .special = target.special_ids(),
           .vocabulary_hash = target.hash()}};
}

namespace {

// One file may stand for both sides where the recipe says that they share it.
Tokenizer load_target(const Recipe& recipe, const TaskFiles& given) {
  const bool is_source = recipe.shared_tokenizer && given.target_tokenizer.empty();
  return load_side(is_source ? given.source_tokenizer : given.target_tokenizer, "--target-tokenizer");
}

class EncoderDecoderTaskModel : public TaskModel {
 public:
  EncoderDecoderTaskModel(const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        translator_{.files = {},
                    .source_tokenizer = load_side(given.source_tokenizer, "--source-tokenizer"),
                    .target_tokenizer = load_target(recipe, given),
                    .model = std::make_unique<EncoderDecoder>(recipe.model.as<EncoderDecoderSettings>(),
                                                              recipe.source_tokenizer.size,
                                                              recipe.target_tokenizer.size),
                    .max_new_tokens = recipe.decoding.max_new_tokens,
                    .decoding = recipe.decoding} {
    if (target_.start_id() < 0 || target_.end_id() < 0) {
      const bool are_swapped = source_.start_id() >= 0 && source_.end_id() >= 0;
      const bool is_source = given.target_tokenizer.empty();
      throw UsageError((is_source ? given.source_tokenizer : given.target_tokenizer) +
                       ": has no [START] and [END]" +
                       (are_swapped ? ", but " + given.source_tokenizer + " has (are the two swapped?)"
                                    : " (learn it with tokenize --learn ... --start-end)"));
    }
    if (shares_tables(model_.settings()) && source_.hash() != target_.hash()) {
      throw UsageError("model.share_embeddings: " + model_.settings().share_embeddings + ": " +
                       given.source_tokenizer + " and " + given.target_tokenizer +
                       " are two vocabularies (learn one from both columns with --start-end, or write "
                       "target_output)");
    }
    if (recipe.shared_tokenizer && source_.hash() != target_.hash()) {
      throw UsageError(given.target_tokenizer + ": another vocabulary than " + given.source_tokenizer +
                       ", and the recipe has shared_tokenizer: true (give both options one file)");
    }
    check_size(source_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    check_size(target_, recipe.target_tokenizer.size, given.target_tokenizer, "target_tokenizer");
    translator_.ids = ids_of(target_);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    return columns_in_order(translation_columns(source_, target_, model_.length()), recipe_.data.columns);
  }
  void translate_with(const TranslateIds& translate) override { translate_ = translate; }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    auto objective = std::make_unique<TranslationObjective>(
        model_, std::move(train), std::move(validation), recipe_.training.label_smoothing,
        TranslationMeasure(translator_, translate_, recipe_.training.validation_translations));
    const auto of = [&](const Tokenizer& tokenizer, std::uint32_t column, const char* name) {
      return SubwordResampling(tokenizer, recipe_.training.subword_sampling, recipe_.seed, column,
                               model_.length() + column, name);
    };
    objective->resample(of(source_, 0, "the source tokenizer"), of(target_, 1, "the target tokenizer"));
    objective->regularize(recipe_.training.r_drop);
    return objective;
  }
  std::vector<UsedRows> used_rows() const override {
    return {{"source_tokenizer", "source-tokenizer.json", source_.vocabulary_size()},
            {"target_tokenizer", "target-tokenizer.json", target_.vocabulary_size()}};
  }
  std::vector<DirectoryFile> files() const override {
    const std::int64_t length = model_.length(), most = recipe_.decoding.max_new_tokens;
    return {
        {"config.json", config_of(model_, source_, target_).dump(2) + "\n"},
        {"generation_config.json",
         generation_config_of(target_, most > 0 ? std::min(most, length) : length, recipe_.decoding).dump(2) +
             "\n"},
        {"source-tokenizer.json", source_.to_json(), "tokenizer"},
        {"target-tokenizer.json", target_.to_json(), "tokenizer"},
        // Once more, under the name that other programs look for; no run depends on it.
        {"tokenizer.json", source_.to_json()},
        tokenizer_config_file(source_, length)};
  }

 private:
  const Recipe& recipe_;
  TranslationModel translator_;
  const Tokenizer &source_ = translator_.source_tokenizer, &target_ = translator_.target_tokenizer;
  EncoderDecoder& model_ = *translator_.model;
  TranslateIds translate_;
};

// --- The row of the registry -------------------------------------------------------------------------------

class EncoderDecoderTask : public Task {
 public:
  const ModelKind& kind() const override { return kEncoderDecoder; }
  Answer answer() const override { return Answer::translation; }
  std::string_view model_type() const override { return kEncoderDecoderType; }
  std::string_view foreign_type() const override { return kMarianType; }
  std::string_view what_it_is() const override { return "a translator (use translate)"; }
  std::string_view example() const override { return "pair"; }
  std::string_view next_tool() const override { return "translate"; }
  std::vector<std::string> text_files() const override {
    return {"source-tokenizer.json", "target-tokenizer.json", "generation_config.json"};
  }
  std::vector<TokenAxis> token_axes() const override {
    return {{"source_embedding.tokens", 0, "source-tokenizer.json"},
            {"target_embedding.tokens", 0, "target-tokenizer.json"},
            {"embedding.tokens", 0, "target-tokenizer.json"},
            {"head.weight", 1, "target-tokenizer.json"},
            {"head.bias", 0, "target-tokenizer.json"}};
  }
  std::int64_t max_line_ids(const ModelSection& model) const override {
    return model.as<EncoderDecoderSettings>().transformer.length;
  }
  std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given) const override {
    if (!given.labels.empty() || !given.terms.empty())
      throw UsageError("--labels and --terms are for recipes of classifiers");
    return std::make_unique<EncoderDecoderTaskModel>(recipe, given);
  }
  ModelDescription describe(const Recipe& recipe) const override {
    return description_of(EncoderDecoder(recipe.model.as<EncoderDecoderSettings>(),
                                         recipe.source_tokenizer.size, recipe.target_tokenizer.size));
  }
  ModelDescription describe(const Json& config, const std::string& where) const override {
    return description_of(*encoder_decoder_of_config(config, where));
  }
  void check_weights(const Json& config, const std::filesystem::path& files) const override {
    const auto model = encoder_decoder_of_config(config, (files / "config.json").string());
    const bool is_marian = config.at("model_type").as_string() == kMarianType;
    (is_marian ? read_marian_parameters : map_parameters)(weights_of(files), model->parameters());
  }
  std::string_view layout() const override { return "Marian's"; }
  std::string unsayable(const ModelSection& model) const override {
    return unsayable_in_marian(model.as<EncoderDecoderSettings>());
  }
  std::unique_ptr<AttentionTracer> tracer(const std::filesystem::path& files) const override {
    return attention_tracer(load_translation_model(files));
  }

 private:
  static ModelDescription description_of(const EncoderDecoder& model) {
    const std::string length = std::to_string(model.length());
    return {model.summary(), "S, T: source and target tokens; FLOPs: a forward pass over one pair of " +
                                 length + " and " + length + " tokens"};
  }
};

}  // namespace

const Task& encoder_decoder_task() {
  static const EncoderDecoderTask task;
  return task;
}

}  // namespace headwater
