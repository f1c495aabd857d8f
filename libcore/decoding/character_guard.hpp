// Which tokens may follow so that the bytes of a text stay characters: for tokenizers whose tokens may be
// parts of one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

class CharacterGuard {
 public:
  // What a text ends with: whole characters, or a part of one that so many and such bytes complete (the
  // states of a recognizer of UTF-8, The Unicode Standard, table 3-7). Broken: bytes that no byte makes a
  // character.
  enum class State : std::uint8_t { whole, one, two, three, after_e0, after_ed, after_f0, after_f4, broken };

  // `end`: the end token; -1: there is none.
  CharacterGuard(const Tokenizer& tokenizer, std::int32_t end) : tokenizer_(tokenizer), end_(end) {}
  // Null where each token of the tokenizer is of whole characters.
  static std::shared_ptr<const CharacterGuard> of(const Tokenizer& tokenizer, std::int32_t end);

  // The state after one token more. NUL is broken: no line holds it.
  State next(State state, std::int32_t id) const;
  // After a text from its begin; what is broken is passed over.
  State after(std::span<const std::int32_t> ids) const;
  // All tokens after which the state is broken. From any thread.
  std::span<const std::int32_t> banned(State state) const;

 private:
  // Whether the token is a part of a character, or has a NUL; `bytes` are its own.
  bool is_partial(std::int32_t id, std::string& bytes) const;

  Tokenizer tokenizer_;
  std::int32_t end_;
  mutable std::array<std::once_flag, 8> is_made_;
  mutable std::array<std::vector<std::int32_t>, 8> banned_;
};

}  // namespace headwater
