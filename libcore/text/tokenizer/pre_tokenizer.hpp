// The member "pre_tokenizer" of a tokenizer.json, run as it stands there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/unicode/pattern.hpp"

namespace headwater {

// Pieces of a text from the left, none empty; a part may change their bytes.
struct TextPieces {
  std::string text;
  std::vector<TextSpan> spans;
  bool begins_text = false;  // the first piece stands at the beginning of the whole text

  void add(std::string_view piece) {
    if (piece.empty()) return;
    spans.push_back({text.size(), text.size() + piece.size()});
    text += piece;
  }
  std::string_view piece(std::size_t i) const {
    return std::string_view(text).substr(spans[i].begin, spans[i].end - spans[i].begin);
  }
};

class PreTokenizer {
 public:
  PreTokenizer() = default;
  PreTokenizer(const Json& part, const std::string& where);
  // The pieces of `text`, which is the whole text or, between added tokens, a part of it. Without any part of
  // the file it is one piece. Throws Error where the text grows beyond 16 times its bytes and 4 KiB.
  TextPieces split(std::string_view text, bool begins_text = true) const;
  // The same, one by one: memory does not grow with their number. What use() throws is passed on.
  using TakePiece = std::function<void(std::string_view)>;
  void for_each_piece(std::string_view text, bool begins_text, const TakePiece& use) const;

 private:
  // Takes the pieces of `piece`, some of which may be empty. Returns whether the first of them begins where
  // `piece` does.
  using Run = std::function<bool(std::string_view piece, bool begins_text, const TakePiece& take)>;
  struct Step {
    std::string where;
    Run run;
  };
  void add(const Json& part, const std::string& where);
  Run read(const Json& part, const std::string& type, const std::string& where) const;
  std::vector<Step> steps_;
  std::shared_ptr<MatchBudget> budget_;
};

}  // namespace headwater
