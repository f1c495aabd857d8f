#include "pretrained/tokenizer_files.hpp"

#include <doctest/doctest.h>

#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

TEST_CASE("tokenizer_config.json is what AutoTokenizer of transformers reads") {
  const auto config = [](bool has_start_end, std::int64_t length) {
    TokenizerLearner learner({.size = 9, .has_start_end = has_start_end});
    learner.add("the red house\n");
    const DirectoryFile file = tokenizer_config_file(learner.finish(), length);
    CHECK(file.name == "tokenizer_config.json");
    CHECK(file.identity.empty());  // a run of an older version, whose checkpoints lack it, goes on
    return file.bytes;
  };
  CHECK(config(true, 20) ==
        R"({
  "tokenizer_class": "PreTrainedTokenizerFast",
  "model_input_names": [
    "input_ids",
    "attention_mask"
  ],
  "pad_token": "[PAD]",
  "unk_token": "[UNK]",
  "bos_token": "[START]",
  "eos_token": "[END]",
  "model_max_length": 20,
  "clean_up_tokenization_spaces": false
}
)");
  CHECK(config(false, 0) ==
        R"({
  "tokenizer_class": "PreTrainedTokenizerFast",
  "model_input_names": [
    "input_ids",
    "attention_mask"
  ],
  "pad_token": "[PAD]",
  "unk_token": "[UNK]",
  "clean_up_tokenization_spaces": false
}
)");
}
