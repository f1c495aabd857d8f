#include "families/recipe_of_model.hpp"

#include <algorithm>

#include "families/classifier/directory.hpp"
#include "families/classifier/model.hpp"
#include "families/masked_lm/model.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/model.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "families/vision/directory.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

namespace {

// A published encoder that makes vectors is not trained as such: its recipe is one of a classifier on top of
// it. What images are made of is in a file of its own.
ModelSection trainable(const ModelFolder& folder) {
  ModelSection section = folder.family->section_of_config(folder.config);
  if (folder.family->task == Task::image_classification)
    return model_section(load_vision_model(folder).model->settings());
  if (folder.family->task != Task::feature_extraction) return section;
  const auto& encoder = section.as<TextEmbedderSettings>();
  ClassifierSettings settings;
  static_cast<TextEncoderSettings&>(settings) = encoder;
  settings.special_tokens = SpecialTokens::template_;
  settings.pooling = encoder.pooler ? ops::Pooling::first : encoder.pooling;
  settings.pooler = encoder.pooler;
  settings.head.head = HeadType::softmax;
  return model_section(settings);
}

std::int64_t size_of(const Json& config, std::string_view name) {
  const Json* const size = config.find(name);
  return size == nullptr ? 0 : size->as_integer();
}

// As a recipe calls such a tokenizer; empty: by no name.
std::string kind_of_tokenizer(const Tokenizer& tokenizer) {
  const std::string type = tokenizer.model_type();
  if (type == "WordPiece") return "wordpiece";
  if (type == "Unigram") return "unigram";
  if (type == "BPE")
    return tokenizer.to_json().find("\"ByteLevel\"") == std::string::npos ? "bpe" : "byte_bpe";
  return {};
}

void set_kind(TokenizerSettings& settings, const Tokenizer& tokenizer) {
  if (const std::string kind = kind_of_tokenizer(tokenizer); !kind.empty()) settings.kind = kind;
}

// The tokenizers of a translator, and its search.
void add_translator(const ModelFolder& folder, Recipe& recipe) {
  recipe.source_tokenizer.size = size_of(folder.config, "source_vocabulary_size");
  recipe.target_tokenizer.size = size_of(folder.config, "target_vocabulary_size");
  recipe.shared_tokenizer = shares_tables(recipe.model.as<EncoderDecoderSettings>());
  const LoadedTranslator model = load_translator(folder);
  set_kind(recipe.source_tokenizer, model.source_tokenizer);
  set_kind(recipe.target_tokenizer, model.target_tokenizer);
  recipe.decoding = model.generation.decoding;
}

}  // namespace

Recipe recipe_of_model(const ModelFolder& folder, const std::filesystem::path& name) {
  if (folder.has("recipe.yaml"))
    return parse_recipe(folder.read("recipe.yaml"), (folder.path / "recipe.yaml").string());
  Recipe recipe;
  recipe.name = name_of_model(name);
  recipe.model = trainable(folder);
  if (recipe.model.kind().reads("masking") && recipe.model.as<MaskedLmSettings>().next_sentence)
    recipe.masking.examples = MaskedExamples::sentence_pairs;
  if (!recipe.model.columns().empty()) recipe.data.columns.clear();
  for (const std::string_view column : recipe.model.columns()) recipe.data.columns.emplace_back(column);
  if (const std::int64_t size = size_of(folder.config, "vocabulary_size"); size > 0)
    recipe.source_tokenizer.size = size;
  if (folder.family->task == Task::translation) {
    add_translator(folder, recipe);
  } else if (recipe.model.kind().reads("source_tokenizer") && Tokenizer::is_in(folder.path)) {
    set_kind(recipe.source_tokenizer, Tokenizer::load(folder));
  }
  return filled_in(std::move(recipe));
}

Recipe read_recipe_over_model(const fs::path& path, const fs::path& model, std::string_view scale,
                              const std::vector<std::string>& changes) {
  const fs::path of_run = fs::is_directory(model) ? model / "recipe.yaml" : model;
  std::error_code none;
  const Recipe given =
      fs::exists(of_run, none) ? read_recipe(of_run) : recipe_of_model(open_model(model), model);
  std::vector<std::string> others;
  Recipe recipe =
      parse_recipe_over(given, recipe_text(path), path.string(), model_kinds(), scale, changes, others);
  if (others.empty()) return recipe;
  std::string keys;
  for (const std::string& other : others) keys += (keys.empty() ? "" : "; ") + other;
  throw UsageError(path.string() + ": other tokenizers than those of " + model.string() + ": " + keys +
                   " (remove these keys for the tokenizers of that model; data.tokenizer_text: another file "
                   "than data.train learns new ones, whose new tokens begin anew)");
}

}  // namespace headwater
