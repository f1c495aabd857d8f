#include "text/learning/bpe_alphabet.hpp"

#include <algorithm>
#include <map>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {

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

}  // namespace headwater
