// Logistic regression that gives texts a label: over their terms, or over their vectors by an encoder, which
// is part of the model.
#include <algorithm>

#include "families/classifier/directory.hpp"
#include "families/config.hpp"
#include "families/linear_classifier/model.hpp"
#include "families/masked_lm/directory.hpp"
#include "families/model_rows.hpp"
#include "families/quantized_model.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/directory.hpp"
#include "metrics/registry.hpp"
#include "recipe/key_values.hpp"
#include "support/error.hpp"
#include "support/split.hpp"

namespace headwater {

static void settings_rows(schema::Visitor& v, LinearClassifierSettings& s) {
  v.field(
      "encoder", &s.encoder, schema::Text::any,
      "the directory of a text encoder or a masked language model: the model reads the vectors that embed "
      "makes with it, keeps its weights, and has its tokenizer; a path from the folder in which train or "
      "make is called; empty: it reads terms");
  v.field(
      "C", &s.C, schema::Between{1e-9, 1e9, schema::kNoUnit},
      "1 / strength of the L2 penalty, as scikit-learn's LogisticRegression has it: smaller values shrink "
      "the weights more");
  rows(v, s.head);
}

// Keys that differ from their default, of sections that the model does not read.
static void check_unread(const Recipe& recipe, std::string_view section, const char* why,
                         const Complain& complain) {
  Recipe defaults;
  defaults.model = ModelSection(recipe.model.kind());
  fill_in(defaults);
  const KeyValues given = key_values(recipe, WhichKeys::all), usual = key_values(defaults, WhichKeys::all);
  for (const auto& [key, value] : given) {
    const std::vector<std::string_view> path = split(key, '.');
    if (path.front() != section) continue;
    const bool is_read = key == "training.class_weights" || key == "training.batch_sequences" ||
                         key == "training.early_stopping.metric";  // which follows another key
    const bool is_usual = std::any_of(
        usual.begin(), usual.end(),
        [&, &k = key, &w = value](const auto& other) { return other.first == k && other.second == w; });
    if (is_read || is_usual) continue;
    if (path.size() == 2) complain({path[0], path[1]}, why);
    if (path.size() == 3) complain({path[0], path[1], path[2]}, why);
  }
}

static void check_settings(const LinearClassifierSettings& s, const Recipe& recipe,
                           const Complain& complain) {
  check_classes(s.head, recipe, complain);
  if (!recipe.model) return;
  check_unread(recipe, "training", "a linear model is solved without steps (remove it)", complain);
  if (s.reads_terms()) return;
  check_unread(recipe, "source_tokenizer", "the model has its encoder's tokenizer (remove it)", complain);
  check_unread(recipe, "terms", "a model with an encoder reads no terms (remove it)", complain);
}

static const ModelKind kLinearKind{
    .name = "linear",
    .article = "a model of kind",
    .meaning = "logistic regression over the terms of a text or over its vector, which gives it a label",
    .columns = {"source", "label"},
    .sections = {"source_tokenizer", "terms"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::classifiers}),
    .family = "classifiers",
    .is_solved = true,
    .defaults = SettingsOf<LinearClassifierSettings>::defaults};

ModelSection model_section(const LinearClassifierSettings& settings) {
  return model_section(kLinearKind, settings);
}

namespace {

// With what the directory of the encoder says.
LinearClassifierSettings completed(LinearClassifierSettings s) {
  if (s.reads_terms() || s.vocabulary > 0) return s;
  const ModelFolder folder = open_model(s.encoder);
  const ModelSection section = folder.family->section_of_config(folder.config);
  if (folder.family == &text_encoder_family()) {
    s.vectors = section.as<TextEmbedderSettings>();
  } else if (folder.family == &masked_lm_family()) {
    static_cast<TextEncoderSettings&>(s.vectors) = section.as<MaskedLmSettings>();
  } else {
    throw Error(s.encoder + ": holds " + offer_of(folder).text() +
                "; a linear model reads the vectors of a text encoder or a masked language model");
  }
  s.vocabulary = whole(folder.config, "vocabulary_size", 1, 10000000);
  return s;
}

const LinearClassifier& linear_of(const TextClassifier& model) {
  return dynamic_cast<const LinearClassifier&>(model);
}

class LinearStates : public EncoderStates {
 public:
  explicit LinearStates(LoadedClassifier model)
      : EncoderStates(linear_of(*model.model).encoder()), model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.tokenizer; }
  void source_ids(std::string_view text, SourceIds& found) const override { model_.source_ids(text, found); }
  Index length() const override { return model_.model->length(); }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  ops::Pooling pooling() const override { return linear_of(*model_.model).settings().vectors.pooling; }
  bool normalizes() const override { return linear_of(*model_.model).settings().vectors.normalize; }

