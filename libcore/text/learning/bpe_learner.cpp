#include "text/learning/bpe_learner.hpp"

#include <algorithm>
#include <limits>

#include "support/error.hpp"
#include "text/learning/bpe_alphabet.hpp"
#include "text/learning/bpe_pairs.hpp"

namespace headwater {
namespace {

template <class Symbol>
BpeVocabulary learned_with(BpeAlphabet& alphabet, const PieceCounts& counts,
                           const BpeLearnerSettings& settings) {
  std::size_t most_symbols = 0;
  counts.for_each([&](const WordTable::Entry& entry) { most_symbols += entry.length; });
  BpePairs<Symbol> pairs(static_cast<std::int64_t>(std::min(settings.min_frequency, kMostTextBytes)),
                         settings.most_places);
  pairs.reserve(counts.distinct(), most_symbols);
  std::vector<std::int32_t> symbols;
  std::uint64_t total = 0;
  counts.for_each([&](const WordTable::Entry& entry) {
    if (entry.value > (kMostTextBytes - total) / (entry.length + 1))
      throw Error("the counts exceed 2^62 bytes of text");
    total += entry.value * (entry.length + 1);
    if (entry.value == 0) return;
    alphabet.symbols_of(entry.word(), symbols);
    pairs.add_word(symbols, entry.value);
  });
  if (total == 0) throw Error("no text to learn from (the input is empty)");
  pairs.count();
  BpeVocabulary learned;
  const std::string& prefix = settings.continuing_subword_prefix;
  while (static_cast<std::int64_t>(alphabet.surfaces().size()) < settings.size) {
    const auto best = pairs.best();
    if (best.count == 0 || best.count < settings.min_frequency) break;
    const std::string& right = alphabet.surfaces()[static_cast<std::size_t>(best.right)];
    std::string surface = alphabet.surfaces()[static_cast<std::size_t>(best.left)];
    surface.append(right, right.starts_with(prefix) ? prefix.size() : 0);
    std::int32_t joined = alphabet.find(surface);
    if (joined >= 0 && alphabet.is_special(joined)) {  // text does not give special tokens
      pairs.leave_best();
      continue;
    }
    if (joined < 0) joined = alphabet.add(surface);
    learned.merges.emplace_back(best.left, best.right);
    pairs.merge_best(joined);
  }
  learned.surfaces = std::move(alphabet.surfaces());
  return learned;
}

}  // namespace

BpeVocabulary learn_bpe(const PieceCounts& counts, const BpeLearnerSettings& settings) {
  BpeAlphabet alphabet(counts, settings);
  if (settings.size > 0x7FFFFFFF || static_cast<std::int64_t>(alphabet.surfaces().size()) > settings.size) {
    throw UsageError("size: " + std::to_string(settings.size) + " is not in " +
                     std::to_string(alphabet.surfaces().size()) +
                     " .. 2147483647 (special tokens and single characters count)");
  }
  return settings.size <= std::numeric_limits<std::uint16_t>::max()
             ? learned_with<std::uint16_t>(alphabet, counts, settings)
             : learned_with<std::uint32_t>(alphabet, counts, settings);
}

}  // namespace headwater
