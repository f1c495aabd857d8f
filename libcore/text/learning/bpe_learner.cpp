#include "text/learning/bpe_learner.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/learning/bpe_pairs.hpp"
#include "text/tokenizer/word_table.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

namespace {

// The symbols that BPE begins with: which surfaces there are before any merge, and the words in them.
// The settings outlive it.
class BpeAlphabet {
 public:
  // Throws Error for a special token that is empty or stands twice.
  BpeAlphabet(const PieceCounts& counts, const BpeLearnerSettings& settings);

  std::vector<std::string>& surfaces() { return surfaces_; }
  bool is_special(std::int32_t id) const { return static_cast<std::size_t>(id) < special_; }
  std::int32_t add(const std::string& surface);
  // The id of a surface, or -1.
  std::int32_t find(std::string_view surface) const;
  // The symbols of a word; characters without a token are left out.
  void symbols_of(std::string_view word, std::vector<std::int32_t>& symbols) const;

 private:
  bool is_new(std::string_view surface) const { return ids_.find(surface) == nullptr; }
  std::vector<char32_t> characters(const PieceCounts& counts) const;
  std::vector<char32_t> frequent_characters(const PieceCounts& counts) const;
  // Calls use(surface) for each character of the word whose own surface has an id below `end`.
  template <class Use>
  void for_each_character_of(std::string_view word, std::size_t end, const Use& use) const;

  const BpeLearnerSettings& settings_;
  std::array<char32_t, 256> byte_alphabet_ = byte_level_alphabet();
  std::array<std::int32_t, 256> byte_ids_{};  // symbols of bytes, or of ASCII characters; -1: none
  std::vector<std::string> surfaces_;
  WordTable ids_;
  std::size_t special_ = 0, alphabet_end_ = 0;
};

template <class Use>
void BpeAlphabet::for_each_character_of(std::string_view word, std::size_t end, const Use& use) const {
  std::string surface;
  const std::array<char32_t, 256>& alphabet = byte_alphabet_;
  for (std::size_t at = 0; at < word.size();) {
    surface.clear();
    const bool is_first = at == 0;
    append_utf8(surface, settings_.is_byte_level ? alphabet[static_cast<unsigned char>(word[at++])]
                                                 : next_code_point(word, at));
    const std::int32_t id = find(surface);
    if (id < 0 || static_cast<std::size_t>(id) >= end) continue;
    if (!is_first) surface.insert(0, settings_.continuing_subword_prefix);
    if (at == word.size()) surface += settings_.end_of_word_suffix;
    use(surface);
  }
}

BpeAlphabet::BpeAlphabet(const PieceCounts& counts, const BpeLearnerSettings& settings)
    : settings_(settings) {
  for (const std::string& token : settings.special_tokens) {
    if (token.empty() || ids_.find(token) != nullptr)
      throw Error("the special token " + quote(token) + " is empty or stands twice");
    add(token);
  }
  special_ = surfaces_.size();
  for (const char32_t c : characters(counts)) {
    std::string surface;
    append_utf8(surface, c);
    if (is_new(surface)) add(surface);
  }
  const std::size_t alphabet_end = surfaces_.size();
  if (!settings.continuing_subword_prefix.empty() || !settings.end_of_word_suffix.empty()) {
    std::map<std::string, bool> with_affix;
    counts.for_each([&](const WordTable::Entry& entry) {
      for_each_character_of(entry.word(), alphabet_end, [&](const std::string& surface) {
        if (is_new(surface)) with_affix.emplace(surface, true);
      });
    });
    for (const auto& [surface, there] : with_affix) add(surface);
  }
  alphabet_end_ = alphabet_end;
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    std::string surface;
    append_utf8(surface, settings.is_byte_level ? byte_alphabet_[byte] : static_cast<char32_t>(byte));
    const std::int32_t id = find(surface);
    byte_ids_[byte] = id >= 0 && !is_special(id) ? id : -1;
  }
}

std::int32_t BpeAlphabet::add(const std::string& surface) {
  ids_.value(surface) = surfaces_.size();
  surfaces_.push_back(surface);
  return static_cast<std::int32_t>(surfaces_.size()) - 1;
}

