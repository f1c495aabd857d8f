// From tokens to a text: one half of a tokenizer. The other half is encoding.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "text/tokenizer/decoder.hpp"
#include "text/tokenizer/vocabulary.hpp"

namespace headwater {

// What Tokenizer says of its members of these names holds here. From any thread.
class Decoding {
 public:
  virtual ~Decoding() = default;
  // Special tokens are left out, the unknown one where it is not shown.
  virtual std::string decode(std::span<const std::int32_t> ids, bool shows_unknown) const = 0;
  virtual std::string join(std::span<const std::string> tokens) const = 0;
  virtual std::string token_text(std::string_view surface) const { return std::string(surface); }
  // Spaces and line ends as they are: Tokenizer writes them for one line.
  virtual std::string token_label(std::string_view surface) const { return std::string(surface); }
};

// The member "decoder" of a tokenizer.json.
std::unique_ptr<const Decoding> decoder_decoding(TokenDecoder decoder,
                                                 std::shared_ptr<const Vocabulary> vocabulary);

// Surfaces one after the other. Before an unknown token nobody knows whether a space was there.
struct Separators {
  std::string between = " ", before_unknown = " ";
  bool drops_first_space = false;
};
std::unique_ptr<const Decoding> separator_decoding(Separators separators,
                                                   std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace headwater
