// The recipe of a trained model: for training a model of the same sizes, or one that begins with its weights.
#include "models/classifier.hpp"
#include "models/encoder_decoder.hpp"
#include "models/masked_lm.hpp"
#include "models/text_embedder.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/text_classifier.hpp"
#include "pretrained/vision_model.hpp"
#include "support/error.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// Of a published encoder that makes vectors, which is not trained as such: a classifier on top of it. What
// images are made of is in a file of its own.
ModelSection trainable(const ModelFolder& folder) {
  ModelSection section = folder.kind->section_of_config(folder.config);
  if (folder.kind->task() == Task::image_classification)
    return model_section(load_vision_model(folder).model->settings());
  if (folder.kind->task() != Task::feature_extraction) return section;
  const auto& encoder = section.as<TextEmbedderSettings>();
  ClassifierSettings settings;
  static_cast<TextEncoderSettings&>(settings) = encoder;
  settings.special_tokens = "template";
  settings.pooling = encoder.pooler ? "first" : encoder.pooling;
  settings.pooler = encoder.pooler;
  settings.head.head = "softmax";
  return model_section(settings);
}

std::int64_t size_of(const Json& config, std::string_view name) {
  const Json* const size = config.find(name);
  return size == nullptr ? 0 : size->as_integer();
}

}  // namespace

void write_recipe(const fs::path& path, cli::LineWriter& out) {
  const ModelFolder folder = open_model(path);
  if (folder.has("recipe.yaml")) return out.text(folder.read("recipe.yaml"));
  Recipe recipe;
  recipe.name = name_of_model(path);
  recipe.model = trainable(folder);
  if (recipe.model.kind().reads("masking") && recipe.model.as<MaskedLmSettings>().next_sentence)
    recipe.masking.examples = "sentence_pairs";
  if (!recipe.model.columns().empty()) recipe.data.columns.clear();
  for (const std::string_view column : recipe.model.columns()) recipe.data.columns.emplace_back(column);
  if (const std::int64_t size = size_of(folder.config, "vocabulary_size"); size > 0)
    recipe.source_tokenizer.size = size;
  if (const std::int64_t source = size_of(folder.config, "source_vocabulary_size"); source > 0) {
    recipe.source_tokenizer.size = source;
    recipe.target_tokenizer.size = size_of(folder.config, "target_vocabulary_size");
    const std::string& shared = recipe.model.as<EncoderDecoderSettings>().share_embeddings;
    recipe.shared_tokenizer = shared == "all" || shared == "source_target";
  }
  out.text(std::string("# The model is that of ") + shown(path) +
           (folder.kind->task() == Task::feature_extraction ? ", under a classifier" : "") +
           "; how it was trained is not known, and what is not of the model has the defaults.\n" +
           print_recipe(recipe));
}

}  // namespace headwater::inspect
