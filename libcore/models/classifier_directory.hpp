// The model directory of a classifier: config.json with the labels' names (id2label, label2id),
// model.safetensors, tokenizer.json, and of a bag of words terms.tsv.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "models/text_classifier.hpp"
#include "support/json.hpp"
#include "text/labels.hpp"
#include "text/term_table.hpp"
#include "text/tokenizer.hpp"

namespace headwater {

// Everything that giving labels to texts needs.
struct ClassificationModel {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::optional<TermTable> terms;  // of a bag of words
  LabelSet labels;
  std::unique_ptr<TextClassifier> model;
};

// `path` as for load_translation_model. Throws Error naming the file, and what does not fit; also where the
// directory holds another kind of model.
ClassificationModel load_classification_model(const std::filesystem::path& path);

// config.json of a classifier, and back (without its parameters' memory). Throws Error "where: what".
Json config_of(const TextClassifier& model, const Tokenizer& tokenizer, const LabelSet& labels,
               const std::optional<TermTable>& terms);
std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where);
// The names of id2label, whose members are "0", "1", ... in order.
LabelSet labels_of_config(const Json& config, const std::string& where);

}  // namespace headwater
