// What a Tokenizer holds; for tokenizer.cpp and for what makes tokenizers: formats/tokenizer_reader.cpp and
// formats/marian_tokenizer.cpp.
#pragma once

#include <functional>
#include <memory>

#include "text/tokenizer/decoding.hpp"
#include "text/tokenizer/encoding.hpp"
#include "text/tokenizer/post_processor.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/tokenizer/vocabulary.hpp"

namespace headwater {

struct Tokenizer::Impl {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::int32_t pad_id = -1, start_id = -1, end_id = -1;
  std::unique_ptr<const Encoding> encoding;
  std::unique_ptr<const Decoding> decoding;
  PostProcessor post_processor;
  std::string model_type, hash;
  // The text of the tokenizer.json, or what makes it when it is first asked for.
  std::string json;
  std::function<std::string()> make_json;
  Lazy<std::string> made_json;
  std::vector<std::string> warnings;
  bool truncates_left = false;
};

}  // namespace headwater
