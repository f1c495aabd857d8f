// The normalizer and pre_tokenizer parts of tokenizer.json (libcore/FORMATS.md), run as they stand there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/pattern.hpp"

namespace headwater {

// Lowercase, NFC, NFD, NFKC, NFKD, Strip, Replace, Sequence.
class Normalizer {
 public:
  Normalizer() = default;
  // `part` may be null (nothing is done); `where` names it in messages. Throws Error for a type that is not
  // known.
  Normalizer(const Json& part, const std::string& where);
  std::string apply(std::string_view text) const;

 private:
  using Step = std::function<std::string(std::string_view)>;
  void add(const Json& part, const std::string& where);
  std::vector<Step> steps_;
};

// Whitespace, WhitespaceSplit, Split, Sequence. Without any the whole text is one piece.
class PreTokenizer {
 public:
  PreTokenizer() = default;
  PreTokenizer(const Json& part, const std::string& where);
  // The pieces of `text` from the left, none empty.
  std::vector<TextSpan> split(std::string_view text) const;

 private:
  using Step = std::function<std::vector<TextSpan>(std::string_view)>;
  void add(const Json& part, const std::string& where);
  std::vector<Step> steps_;
};

// The member `name` of an object, checked; Error "where: what".
const Json& json_member(const Json& object, std::string_view name, const std::string& where);
const std::string& json_string(const Json& object, std::string_view name, const std::string& where);
bool json_bool(const Json& object, std::string_view name, const std::string& where);
// Throws Error naming the first member that is none of `known`.
void check_members(const Json& object, std::initializer_list<std::string_view> known,
                   const std::string& where);

}  // namespace headwater
