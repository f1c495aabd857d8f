// The normalizer and pre_tokenizer parts of tokenizer.json (libcore/FORMATS.md), run as they stand there. A
// file may be hostile: a part that takes too long, or a line that grows too far, is an Error that names the
// part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/pattern.hpp"

namespace headwater {

// Lowercase, NFC, NFD, NFKC, NFKD, Strip, Prepend, Replace, Sequence.
class Normalizer {
 public:
  Normalizer() = default;
  // `part` may be null (nothing is done); `where` names it in messages. Throws Error for a type that is not
  // known.
  Normalizer(const Json& part, const std::string& where);
  // The result, and what stands between two parts, has at most 16 times the bytes of the text and 4 KiB.
  std::string apply(std::string_view text) const;

 private:
  // `most`: the bytes that the result may have. A step may leave it to the caller to look.
  using Run = std::function<std::string(std::string_view text, std::size_t most)>;
  struct Step {
    std::string where;
    Run run;
  };
  void add(const Json& part, const std::string& where);
  std::vector<Step> steps_;
  std::shared_ptr<MatchBudget> budget_;
};

// Whitespace, WhitespaceSplit, Split, Sequence. Without any the whole text is one piece.
class PreTokenizer {
 public:
  PreTokenizer() = default;
  PreTokenizer(const Json& part, const std::string& where);
  // The pieces of `text` from the left, none empty.
  std::vector<TextSpan> split(std::string_view text) const;

 private:
  struct Step {
    std::string where;
    std::function<std::vector<TextSpan>(std::string_view)> run;
  };
  void add(const Json& part, const std::string& where);
  std::vector<Step> steps_;
  std::shared_ptr<MatchBudget> budget_;
};

}  // namespace headwater
