// An encoder that gives texts a label.
#include "models/classifier.hpp"

#include "families/config.hpp"
#include "families/encoder_rows.hpp"
#include "families/encoder_tracer.hpp"
#include "families/model_directory.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/text_classifier.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"

namespace headwater {

static void settings_rows(schema::Visitor& v, ClassifierSettings& s) {
  encoder_rows(v, s, "classifier");
  v.field(
      "special_tokens", &s.special_tokens,
      schema::OneOf{{{"none", "texts are read as they are"},
                     {"template",
                      "with those that the tokenizer's file puts around a text, as [CLS] and [SEP]; learned "
                      "tokenizers get BERT's"}}},
      "special tokens around a text");
  v.field("pairs", &s.pairs, schema::Anything{},
          "an example is two texts, read as one: [CLS] source [SEP] target [SEP], whose tokens are of "
          "segments 0 and 1 (Devlin et al. 2019); data.columns are then source, target and label");
  pooling_row(v, s.pooling, "what of a text's tokens the head reads", true);
  v.field("pooler", &s.pooler, schema::Anything{},
          "a dense layer between pooling and head (Devlin et al. 2019)");
  v.field("pooler_activation", &s.pooler_activation,
          schema::OneOf{{{"tanh", "as BERT has it"}, {"relu", "as DistilBERT has it (Sanh et al. 2019)"}}},
          "what follows the pooler");
  padding_row(v, s.padding);
  v.renamed("keeps_padding", "padding: attended");
  v.renamed("pools_padding", "padding: pooled");
  rows(v, s.head);
}

static void check_settings(const ClassifierSettings& s, const Recipe& recipe, const Complain& complain) {
  check_encoder(s, complain);
  if (s.pooling == "last" && s.mixing.bidirectional) {
    complain({"model", "pooling"},
             "the layer that reads from the end has read nothing else at the last token (write max or mean)");
  }
  if (s.pooling == "first" && s.mixing.is_recurrent() && !s.mixing.bidirectional) {
    complain(
        {"model", "pooling"},
        "a layer that reads from the beginning has read nothing else at the first token (write last, max or "
        "mean)");
  }
  if (s.padding != "none" && recipe.training.batch_tokens > 0)
    complain({"training", "batch_tokens"},
             "counts no padding, which is computed here (write batch_sequences)");
  if (s.pairs && s.special_tokens != "template")
    complain({"model", "pairs"}, "the tokenizer's template joins the texts (write special_tokens: template)");
  if (!s.pooler && s.pooler_activation != ClassifierSettings().pooler_activation)
    complain({"model", "pooler_activation"}, "there is no pooler that it follows (write pooler: true)");
  check_classes(s.head, recipe, complain);
}

static std::vector<std::string_view> columns_of(const ClassifierSettings& s) {
  if (!s.pairs) return {};
  return {"source", "target", "label"};
}

static const ModelKind kClassifier{
    .name = "classifier",
    .meaning = "a Transformer encoder that gives texts a label",
    .columns = {"source", "label"},
    .sections = {"source_tokenizer", "data.test_orders"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::classifiers}),
    .family = "classifiers",
    .defaults = SettingsOf<ClassifierSettings>::defaults};

ModelSection model_section(const ClassifierSettings& settings) {
  return model_section(kClassifier, settings);
}

namespace {

const Classifier& classifier_of(const LoadedClassifier& loaded) {
  return dynamic_cast<const Classifier&>(*loaded.model);
}

class ClassifierTracer : public EncoderTracer {
 public:
  explicit ClassifierTracer(LoadedClassifier model)
      : EncoderTracer("classifier", classifier_of(model).encoder(), model.files), model_(std::move(model)) {}
  const Tokenizer& source_tokenizer() const override { return model_.tokenizer; }
  SourceIds source(std::string_view text) const override { return model_.source_ids(text); }
  Texts texts() const override { return model_.texts; }
  std::int64_t length() const override { return model_.length; }

