// A model with what it is trained on. Each task makes its own (tasks/registry.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "data/dataset.hpp"
#include "data/subset.hpp"
#include "families/kind.hpp"
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

}  // namespace headwater
