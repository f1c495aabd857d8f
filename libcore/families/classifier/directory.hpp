// Giving labels to texts: what classifiers, bags of words and linear models share. The directory holds
// config.json with the labels' names (id2label, label2id), model.safetensors, tokenizer.json, and of a bag of
// words terms.tsv.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "data/labels.hpp"
#include "data/ngram_vocabulary.hpp"
#include "families/classifier/model.hpp"
#include "families/family.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "support/json.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct BagOfWordsSettings;
struct LinearClassifierSettings;

// Everything that giving labels to texts needs.
struct LoadedClassifier {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::optional<NgramVocabulary> terms;  // of a bag of words
  LabelSet labels;
  ModelSection section;
  std::unique_ptr<TextClassifier> model;
  std::size_t around = 0;  // special tokens that the tokenizer's template puts around a text; 0: none is used
  Texts texts = Texts::one;     // of a line
  PairTemplate pair = {};       // where it may hold two
  std::string pair_fault = {};  // why it may not be read where it does; empty: it may
  Index length = 0;             // tokens of a text that are read, special ones counted
  Index pair_length = 0;        // the same of a pair
  Uncounted uncounted = {};
  bool gives_many_labels = false;  // each with a probability of its own

  // The most tokens of a line.
  Index line_length() const { return texts == Texts::pair ? pair_length : length; }

  // For a model that reads no terms. The texts of a pair have a TAB between them.
  SourceIds source_ids(std::string_view text) const;
  void source_ids(std::string_view text, SourceIds& found) const;  // replaces what it held
};

// `path` as for load_translator. Throws Error naming the file, and what does not fit; also where the
// directory holds a model that gives no labels.
LoadedClassifier load_classifier(const std::filesystem::path& path);
LoadedClassifier load_classifier(const ModelFolder& folder);
// The attention of a classifier for one example. Throws Error where it mixes tokens otherwise.
std::unique_ptr<AttentionTracer> attention_tracer(LoadedClassifier model);

// The model section of a recipe with these settings.
ModelSection model_section(const ClassifierSettings& settings);
ModelSection model_section(const BagOfWordsSettings& settings);
ModelSection model_section(const LinearClassifierSettings& settings);

// The model of a config.json, without its parameters' memory. Throws Error "where: what", also for a model
// that gives no labels.
std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where);
// `section` is what the model was made of.
Json config_of(ModelSection section, const TextClassifier& model, const Tokenizer& tokenizer,
               const LabelSet& labels, const std::optional<NgramVocabulary>& terms);

// The row of the registry, but for what a classifier and a bag of words have each.
class TextClassifierFamily : public Family {
 public:
  void complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const override;
  MadeModel model_of(const Recipe& recipe) const override;
  MadeModel model_of(const Json& config, const std::string& where) const override;

  // The model itself.
  virtual std::unique_ptr<TextClassifier> make(const ModelSection& model, Index vocabulary) const = 0;
  virtual ClassHeadSettings& head_of(ModelSection& model) const = 0;
  virtual bool reads_terms(const ModelSection& model) const = 0;
  // Adds to a config.json what no key of a recipe says.
  virtual void write_more(Json& /*config*/, const TextClassifier& /*model*/) const {}
  // Changes the first weights that were drawn to those of what the recipe names.
  virtual void take_first_weights(const ModelSection& /*model*/, TextClassifier& /*to*/) const {}
  // Whether an example is two texts.
  virtual bool reads_pairs(const ModelSection&) const { return false; }
  virtual std::string legend(const TextClassifier& model) const = 0;

  const std::string_view architecture;  // of config.json

 protected:
  TextClassifierFamily(std::string_view architecture_, FamilyFacts facts)
      : Family(std::move(facts)), architecture(architecture_) {}
};

// Throws Error for a kind that gives no labels to texts.
const TextClassifierFamily& text_classifier_family(const Family& family);

}  // namespace headwater