 private:
  LoadedClassifier model_;
};

class ClassifierStates : public EncoderStates {
 public:
  explicit ClassifierStates(LoadedClassifier model)
      : EncoderStates(classifier_of(model).encoder()), model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.tokenizer; }
  // One text, of a classifier of pairs too.
  void source_ids(std::string_view text, SourceIds& found) const override {
    find_source_ids(model_.tokenizer, model_.around, length(), text, found);
  }
  Index length() const override { return model_.length; }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  std::string_view pooling() const override { return classifier_of(model_).settings().pooling; }
  Variable head(const ForwardContext& context, const Variable& pooled) const override {
    return classifier_of(model_).pooled_features(context, pooled);
  }

 private:
  LoadedClassifier model_;
};

}  // namespace

std::unique_ptr<AttentionTracer> attention_tracer(LoadedClassifier model) {
  return std::make_unique<ClassifierTracer>(std::move(model));
}

namespace {

class ClassifierKind : public TextClassifierKind {
 public:
  const ModelKind& model_kind() const override { return kClassifier; }
  std::string_view model_type() const override { return "headwater_classifier"; }
  std::string_view architecture() const override { return "HeadwaterClassifier"; }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json"}; }
  std::vector<TokenAxis> token_axes() const override {
    return {{"embedding.tokens", 0, "tokenizer.json"},
            {"head.weight", 1, "config.json"},
            {"head.bias", 0, "config.json"}};
  }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    const auto& settings = recipe.model.as<ClassifierSettings>();
    const std::int64_t around = settings.pairs ? 3 : 2;  // [CLS], and [SEP] after each text
    return settings.transformer.length - (settings.special_tokens == "template" ? around : 0);
  }
  LineEnds line_ends(const ModelSection&, std::string_view) const override { return {}; }
  bool uses_template(const ModelSection& model) const override {
    return model.as<ClassifierSettings>().special_tokens == "template";
  }
  std::unique_ptr<AttentionTracer> tracer(const ModelFolder& folder) const override {
    return attention_tracer(load_classifier(folder));
  }
  std::unique_ptr<TextStates> text_states(const ModelFolder& folder) const override {
    return std::make_unique<ClassifierStates>(load_classifier(folder));
  }

  std::unique_ptr<TextClassifier> make(const ModelSection& model, Index vocabulary) const override {
    return std::make_unique<Classifier>(model.as<ClassifierSettings>(), vocabulary);
  }
  ModelSection section_of_config(Json config) const override {
    if (config.find("padding") == nullptr) {  // written before there was one key for the two
      const auto is_set = [&](std::string_view name) {
        const Json* const member = config.find(name);
        return member != nullptr && member->as_bool();
      };
      if (is_set("keeps_padding") && is_set("pools_padding"))
        throw Error("\"pools_padding\" is without \"keeps_padding\"");
      config.set("padding", is_set("keeps_padding")   ? "attended"
                            : is_set("pools_padding") ? "pooled"
                                                      : "none");
    }
    for (const auto& [key, value] : {std::pair<const char*, Json>{"segments", std::int64_t{0}},
                                     {"embedding_norm", false},
                                     {"special_tokens", "none"},
                                     {"pairs", false},
                                     {"pooler", false},
                                     {"pooler_activation", "tanh"}}) {
      if (config.find(key) == nullptr) config.set(key, value);
    }
    ModelSection section(kClassifier);
    read_encoder_settings(config, section, section.as<ClassifierSettings>());
    return section;
  }
  ClassHeadSettings& head_of(ModelSection& model) const override {
    return model.as<ClassifierSettings>().head;
  }
  bool reads_pairs(const ModelSection& model) const override { return model.as<ClassifierSettings>().pairs; }
  bool reads_terms(const ModelSection&) const override { return false; }
  std::string legend(const TextClassifier& model) const override {
    return "S: source tokens; FLOPs: a forward pass over a text of " + std::to_string(model.length()) +
           " tokens";
  }
};

}  // namespace

const Kind& classifier_kind() {
  static const ClassifierKind kind;
  return kind;
}

}  // namespace headwater