std::int32_t BpeAlphabet::find(std::string_view surface) const {
  const WordTable::Entry* entry = ids_.find(surface);
  return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
}

void BpeAlphabet::symbols_of(std::string_view word, std::vector<std::int32_t>& symbols) const {
  symbols.clear();
  const auto add = [&](const std::string& surface) {
    const std::int32_t id = find(surface);
    if (id >= 0 && !is_special(id)) symbols.push_back(id);
  };
  if (!settings_.continuing_subword_prefix.empty() || !settings_.end_of_word_suffix.empty())
    return for_each_character_of(word, alphabet_end_, add);
  std::string surface;
  for (std::size_t at = 0; at < word.size();) {
    const auto byte = static_cast<unsigned char>(word[at]);
    if (settings_.is_byte_level || byte < 0x80) {
      if (byte_ids_[byte] >= 0) symbols.push_back(byte_ids_[byte]);
      ++at;
      continue;
    }
    surface.clear();
    append_utf8(surface, next_code_point(word, at));
    add(surface);
  }
}

std::vector<char32_t> BpeAlphabet::characters(const PieceCounts& counts) const {
  std::vector<char32_t> all;
  if (settings_.is_byte_level) {
    const std::array<char32_t, 256> alphabet = byte_level_alphabet();
    all.assign(alphabet.begin(), alphabet.end());
  } else {
    all = frequent_characters(counts);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<char32_t> BpeAlphabet::frequent_characters(const PieceCounts& counts) const {
  std::map<char32_t, std::uint64_t> frequency;
  std::array<std::uint64_t, 128> ascii{};
  counts.for_each([&](const WordTable::Entry& entry) {
    if (entry.value == 0) return;
    for (std::size_t at = 0; at < entry.length;) {
      const auto byte = static_cast<unsigned char>(entry.data[at]);
      if (byte < 0x80) {
        ascii[byte] += entry.value;
        ++at;
      } else {
        frequency[next_code_point(entry.word(), at)] += entry.value;
      }
    }
  });
  for (std::size_t c = 0; c < ascii.size(); ++c) {
    if (ascii[c] > 0) frequency[static_cast<char32_t>(c)] = ascii[c];
  }
  std::vector<std::pair<std::uint64_t, char32_t>> order;
  for (const auto& [character, count] : frequency) order.emplace_back(~count, character);
  std::sort(order.begin(), order.end());
  if (settings_.max_characters > 0)
    order.resize(std::min(order.size(), static_cast<std::size_t>(settings_.max_characters)));
  std::vector<char32_t> all;
  for (const auto& [count, character] : order) all.push_back(character);
  return all;
}

template <class Symbol>
BpeVocabulary learned_with(BpeAlphabet& alphabet, const PieceCounts& counts,
                           const BpeLearnerSettings& settings) {
  std::size_t most_symbols = 0, longest = 0;
  counts.for_each([&](const WordTable::Entry& entry) {
    most_symbols += entry.length;
    longest = std::max<std::size_t>(longest, entry.length);
  });
  BpePairs<Symbol> pairs(static_cast<std::int64_t>(std::min(settings.min_frequency, kMostTextBytes)),
                         settings.most_places);
  pairs.reserve(counts.distinct(), most_symbols);
  std::vector<std::int32_t> symbols;
  symbols.reserve(longest);
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
    const std::string& right = alphabet.surfaces()[best.right];
    std::string surface = alphabet.surfaces()[best.left];
    surface.append(right, right.starts_with(prefix) ? prefix.size() : 0);
    std::int32_t joined = alphabet.find(surface);
    // Text does not give special tokens.
    if ((joined >= 0 && alphabet.is_special(joined)) || surface.size() > kMostTokenBytes) {
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

std::vector<std::string> learn_word_piece(const PieceCounts& counts,
                                          const WordPieceLearnerSettings& settings) {
  return learn_bpe(counts, {.size = settings.size,
                            .min_frequency = settings.min_frequency,
                            .special_tokens = settings.special_tokens,
                            .continuing_subword_prefix = settings.prefix})
      .surfaces;
}

}  // namespace headwater
