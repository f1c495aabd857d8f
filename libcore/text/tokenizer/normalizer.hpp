// The member "normalizer" of a tokenizer.json, run as it stands there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/unicode/pattern.hpp"

namespace headwater {

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
  Run read(const Json& part, const std::string& type, const std::string& where) const;
  std::vector<Step> steps_;
  std::shared_ptr<MatchBudget> budget_;
};

// The parts by themselves. BertNormalizer, in its order: control characters deleted and white space made
// spaces, spaces around ideographs, accents stripped, lower case.
struct BertNormalizerSettings {
  bool clean_text = true, handle_chinese_chars = true, strip_accents = true, lowercase = true;
};
BertNormalizerSettings read_bert_normalizer(const Json& part, const std::string& where);
std::string bert_normalize(std::string_view text, const BertNormalizerSettings& settings);
// SentencePiece's rules "nmt" without those that NFKC has.
std::string nmt_normalize(std::string_view text);

}  // namespace headwater
