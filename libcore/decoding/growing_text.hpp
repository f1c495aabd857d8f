// Text of tokens that are generated one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Text of a model, which no line may hold a NUL of: it becomes U+FFFD, as bytes that are no character do.
std::string without_nul(std::string text);

// Decoded text whose last tokens are a part of a character: without that.
std::string without_unfinished(std::string text);

// What stands after a prompt: decoded with the tokens before it, so that what separates the two is there too.
// It grows by whole characters, none of them NUL: bytes of one that is not complete wait for the others.
class GrowingText {
 public:
  // `context`: the tokens that it follows, of the same text; may be empty.
  GrowingText(const Tokenizer& tokenizer, std::span<const std::int32_t> context);
  void add(std::int32_t id);
  // What waits will not become complete: it is shown as it is, or dropped.
  enum class Unfinished { shown, dropped };
  void finish(Unfinished unfinished = Unfinished::shown);
  const std::string& text() const { return text_; }
  // Where the text stood when each token came.
  const std::vector<std::size_t>& begins() const { return begins_; }

 private:
  void show(const std::string& decoded);

  Tokenizer tokenizer_;
  std::vector<std::int32_t> ids_;  // the last ones that were shown, then those that wait
  std::size_t shown_;              // how many of ids_
  std::size_t waiting_ = 0;        // tokens since the last one that ended a character
  std::string shown_text_;         // what ids_ decode to, as far as it was shown
  std::string text_;
  std::vector<std::size_t> begins_;
};

// Texts before which a continuation ends.
class StopTexts {
 public:
  explicit StopTexts(std::vector<std::string> texts);  // none of them empty
  bool empty() const { return texts_.empty(); }
  // Where the first one begins in `text` of which the first `known` bytes hold none; or npos.
  std::size_t find(std::string_view text, std::size_t known) const;
  // The most bytes at its end that one may begin with.
  std::size_t begun(std::string_view text) const;

 private:
  std::vector<std::string> texts_;
  std::size_t longest_ = 0;
};

}  // namespace headwater
