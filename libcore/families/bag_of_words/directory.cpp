// A bag of words that gives texts a label: the baseline.
#include "families/classifier/directory.hpp"
#include "families/bag_of_words/model.hpp"
#include "families/config.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"

namespace headwater {

static void settings_rows(schema::Visitor& v, BagOfWordsSettings& s) {
  v.field("width", &s.width, schema::Between{1, 65536, "units"}, "width of the hidden layer");
  output_dropout_row(v, s.output_dropout);
  rows(v, s.head);
  initialization_row(v, s.initialization, Reads::texts);
}

static void check_settings(const BagOfWordsSettings& s, const Recipe& recipe, const Complain& complain) {
  check_classes(s.head, recipe, complain);
}

static const ModelKind kBagOfWords{
    .name = "bag_of_words",
    .meaning = "one hidden layer over the terms of a text, which gives it a label",
    .columns = {"source", "label"},
    .sections = {"source_tokenizer", "terms"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::classifiers}),
    .family = "classifiers",
    .defaults = SettingsOf<BagOfWordsSettings>::defaults};

ModelSection model_section(const BagOfWordsSettings& settings) {
  return model_section(kBagOfWords, settings);
}

namespace {

class BagOfWordsFamily : public TextClassifierFamily {
 public:
  BagOfWordsFamily()
      : TextClassifierFamily("HeadwaterBagOfWords", {.model_kind = kBagOfWords,
                                                     .task = Task::classification,
                                                     .model_type = "headwater_bag_of_words",
                                                     .noun = "a classifier",
                                                     .example = "example",
                                                     .token_axes = {{"hidden.weight", 0, "terms.tsv"},
                                                                    {"head.weight", 1, "config.json"},
                                                                    {"head.bias", 0, "config.json"}}}) {}
  Offer offer(const ModelSection&) const override { return {"a bag of words", {Ability::classify}}; }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json", "terms.tsv"}; }
  std::unique_ptr<TextClassifier> make(const ModelSection& model, Index vocabulary) const override {
    return std::make_unique<BagOfWords>(model.as<BagOfWordsSettings>(), vocabulary);
  }
  ModelSection section_of_config(Json config) const override {
    ModelSection section(kBagOfWords);
    read_settings(config, section.settings());
    return section;
  }
  ClassHeadSettings& head_of(ModelSection& model) const override {
    return model.as<BagOfWordsSettings>().head;
  }
  bool reads_terms(const ModelSection&) const override { return true; }
  std::string legend(const TextClassifier&) const override {
    return "FLOPs: a forward pass over a text that has every term";
  }
};

}  // namespace

const Family& bag_of_words_family() {
  static const BagOfWordsFamily family;
  return family;
}

}  // namespace headwater
