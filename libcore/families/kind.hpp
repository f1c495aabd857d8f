// A kind of model as its directory, its recipe and the tools see it. registry.cpp has one row a kind; nothing
// else asks for a kind by its name. What trains it is in train_*.cpp of its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "data/labels.hpp"
#include "families/attention_trace.hpp"
#include "families/hidden_states.hpp"
#include "models/layer_summary.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// A file of a model directory beside its tensors.
struct DirectoryFile {
  std::string name, bytes;
  // A run goes on only with the same one: what it is ("tokenizer"). Empty: it may differ.
  std::string identity = {};
  // The member of a JSON file that must be the same; empty: the whole file.
  std::string member = {};
};

// An axis of a tensor along which a row stands for a token, a term or a label, which `file` of the directory
// numbers (labels: config.json).
struct TokenAxis {
  std::string_view tensor;
  std::size_t axis;
  std::string_view file;
};

// The table of layers, and what its letters and operations mean.
struct ModelDescription {
  std::vector<LayerSummary> layers;
  std::string legend;
};

// Which special tokens vectorize puts around the ids of a line.
struct LineEnds {
  bool start = false, end = false;
};

struct ModelFolder;
class TextClassifierKind;

// What a model is for. image_classification: of images, the others: of lines of text.
enum class Task {
  translation,
  classification,
  language_modeling,
  image_classification,
  feature_extraction,
  masked_language_modeling
};
std::string_view name_of(Task task);

class Kind {
 public:
  virtual ~Kind() = default;
  virtual const ModelKind& model_kind() const = 0;  // of recipes
  virtual Task task() const = 0;
  virtual std::string_view model_type() const = 0;  // of config.json
  virtual std::string_view what_it_is() const = 0;  // "a translator (use translate)"
  virtual std::string_view example() const = 0;     // what an example is called: "pair"
  virtual std::string_view next_tool() const = 0;   // what reads a trained model
  // That loading needs beside this config.json.
  virtual std::vector<std::string> text_files(const Json& config) const = 0;

  // By which weights can go from one vocabulary to another.
  virtual std::vector<TokenAxis> token_axes() const = 0;

  // How many ids of a line a model can use, special ones not counted; 0: any number.
  virtual std::int64_t max_line_ids(const Recipe& recipe) const = 0;
  // By default a target has both, as a translator wants it.
  virtual LineEnds line_ends(const ModelSection& model, std::string_view side) const;
  // That tokenizers learned by a recipe must have beside the usual ones; where there are some, also [START]
  // and [END].
  virtual std::vector<std::string> special_tokens(const ModelSection&) const { return {}; }
  // Whether the model reads the special tokens that its tokenizer's template puts around a text; tokenizers
  // that a recipe learns then have BERT's.
  virtual bool uses_template(const ModelSection&) const { return false; }
  // The model directory whose tokenizer such a model has; empty: a recipe learns its own.
  virtual std::filesystem::path tokenizer_from(const ModelSection&) const { return {}; }
  // Fills in what a recipe leaves open until the labels, which came from `where`, are there: the number of
  // classes. Throws UsageError where they do not fit together.
  virtual void complete(Recipe&, const LabelSet&, const std::string& /*where*/) const {}
  // The section of a recipe that says what a config.json says. Throws Error naming the member.
  virtual ModelSection section_of_config(Json config) const = 0;
  virtual ModelDescription describe(const Recipe& recipe) const = 0;
  // Throws Error "where: what" for a config.json that does not describe such a model.
  virtual ModelDescription describe(const Json& config, const std::string& where) const = 0;
  // The parameters of such a model, without memory. Throws Error "where: what".
  virtual std::shared_ptr<Parameters> parameters(const Json& config, const std::string& where) const = 0;
  // The attention of the model in that folder. Throws Error for a model without.
  virtual std::unique_ptr<AttentionTracer> tracer(const ModelFolder& folder) const = 0;
  // The states of its tokens, of the model in that folder. Throws Error for a model without, and one of
  // images.
  virtual std::unique_ptr<TextStates> text_states(const ModelFolder& folder) const;
  // For those that give labels to texts; null: it does something else.
  virtual const TextClassifierKind* text_classifier() const { return nullptr; }
};

}  // namespace headwater
