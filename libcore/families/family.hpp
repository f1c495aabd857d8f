// A family of models as its directory, its recipe and the tools see it. registry.cpp has a row for each;
// nothing else asks for one by its name. What trains it is in train_* of its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/parameter.hpp"
#include "data/labels.hpp"
#include "families/attention_trace.hpp"
#include "families/hidden_states.hpp"
#include "layers/transformer_stack.hpp"
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

// A model without the memory of its parameters.
struct MadeModel {
  std::shared_ptr<Parameters> parameters;
  ModelDescription description;
};
template <class Model>
MadeModel made_model(std::unique_ptr<Model> made, std::string legend) {
  const std::shared_ptr<Model> model = std::move(made);
  return {{model, &model->parameters()}, {model->summary(), std::move(legend)}};
}

// Which special tokens vectorize puts around the ids of a line.
struct LineEnds {
  bool start = false, end = false;
};

// How a text becomes what a model reads.
struct LineForm {
  LineEnds source = {}, target = {.start = true, .end = true};
  // That tokenizers learned by a recipe must have beside the usual ones; where there are some, also [START]
  // and [END].
  std::vector<std::string> special_tokens = {};
  // Whether the model reads the special tokens that its tokenizer's template puts around a text; tokenizers
  // that a recipe learns then have BERT's.
  bool uses_template = false;
  // The model directory whose tokenizer such a model has; empty: a recipe learns its own.
  std::filesystem::path tokenizer_from = {};
  bool has_one_vocabulary = false;  // of both sides, whose tables are one

  const LineEnds& ends(std::string_view side) const { return side == "target" ? target : source; }
};

// What a model is for. image_classification: of images, the others: of lines of
// text.
enum class Task {
  translation,
  classification,
  language_modeling,
  image_classification,
  feature_extraction,
  masked_language_modeling
};

// What a tool asks a model for, by tool_of() in this order.
enum class Ability { translate, continue_texts, fill_masks, classify, embed, show_attention };
// "generate --fill-mask": what does it.
std::string_view tool_of(Ability ability);

// A model by its settings: what it is, and what it can do; first what it is made for.
struct Offer {
  std::string noun;  // "a translator"
  std::vector<Ability> abilities;

  bool has(Ability ability) const;
  std::string text() const;  // "a translator (use translate, embed or attn-dump)"
};

struct ModelFolder;

// What is fixed of a family.
struct FamilyFacts {
  const ModelKind& model_kind;  // of recipes
  Task task;
  std::string_view model_type;  // of config.json
  std::string_view noun;        // what most of its models are called: "a translator"
  std::string_view example;     // what an example is called: "pair"
  // By which weights can go from one vocabulary to another.
  std::vector<TokenAxis> token_axes;
  // How the names of the weights begin that int8 computes in bytes; none: all is computed in float32.
  std::optional<std::string_view> int8_weights = {};
};

class Family : public FamilyFacts {
 public:
  virtual ~Family() = default;
  virtual Offer offer(const ModelSection& model) const = 0;
  // That loading needs beside this config.json.
  virtual std::vector<std::string> text_files(const Json& config) const = 0;
  virtual LineForm line_form(const ModelSection&) const { return {}; }
  // How many ids of a line a model can use, special ones not counted; 0: any number.
  virtual std::int64_t max_line_ids(const Recipe&) const { return 0; }
  // Fills in what a recipe leaves open until the labels, which came from `where`, are there: the number of
  // classes. Throws UsageError where they do not fit together.
  virtual void complete(Recipe&, const LabelSet&, const std::string& /*where*/) const {}
  // The section of a recipe that says what a config.json says. Throws Error naming the member.
  virtual ModelSection section_of_config(Json config) const = 0;
  virtual MadeModel model_of(const Recipe& recipe) const = 0;
  // Throws Error "where: what" for a config.json that does not describe such a model.
  virtual MadeModel model_of(const Json& config, const std::string& where) const = 0;

  // The abilities that several families have. Throw Error for a model in that folder that has it not.
  std::unique_ptr<AttentionTracer> attention(const ModelFolder& folder) const;
  std::unique_ptr<TextStates> states(const ModelFolder& folder) const;  // for vectors of texts and tokens

 protected:
  explicit Family(FamilyFacts facts) : FamilyFacts(std::move(facts)) {}

 private:
  virtual std::unique_ptr<AttentionTracer> attention_of(const ModelFolder&) const { return nullptr; }
  virtual std::unique_ptr<TextStates> states_of(const ModelFolder&) const { return nullptr; }
};

}  // namespace headwater
