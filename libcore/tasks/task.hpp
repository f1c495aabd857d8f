// A kind of model as recipes, training and the tools see it. registry.cpp has one row a kind; nothing else
// asks for a kind by its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/labels.hpp"
#include "data/subset.hpp"
#include "models/layer_summary.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"
#include "tasks/attention_trace.hpp"
#include "tasks/objective.hpp"

namespace headwater {

class CachedModel;

// Files given to train, as they were given; empty: not given.
struct TaskFiles {
  std::string source_tokenizer, target_tokenizer, labels, terms;
  std::vector<std::string> data = {};     // the training examples
  LabelsAs labels_as = LabelsAs::unsaid;  // what the examples' column of labels has
};

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

// A vocabulary that gives a model rows of its tables: those of `file` (TokenAxis) are as many as SECTION.size
// of the recipe says, and used are as many as it has tokens or terms.
struct UsedRows {
  std::string_view section, file;
  std::int64_t used = 0;
};

// The target ids of each source, with the weights as they are. Decoding lies above this room, so that a tool
// hands it down.
using TranslateIds = std::function<std::vector<std::vector<std::int32_t>>(
    const TranslationModel& model, std::span<const std::vector<std::int32_t>> sources)>;

// How the texts of ContinueIds are drawn. Text i draws the random numbers of text first_number + i.
struct ContinuationSettings {
  std::int64_t max_new_tokens = 0, top_k = 0;
  double temperature = 1;
  std::uint64_t seed = 1, first_number = 0;
  std::int32_t end_id = -1;                        // -1: none
  std::vector<std::int32_t> suppress_tokens = {};  // are never drawn
  std::int64_t vocabulary_limit = 0;               // only ids below are drawn
};

// The ids that follow each prompt, handed down like TranslateIds.
using ContinueIds = std::function<std::vector<std::vector<std::int32_t>>(
    const CachedModel& model, std::span<const std::vector<std::int32_t>> prompts,
    const ContinuationSettings& settings)>;

// A model with what it is trained or measured on: its parameters, the form of its data, its objective.
class TaskModel {
 public:
  virtual ~TaskModel() = default;
  virtual Parameters& parameters() = 0;
  // An empty data set of the form that the model reads.
  virtual std::unique_ptr<Dataset> new_dataset() const = 0;
  // What objectives made from now on translate validation sentences with, where the recipe has some.
  virtual void translate_with(const TranslateIds&) {}
  // What objectives made from now on write samples with, where the recipe asks for some.
  virtual void continue_with(const ContinueIds&) {}
  // The subsets are of data sets made by new_dataset().
  virtual std::unique_ptr<Objective> objective(Subset train, Subset validation) = 0;
  virtual std::vector<DirectoryFile> files() const = 0;
  virtual std::vector<UsedRows> used_rows() const { return {}; }
  // What whoever starts the run should know of the examples of its objective, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
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

// What a model answers with; image_label: to an image, the others to a line of text.
enum class Answer { translation, label, continuation, image_label };
std::string_view name_of(Answer answer);

class Task {
 public:
  virtual ~Task() = default;
  virtual const ModelKind& kind() const = 0;
  virtual Answer answer() const = 0;
  virtual std::string_view model_type() const = 0;              // of config.json
  virtual std::string_view foreign_type() const { return {}; }  // of another program's, which is read too
  virtual std::string_view what_it_is() const = 0;              // "a translator (use translate)"
  virtual std::string_view example() const = 0;                 // what an example is called: "pair"
  virtual std::string_view next_tool() const = 0;               // what reads a trained model
  virtual std::vector<std::string> text_files() const = 0;      // that loading needs beside config.json

  // By which weights can go from one vocabulary to another.
  virtual std::vector<TokenAxis> token_axes() const = 0;

  // How many ids of a line a model can use, special ones not counted; 0: any number.
  virtual std::int64_t max_line_ids(const ModelSection& model) const = 0;
  // By default a target has both, as a translator wants it.
  virtual LineEnds line_ends(const ModelSection& model, std::string_view side) const;
  // That tokenizers learned by a recipe must have beside the usual ones; where there are some, also [START]
  // and [END].
  virtual std::vector<std::string> special_tokens(const ModelSection&) const { return {}; }
  // Fills in what a recipe leaves open until the files are there: the number of classes. Throws UsageError
  // where they do not fit together.
  virtual void complete(Recipe&, const TaskFiles&) const {}
  // The same by the labels alone, which came from `where`.
  virtual void complete(Recipe&, const LabelSet&, const std::string& /*where*/) const {}
  // `recipe` must outlive the result. Throws UsageError where a file is missing, is none that this kind
  // reads, or does not fit the recipe; Error for what a file holds.
  virtual std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given) const = 0;
  virtual ModelDescription describe(const Recipe& recipe) const = 0;
  // Throws Error "where: what" for a config.json that does not describe such a model.
  virtual ModelDescription describe(const Json& config, const std::string& where) const = 0;
  // Reads the weights that lie beside such a config.json. Throws Error where they are not those of its model.
  virtual void check_weights(const Json& config, const std::filesystem::path& files) const = 0;
  // The published layout that a model can be exported in, "Marian's"; empty: none. And why one of these
  // settings cannot; empty: it can.
  virtual std::string_view layout() const { return {}; }
  virtual std::string unsayable(const ModelSection&) const { return {}; }
  // The attention of the model that lies in these files (model_files()). Throws Error for a model without.
  virtual std::unique_ptr<AttentionTracer> tracer(const std::filesystem::path& files) const = 0;
};

}  // namespace headwater
