// A tokenizer.json of three words, with padding, unknown, start and end tokens: ids 0 to 6.
#pragma once

#include <string_view>

inline constexpr std::string_view kWordTokenizer =
    R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
  {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 1, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 2, "content": "[START]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 3, "content": "[END]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
  "normalizer": null, "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "vocab": {"[PAD]": 0, "[UNK]": 1, "[START]": 2, "[END]": 3, "a": 4, "b": 5, "c": 6}, "unk_token": "[UNK]"}})";
