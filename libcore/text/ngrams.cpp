#include "text/ngrams.hpp"

namespace headwater {

std::vector<std::string> ngrams(std::span<const std::string> tokens, std::size_t most) {
  std::vector<std::string> all;
  for (std::size_t length = 1; length <= most; ++length) {
    for (std::size_t begin = 0; begin + length <= tokens.size(); ++begin) {
      std::string gram = tokens[begin];
      for (std::size_t i = 1; i < length; ++i) gram += " " + tokens[begin + i];
      all.push_back(std::move(gram));
    }
  }
  return all;
}

}  // namespace headwater
