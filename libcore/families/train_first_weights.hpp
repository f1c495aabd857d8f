// The first weights of a run that does not begin from drawn ones: those of a trained model (fine-tuning).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "families/family.hpp"
#include "families/train_task.hpp"

namespace headwater {

// What became of each parameter, in the order of their names.
struct FirstWeights {
  std::vector<std::string> taken;         // from the model
  std::vector<std::string> new_ones;      // drawn: the model has no tensor of the name
  std::vector<std::string> dropped;       // drawn: a pattern says so
  std::vector<std::string> left_out;      // tensors of the model that no parameter has the name of
  std::vector<std::string> vocabularies;  // "tokenizer.json: 7 of 9 tokens", of those that are not the same

  std::vector<std::string> skipped;  // why newer checkpoints of the model were passed over

  // "model.norm is "pre" here, "post" there", of those without a shape that differ; or empty.
  std::string settings;

  std::string moved;  // "decoder.* becomes encoder.*": blocks of another name; or empty

  // "38 tensors taken (embedding.tokens, encoder.0-2.*), 2 dropped (head.bias, head.weight), none new, none
  // left out".
  std::string summary() const;
};

// Fills the drawn parameters of `model`, which is of the kind `kind`, from the model in `directory` (a model
// directory or a checkpoint, of any kind, in any layout that is read): a tensor goes to the parameter of its
// name. Where both models have one stack of blocks and call it otherwise, as a language model and a
// classifier do, block follows block. A head of tokens is none of labels. Where both have an axis of tokens,
// its rows are matched by the tokens' texts, and a token that the model lacks keeps what was drawn.
// Parameters whose names match a pattern of `drop` ("head.*") keep what was drawn. Throws Error where a shape
// does not fit, the classes of a head are others, a taken tensor is not finite or nothing is taken, and
// UsageError for a pattern that matches no parameter.
FirstWeights take_first_weights(const std::filesystem::path& directory, std::span<const std::string> drop,
                                const Family& family, TaskModel& model);

}  // namespace headwater
