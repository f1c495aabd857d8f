#include "families/text_classifier.hpp"

#include "families/config.hpp"
#include "families/label_names.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "support/error.hpp"

namespace headwater {

const TextClassifierKind& text_classifier_kind(const Kind& kind) {
  const TextClassifierKind* const of_texts = kind.text_classifier();
  if (of_texts == nullptr)
    throw Error("model: " + std::string(kind.model_kind().name) + " gives no labels to texts");
  return *of_texts;
}

// --- The directory -----------------------------------------------------------------------------------------

Json config_of(ModelSection section, const TextClassifier& model, const Tokenizer& tokenizer,
               const LabelSet& labels, const std::optional<NgramVocabulary>& terms) {
  const TextClassifierKind& kind = text_classifier_kind(kind_of(section));
  ClassHeadSettings& head = kind.head_of(section);
  head = with_classes(head, model.classes());
  Json config = begin_config(kind.architecture(), kind.model_type());
  write_settings(config, section.settings());
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  if (terms) config.set("terms_hash", terms->hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  config.set("problem_type", "single_label_classification");
  write_labels(config, labels);
  kind.write_more(config, model);
  return config;
}

std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where) {
  const TextClassifierKind& kind = text_classifier_kind(*model_config(config, where).kind);
  try {
    const ModelSection section = kind.section_of_config(config);
    whole(config, "classes", 2, 100000);  // of a model it is not open
    return kind.make(section, whole(config, "vocabulary_size", 1, 10000000));
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
    find_pair_ids(tokenizer, pair, length, text, found);
  } else {
    find_source_ids(tokenizer, around, length, text, found);
  }
}

LoadedClassifier load_classifier(const std::filesystem::path& path) {
  return load_classifier(open_model(path));
}

LoadedClassifier load_classifier(const ModelFolder& folder) {
  check_task(folder, Task::classification);
  const std::filesystem::path config_path = folder.config_path();
  const Json& config = folder.config;
  const TextClassifierKind& kind = text_classifier_kind(*folder.kind);
  std::unique_ptr<TextClassifier> model = classifier_of_config(config, config_path.string());
  ModelSection section = kind.section_of_config(config);
  const bool reads_terms = kind.reads_terms(section);
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
      kind.uses_template(section) ? tokens_around(tokenizer, length, folder.path.string()) : 0;
  // A published config.json does not say what its examples are.
  const bool has_room = static_cast<std::size_t>(length) > 2 * around;
  const bool is_open = folder.layout != nullptr && around > 0 && has_room;
  const Texts texts = kind.reads_pairs(section) ? Texts::pair : is_open ? Texts::either : Texts::one;
  const PairTemplate pair =
      texts == Texts::one ? PairTemplate() : pair_template(tokenizer, length, folder.path.string());
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
          gives_many_labels(config)};
}

// --- The row of the registry -------------------------------------------------------------------------------

void TextClassifierKind::complete(Recipe& recipe, const LabelSet& labels, const std::string& where) const {
  ClassHeadSettings& head = head_of(recipe.model);
  take_classes(head.classes, labels, where);
  head = with_classes(head, head.classes);
  check_completed(recipe);
}

ModelDescription TextClassifierKind::describe(const Recipe& recipe) const {
  const bool is_of_terms = reads_terms(recipe.model);
  const auto model = make(recipe.model, is_of_terms ? recipe.terms.size : recipe.source_tokenizer.size);
  ModelSection section = recipe.model;
  return {model->summary(), legend(*model) + open_classes(head_of(section).classes, model->classes())};
}

ModelDescription TextClassifierKind::describe(const Json& config, const std::string& where) const {
  const auto model = classifier_of_config(config, where);
  return {model->summary(), legend(*model)};
}

std::shared_ptr<Parameters> TextClassifierKind::parameters(const Json& config,
                                                           const std::string& where) const {
  const std::shared_ptr model = classifier_of_config(config, where);
  return {model, &model->parameters()};
}

}  // namespace headwater
