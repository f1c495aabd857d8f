#include "text/formats/sentencepiece_normalizer.hpp"

#include "support/error.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {

SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceFile& file, std::string_view where)
    : where_(where),
      adds_dummy_prefix_(file.adds_dummy_prefix),
      strips_(file.removes_extra_white_space),
      space_(file.escapes_white_space ? kWordMark : std::string_view(" ")) {
  std::vector<PieceTrie::Key> user_defined;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    if (file.pieces[id].type == SentencePieceFile::Type::user_defined)
      user_defined.push_back({file.pieces[id].surface, static_cast<std::int32_t>(id)});
  }
  try {
    charsmap_ = Charsmap(file.charsmap);
  } catch (const Error& error) {
    throw Error(where_ + ": normalizer_spec: " + error.what());
  }
  user_defined_ = PieceTrie(std::move(user_defined));
  keeps_ascii_words_ = strips_ && file.escapes_white_space;
  for (unsigned char byte = 0; byte < 128; ++byte) {
    is_copied_[byte] = charsmap_.keeps(byte) &&
                       user_defined_.next(PieceTrie::kRoot, static_cast<char>(byte)) == PieceTrie::kNone;
    if (byte >= ' ' && byte < 0x7F) keeps_ascii_words_ = keeps_ascii_words_ && is_copied_[byte];
  }
  keeps_space_ = is_copied_[' '];
  is_copied_[' '] = false;
}

Charsmap::Match SentencePieceNormalizer::next(std::string_view text) const {
  std::size_t fixed = 0;
  user_defined_.for_each_prefix(text, [&](std::size_t length, std::int32_t) { fixed = length; });
  if (fixed > 0) return {fixed, text.substr(0, fixed)};
  if (const Charsmap::Match rule = charsmap_.longest(text); rule.length > 0) return rule;
  const std::size_t length = character_bytes(text, 0);
  return {length, text.substr(0, length)};
}

std::string SentencePieceNormalizer::normalize(std::string_view text) const {
  std::string normal;
  normal.reserve(text.size() + text.size() / 2 + 16);
  append(text, {}, normal);
  return normal;
}

std::string SentencePieceNormalizer::standardize(std::string_view text) const {
  std::string normal;
  append(text, {.is_readable = true}, normal);
  return normal;
}

std::size_t SentencePieceNormalizer::normalize_part(std::string_view text, std::size_t at, std::size_t bytes,
                                                    std::string& normal) const {
  return append(text, {.at = at, .bytes = bytes, .stops_before_words = true}, normal);
}

std::size_t SentencePieceNormalizer::append(std::string_view text, Part part, std::string& normal) const {
  const std::size_t most = 16 * text.size() + 4096;
  std::size_t at = part.at;
  const std::string_view space = part.is_readable ? std::string_view(" ") : space_;
  if (at == 0 && adds_dummy_prefix_ && !text.empty() && !part.is_readable) normal += space;
  bool is_after_space = at == 0 && strips_;
  while (at < text.size()) {
    // Runs of characters that stay as they are; a rule may begin with the one before another kind.
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    if (end > at && end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) --end;
    if (end > at) {
      normal += text.substr(at, end - at);
      is_after_space = false;
      at = end;
      continue;
    }
    const bool is_ascii_next = at + 1 == text.size() || static_cast<unsigned char>(text[at + 1]) < 0x80;
    if (text[at] == ' ' && keeps_space_ && is_ascii_next) {
      const bool ends_word = !is_after_space && !normal.empty() && !normal.ends_with(space);
      if (part.stops_before_words && ends_word) return at;
      if (!is_after_space) normal += space;
      is_after_space = strips_;
      ++at;
      continue;
    }
    const Charsmap::Match match = next(text.substr(at));
    std::string_view rest = match.replacement;
    at += match.length;
    while (is_after_space && rest.starts_with(' ')) rest.remove_prefix(1);
    for (const char c : rest) {
      if (c == ' ') {
        normal += space;
      } else {
        normal += c;
      }
    }
    if (!rest.empty()) is_after_space = strips_ && rest.ends_with(' ');
    if (part.bytes + normal.size() > most) {
      throw Error(where_ + ": the line grows beyond " + std::to_string(most) +
                  " bytes (at most 16 times, plus 4 KiB)");
    }
  }
  while (strips_ && normal.ends_with(space)) normal.erase(normal.size() - space.size());
  return at;
}

}  // namespace headwater
