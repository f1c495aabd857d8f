// The member "decoder" of a tokenizer.json: from the surfaces of tokens to text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "text/unicode/pattern.hpp"

namespace headwater {

class TokenDecoder {
 public:
  TokenDecoder() = default;
  // Throws Error for a type that is not known.
  TokenDecoder(const Json& part, const std::string& where);
  // Throws Error where the text grows beyond 16 times the bytes of the tokens and 4 KiB.
  std::string apply(std::vector<std::string> tokens) const;
  // What a text inside a line becomes, wherever tokens begin and end: of Replace, Metaspace and ByteFallback.
  std::string undo(std::string_view written) const { return inside(written, As::line); }
  // What a token inside a text becomes; a byte that is only a part of a character is <0xC3>.
  std::string token_text(std::string_view token) const { return inside(token, As::token); }
  // The same with the marks of words as they are: ## and </w>, U+2581.
  std::string token_label(std::string_view token) const { return inside(token, As::label); }
  // Whether tokens are bytes written as characters (ByteLevel).
  bool reads_bytes() const;

 private:
  using Tokens = std::vector<std::string>;
  using Run = std::function<void(Tokens& tokens, std::size_t most)>;
  struct Step {
    std::string where, type;
    Run run;
    std::string prefix = {};  // of WordPiece
  };
  enum class As { line, token, label };
  std::string inside(std::string_view text, As as) const;
  void add(const Json& part, const std::string& where);
  Run read(const Json& part, const std::string& type, const std::string& where) const;
  std::vector<Step> steps_;
  std::shared_ptr<MatchBudget> budget_;
};

// A normalizer without what it writes for the decoder to undo, as U+2581 for a space: what joining the tokens
// of a text is held against. `part` is the member "normalizer" of a tokenizer.json, read before; null where
// nothing is left of it.
Json readable_normalizer(const Json& part, const TokenDecoder& decoder);

}  // namespace headwater
