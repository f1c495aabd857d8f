#include "text/learning/user_symbols.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {

std::vector<std::string> first_surfaces(std::vector<std::string> special,
                                        const std::vector<std::string>& symbols) {
  const std::string begin = "user_defined_symbols: ";
  for (const std::string& symbol : symbols) {
    if (symbol.empty()) throw UsageError(begin + "one is empty");
    if (symbol.size() > kMostAddedBytes)
      throw UsageError(begin + quote(symbol.substr(0, 16)) + "... has more than " +
                       std::to_string(kMostAddedBytes) + " bytes");
    if (breaks_lines(symbol)) throw UsageError(begin + quote(symbol) + kBreaksLines);
    if (std::ranges::find(special, symbol) != special.end())
      throw UsageError(begin + quote(symbol) + " stands twice, or is a special token (remove it)");
    special.push_back(symbol);
  }
  return special;
}

static std::vector<AddedToken> tokens_of_symbols(const std::vector<std::string>& symbols) {
  std::vector<AddedToken> tokens;
  for (const std::string& symbol : symbols) tokens.push_back({.content = symbol, .id = 0});
  return tokens;
}

UserSymbols::UserSymbols(const std::vector<std::string>& symbols)
    : symbols_(std::make_shared<AddedTokens>(tokens_of_symbols(symbols))) {}

std::string_view UserSymbols::cut(std::string_view lines, std::string& scratch) const {
  if (symbols_->empty()) return lines;
  scratch.clear();
  for (const AddedPart& part : symbols_->split(lines)) {
    if (part.id < 0) {
      scratch += part.text;
    } else {
      scratch.push_back('\n');
    }
  }
  return scratch;
}

}  // namespace headwater