 private:
  LoadedClassifier model_;
};

class LinearFamily : public TextClassifierFamily {
 public:
  LinearFamily()
      : TextClassifierFamily("HeadwaterLinear", {.model_kind = kLinearKind,
                                                 .task = Task::classification,
                                                 .model_type = "headwater_linear",
                                                 .noun = "a classifier",
                                                 .example = "example",
                                                 .token_axes = {{"embedding.tokens", 0, "tokenizer.json"},
                                                                {"head.weight", 1, "config.json"},
                                                                {"head.bias", 0, "config.json"}},
                                                 .int8_weights = kEncoderBlocks}) {}
  Offer offer(const ModelSection& model) const override {
    if (reads_terms(model)) return {"a linear model of terms", {Ability::classify}};
    return {"a linear model", {Ability::classify, Ability::embed}};  // attn-dump reads its encoder
  }
  std::vector<std::string> text_files(const Json& config) const override {
    const Json* const encoder = config.find("encoder");
    if (encoder != nullptr && encoder->is_object()) return {"tokenizer.json"};
    return {"tokenizer.json", "terms.tsv"};
  }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    constexpr std::int64_t kAroundText = 2;  // [CLS] and [SEP]
    const LinearClassifierSettings s = completed(recipe.model.as<LinearClassifierSettings>());
    return s.reads_terms() ? 0 : tokens_read(s.vectors) - kAroundText;
  }
  LineForm line_form(const ModelSection& model) const override {
    return {.target = {},
            .uses_template = !reads_terms(model),
            .tokenizer_from = model.as<LinearClassifierSettings>().encoder};
  }
  std::unique_ptr<TextClassifier> make(const ModelSection& model, Index vocabulary) const override {
    return std::make_unique<LinearClassifier>(completed(model.as<LinearClassifierSettings>()), vocabulary);
  }
  ModelSection section_of_config(Json config) const override {
    const Json encoder = config.at("encoder");
    if (encoder.is_object()) {
      config.set("encoder", "config.json");
    } else if (!encoder.as_string().empty()) {
      throw Error("\"encoder\" is " + quote(encoder.as_string()) + ", not the settings of an encoder");
    }
    ModelSection section(kLinearKind);
    read_settings(config, section.settings());
    if (!encoder.is_object()) return section;
    ModelSection vectors = model_section(TextEmbedderSettings());
    read_settings(encoder, vectors.settings());
    auto& settings = section.as<LinearClassifierSettings>();
    settings.vectors = vectors.as<TextEmbedderSettings>();
    settings.vocabulary = whole(config, "vocabulary_size", 1, 10000000);
    return section;
  }
  void write_more(Json& config, const TextClassifier& model) const override {
    const LinearClassifierSettings& settings = linear_of(model).settings();
    if (settings.reads_terms()) return;
    Json encoder;
    write_settings(encoder, model_section(settings.vectors).settings());
    config.set("encoder", std::move(encoder));
  }
  void take_first_weights(const ModelSection& model, TextClassifier& to) const override {
    const auto& settings = model.as<LinearClassifierSettings>();
    if (settings.reads_terms()) return;
    const ModelFolder encoder = open_model(settings.encoder);
    refuse_quantized(encoder, "train on");
    const std::shared_ptr<Parameters> from = load_parameters(encoder);
    for (const auto& kept : to.parameters().all()) {
      if (!kept->is_frozen) continue;
      const Parameter* const known = from->find(kept->name);
      if (known == nullptr) throw Error(settings.encoder + ": has no tensor " + quote(kept->name));
      std::copy_n(known->value.data, known->size(), kept->value.data);
    }
  }
  ClassHeadSettings& head_of(ModelSection& model) const override {
    return model.as<LinearClassifierSettings>().head;
  }
  bool reads_terms(const ModelSection& model) const override {
    return model.as<LinearClassifierSettings>().reads_terms();
  }
  std::string legend(const TextClassifier& model) const override {
    if (model.reads_bags()) return "FLOPs: a forward pass over a text that has every term";
    return "S: source tokens; FLOPs: a forward pass over a text of " + std::to_string(model.length()) +
           " tokens";
  }

 private:
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return std::make_unique<LinearStates>(load_classifier(folder));
  }
};

}  // namespace

const Family& linear_family() {
  static const LinearFamily family;
  return family;
}

}  // namespace headwater
