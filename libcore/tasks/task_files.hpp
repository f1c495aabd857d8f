// The files that train is given beside a recipe: what they are, and what is made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/labels.hpp"
#include "data/token_dataset.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/task_model.hpp"

namespace headwater {

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
std::vector<std::string> unused_rows(const Kind& kind, TaskModel& model);

// An empty data set whose columns stand in the order of these names.
std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names);

}  // namespace headwater
