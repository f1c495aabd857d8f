// What training needs for each kind of model: its columns, its objective, and the files of its directory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/pairs.hpp"
#include "recipe/recipe.hpp"
#include "training/chosen_examples.hpp"
#include "training/objective.hpp"
#include "training/run_directory.hpp"

namespace headwater {

// What a run is made of beside its recipe, by the kind of its model.
class Job {
 public:
  virtual ~Job() = default;
  virtual Parameters& parameters() = 0;
  virtual std::vector<IdColumnSettings> columns() const = 0;  // source first
  virtual std::unique_ptr<Objective> objective(ChosenExamples train, ChosenExamples validation) = 0;
  virtual RunDirectory::Files files() const = 0;
  virtual const char* examples() const = 0;   // what its examples are called
  virtual const char* next_tool() const = 0;  // what reads the model
};

// Paths as they were given; empty: not given.
struct JobFiles {
  std::string source_tokenizer, target_tokenizer, labels, terms;
};

// `recipe` must outlive the job. Throws UsageError where a file is missing, is none that this kind of model
// reads, or does not fit the recipe; Error for what a file holds.
std::unique_ptr<Job> make_job(const Recipe& recipe, const JobFiles& given);

}  // namespace headwater
