// What gives texts a label, and an encoder that does.
#include "families/classifier/directory.hpp"

#include "families/classifier/model.hpp"
#include "families/config.hpp"
#include "families/encoder_rows.hpp"
#include "families/label_names.hpp"
#include "families/model_directory.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/directory.hpp"
#include "families/tokenizer_files.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"

namespace headwater {

// --- For all that give texts a label -----------------------------------------------------------------------

const TextClassifierFamily& text_classifier_family(const Family& family) {
  const auto* const of_texts = dynamic_cast<const TextClassifierFamily*>(&family);
  if (of_texts == nullptr)
    throw Error("model: " + std::string(family.model_kind.name) + " gives no labels to texts");
  return *of_texts;
}

// --- The directory -----------------------------------------------------------------------------------------

Json config_of(ModelSection section, const TextClassifier& model, const Tokenizer& tokenizer,
               const LabelSet& labels, const std::optional<NgramVocabulary>& terms) {
  const TextClassifierFamily& family = text_classifier_family(family_of(section));
  ClassHeadSettings& head = family.head_of(section);
  head = with_classes(head, model.classes());
  Json config = begin_config(family.architecture, family.model_type);
  write_settings(config, section.settings());
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  if (terms) config.set("terms_hash", terms->hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  config.set("problem_type", "single_label_classification");
  write_labels(config, labels);
  family.write_more(config, model);
  return config;
}

std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where) {
  const TextClassifierFamily& family = text_classifier_family(*model_config(config, where).family);
  try {
    const ModelSection section = family.section_of_config(config);
    whole(config, "classes", 2, 100000);  // of a model it is not open
    return family.make(section, whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

SourceIds LoadedClassifier::source_ids(std::string_view text) const {
  SourceIds found;
  source_ids(text, found);
  return found;
}

void LoadedClassifier::source_ids(std::string_view text, SourceIds& found) const {
  const bool is_pair = texts == Texts::pair || (texts == Texts::either && text.find('\t') != text.npos);
  if (is_pair) {
    if (!pair_fault.empty()) throw Error(pair_fault);
    find_pair_ids(tokenizer, pair, pair_length, text, found, uncounted);
  } else {
    find_source_ids(tokenizer, around, length, text, found, uncounted);
  }
}

LoadedClassifier load_classifier(const std::filesystem::path& path) {
  return load_classifier(open_model(path));
}

LoadedClassifier load_classifier(const ModelFolder& folder) {
  require(folder, Ability::classify);
  const std::filesystem::path config_path = folder.config_path();
  const Json& config = folder.config;
  const TextClassifierFamily& family = text_classifier_family(*folder.family);
  std::unique_ptr<TextClassifier> model = classifier_of_config(config, config_path.string());
  ModelSection section = family.section_of_config(config);
  const bool reads_terms = family.reads_terms(section);
  // The table of a bag of words has a row for each term, whatever its tokenizer knows.
  Tokenizer tokenizer = load_one_tokenizer(folder, reads_terms ? 10000000 : model->vocabulary());
  std::optional<NgramVocabulary> terms;
  if (reads_terms) {
    const std::filesystem::path terms_path = folder.path / "terms.tsv";
    terms = NgramVocabulary::parse(folder.read("terms.tsv"), terms_path.string());
    if (terms->size() > model->vocabulary() || terms->hash() != text_at(config, "terms_hash", config_path)) {
      throw Error(terms_path.string() + ": not the terms that " + config_path.string() +
                  " asks for (they belong to another model)");
    }
  }
  LabelSet labels = labels_of_config(config, config_path.string());
  load_weights(folder, model->parameters());
  const Index length = text_length(folder, tokenizer, model->length());
  const std::size_t around =
      family.line_form(section).uses_template ? tokens_around(tokenizer, length, folder.path.string()) : 0;
  // A published config.json does not say what its examples are.
  const bool has_room = static_cast<std::size_t>(length) > 2 * around;
  const bool is_open = folder.layout != nullptr && around > 0 && has_room;
  const Texts texts = family.reads_pairs(section) ? Texts::pair : is_open ? Texts::either : Texts::one;
  const Index pair_length = text_length(folder, tokenizer, model->length(), Texts::pair);
  const PairTemplate pair =
      texts == Texts::one ? PairTemplate() : pair_template(tokenizer, pair_length, folder.path.string());
  std::string pair_fault = texts != Texts::one && model->segments() == 2 ? fault_of_pairs(folder) : "";
  return {folder.path,
          std::move(tokenizer),
          std::move(terms),
          std::move(labels),
          std::move(section),
          std::move(model),
          around,
          texts,
          pair,
          std::move(pair_fault),
          length,
          pair_length,
          uncounted_tokens(folder),
          gives_many_labels(config)};
}

// --- The row of the registry -------------------------------------------------------------------------------

void TextClassifierFamily::complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const {
  ClassHeadSettings& head = head_of(recipe.model);
  take_classes(head.classes, labels, where);
  head = with_classes(head, head.classes);
  check_completed(recipe);
}

MadeModel TextClassifierFamily::model_of(const Recipe& recipe) const {
  const bool is_of_terms = reads_terms(recipe.model);
  auto model = make(recipe.model, is_of_terms ? recipe.terms.size : recipe.source_tokenizer.size);
  ModelSection section = recipe.model;
  const std::string meaning = legend(*model) + open_classes(head_of(section).classes, model->classes());
  return made_model(std::move(model), meaning);
}

MadeModel TextClassifierFamily::model_of(const Json& config, const std::string& where) const {
  auto model = classifier_of_config(config, where);
  const std::string meaning = legend(*model);
  return made_model(std::move(model), meaning);
}

// --- An encoder that gives texts a label -------------------------------------------------------------------

static void settings_rows(schema::Visitor& v, ClassifierSettings& s) {
  encoder_rows(v, s, "classifier");
  v.field("special_tokens", &s.special_tokens,
          {"texts are read as they are",
           "with those that the tokenizer's file puts around a text, as [CLS] and [SEP]; learned "
           "tokenizers get BERT's"},
          "special tokens around a text");
  v.field("pairs", &s.pairs, schema::Anything{},
          "an example is two texts, read as one: [CLS] source [SEP] target [SEP], whose tokens are of "
          "segments 0 and 1 (Devlin et al. 2019); data.columns are then source, target and label");
  pooling_row(v, s.pooling, "what of a text's tokens the head reads", true);
  v.field("pooler", &s.pooler, schema::Anything{},
          "a dense layer between pooling and head (Devlin et al. 2019)");
  v.field("pooler_activation", &s.pooler_activation,
          schema::OneOf{{{ops::Activation::tanh, "as BERT has it"},
                         {ops::Activation::relu, "as DistilBERT has it (Sanh et al. 2019)"}}},
          "what follows the pooler");
  padding_row(v, s.padding);
  v.renamed("keeps_padding", "padding: attended");
  v.renamed("pools_padding", "padding: pooled");
  rows(v, s.head);
}

static void check_settings(const ClassifierSettings& s, const Recipe& recipe, const Complain& complain) {
  check_encoder(s, complain);
  if (s.pooling == ops::Pooling::last && s.mixing.bidirectional) {
    complain({"model", "pooling"},
             "the layer that reads from the end has read nothing else at the last token (write max or mean)");
  }
  if (s.pooling == ops::Pooling::first && s.mixing.is_recurrent() && !s.mixing.bidirectional) {
    complain(
        {"model", "pooling"},
        "a layer that reads from the beginning has read nothing else at the first token (write last, max or "
        "mean)");
  }
  if (s.padding != Padding::none && recipe.training.batch_tokens > 0)
    complain({"training", "batch_tokens"},
             "counts no padding, which is computed here (write batch_sequences)");
  if (s.pairs && !s.has_template())
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
      : EncoderTracer("classifier", classifier_of(model).encoder()), model_(std::move(model)) {}
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
    find_source_ids(model_.tokenizer, model_.around, length(), text, found, model_.uncounted);
  }
  Index length() const override { return model_.length; }
  const Parameters& parameters() const override { return model_.model->parameters(); }
  ops::Pooling pooling() const override { return classifier_of(model_).settings().pooling; }
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

class ClassifierFamily : public TextClassifierFamily {
 public:
  ClassifierFamily()
      : TextClassifierFamily("HeadwaterClassifier", {.model_kind = kClassifier,
                                                     .task = Task::classification,
                                                     .model_type = "headwater_classifier",
                                                     .noun = "a classifier",
                                                     .example = "example",
                                                     .token_axes = {{"embedding.tokens", 0, "tokenizer.json"},
                                                                    {"head.weight", 1, "config.json"},
                                                                    {"head.bias", 0, "config.json"}},
                                                     .int8_weights = kEncoderBlocks}) {}
  Offer offer(const ModelSection& model) const override {
    return offer_with_mixing("a classifier", model.as<ClassifierSettings>().mixing,
                             {Ability::classify, Ability::embed});
  }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json"}; }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    const auto& settings = recipe.model.as<ClassifierSettings>();
    const std::int64_t around = settings.pairs ? 3 : 2;  // [CLS], and [SEP] after each text
    return settings.transformer.length - (settings.has_template() ? around : 0);
  }
  LineForm line_form(const ModelSection& model) const override {
    return {.target = {}, .uses_template = model.as<ClassifierSettings>().has_template()};
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

 private:
  std::unique_ptr<AttentionTracer> attention_of(const ModelFolder& folder) const override {
    return attention_tracer(load_classifier(folder));
  }
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return std::make_unique<ClassifierStates>(load_classifier(folder));
  }
};

}  // namespace

const Family& classifier_family() {
  static const ClassifierFamily family;
  return family;
}

}  // namespace headwater
