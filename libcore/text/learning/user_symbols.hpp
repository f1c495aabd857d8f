// User-defined symbols: texts that are one token each, wherever a text has them (SentencePiece's
// user_defined_symbols). They are cut out before anything else sees the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/learning/piece_counts.hpp"
#include "text/tokenizer/added_tokens.hpp"

namespace headwater {

// The surfaces that a vocabulary begins with: special tokens, then the symbols. Throws UsageError for a
// symbol that is empty, too long, would break lines, or stands twice.
std::vector<std::string> first_surfaces(std::vector<std::string> special,
                                        const std::vector<std::string>& symbols);

class UserSymbols {
 public:
  explicit UserSymbols(const std::vector<std::string>& symbols);
  // Calls use(part, whether it begins the line) for what is between the symbols of each line.
  template <class Use>
  void for_each_part(std::string_view lines, const Use& use) const {
    for_each_line(lines, [&](std::string_view line) {
      if (symbols_->empty()) return use(line, true);
      for (const AddedPart& part : symbols_->split(line)) {
        if (part.id < 0) use(part.text, part.text.data() == line.data());
      }
    });
  }
  // The lines with a line end in the place of each symbol; `scratch` holds them.
  std::string_view cut(std::string_view lines, std::string& scratch) const;

 private:
  std::shared_ptr<const AddedTokens> symbols_;
};

}  // namespace headwater
