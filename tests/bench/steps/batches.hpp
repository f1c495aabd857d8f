// What the steps of the benchmark learn from: random ids in sequences as long as those of the real data, and
// random images. The same numbers as peers/batches.py.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "data/packed_tokens.hpp"
#include "support/error.hpp"

namespace headwater::bench {

// Lengths of the two sides of an example; target 0 where there is one side.
struct Lengths {
  Index source = 0, target = 0;
};

// A file of lengths/: lines beginning with # are words, then numbers or pairs "source:target".
inline std::vector<Lengths> read_lengths(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path + ": cannot read (--lengths names the folder)");
  std::vector<Lengths> table;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const std::size_t colon = word.find(':');
      table.push_back({std::stol(word), colon == std::string::npos ? 0 : std::stol(word.substr(colon + 1))});
    }
  }
  if (table.empty()) throw Error(path + ": no lengths");
  return table;
}

// A linear congruential generator (Knuth's MMIX), as a few lines of any language repeat it.
class Draws {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % bound;
  }
  double uniform() { return below(1u << 24) * 0x1p-24; }
  // Ids 1 to vocabulary - 1, frequent as words are: the n-th in proportion to 1/n.
  std::int32_t id(Index vocabulary) {
    const double n = std::exp(uniform() * std::log(static_cast<double>(vocabulary - 1)));
    return static_cast<std::int32_t>(n);
  }

 private:
  std::uint64_t state_ = 1;
};

inline std::vector<std::int32_t> draw_ids(Draws& draws, Index length, Index vocabulary) {
  std::vector<std::int32_t> ids(length);
  for (std::int32_t& id : ids) id = draws.id(vocabulary);
  return ids;
}
inline void draw_sequence(Draws& draws, Index length, Index vocabulary, PackedTokens& tokens) {
  tokens.add(draw_ids(draws, length, vocabulary));
}

// `sequences` sequences of `length` tokens each, without ids.
inline void equal_sequences(Index sequences, Index length, PackedTokens& tokens) {
  const std::vector<std::int32_t> ids(length);
  tokens.clear();
  for (Index s = 0; s < sequences; ++s) tokens.add(ids);
  tokens.finish();
}

}  // namespace headwater::bench
