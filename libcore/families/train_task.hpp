// What trains each kind of model. A new task is a row in train_task.cpp (libcore/ADDING.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "data/dataset.hpp"
#include "data/labels.hpp"
#include "data/token_dataset.hpp"
#include "families/family.hpp"
#include "recipe/recipe.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/objective.hpp"

namespace headwater {

// A vocabulary that gives a model rows of its tables: those of `file` (TokenAxis) are as many as SECTION.size
// of the recipe says, and used are as many as it has tokens or terms.
struct UsedRows {
  std::string_view section, file;
  std::int64_t used = 0;
};

// Its parameters, the form of its data, its objective.
class TaskModel {
 public:
  virtual ~TaskModel() = default;
  virtual Parameters& parameters() = 0;
  // An empty data set of the form that the model reads.
  virtual std::unique_ptr<Dataset> new_dataset() const = 0;
  // The subsets are of data sets made by new_dataset().
  virtual std::unique_ptr<Objective> objective(Subset train, Subset validation) = 0;
  virtual std::vector<DirectoryFile> files() const = 0;
  virtual std::vector<UsedRows> used_rows() const { return {}; }
  // Changes the first weights that were drawn to what the examples of its objective want.
  virtual void after_drawing() {}
  // What whoever starts the run should know of the examples of its objective, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Files given to train, as they were given; empty: not given.
struct TaskFiles {
  std::string source_tokenizer, target_tokenizer, labels, terms;
  std::vector<std::string> data = {};     // the training examples
  LabelsAs labels_as = LabelsAs::unsaid;  // what the examples' column of labels has
};

// Throws UsageError where the option was not given.
Tokenizer load_side(const std::string& path, const char* option);
// The size that this section of the recipe gives is that of the tables; a small text may have fewer words.
// Throws UsageError.
void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path,
                const std::string& section);

// A sentence for each vocabulary that leaves more than a tenth of its rows unused, whose parameters cost
// memory and time in full: "source_tokenizer.size is 15,000, the tokenizer has 4,863 tokens: size: 4863 would
// leave out 1,297,536 parameters of tokens that do not occur".
std::vector<std::string> unused_rows(const Family& family, TaskModel& model);

// An empty data set whose columns stand in the order of these names.
std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names);

// The rows of the registry.
std::unique_ptr<TaskModel> prepare_translation(const Recipe& recipe, const TaskFiles& given);
void complete_classification(Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_classification(const Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_language_modeling(const Recipe& recipe, const TaskFiles& given);
void complete_image_classification(Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_image_classification(const Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_masked_language_modeling(const Recipe& recipe, const TaskFiles& given);

// Fills in what a recipe leaves open until the files are there: the number of classes. Throws UsageError
// where they do not fit together.
void complete(Recipe& recipe, const TaskFiles& given);
// `recipe` must outlive the result. Throws UsageError where a file is missing, is none that this kind reads,
// or does not fit the recipe; Error for what a file holds.
std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given);

}  // namespace headwater
