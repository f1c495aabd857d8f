#include "text/tokenizer/unknown_pieces.hpp"

#include <algorithm>

#include "support/utf8.hpp"

namespace headwater {
namespace {

// Where the character at `at` ends; the last one has `word_end` with it.
std::size_t end_of_symbol(std::string_view text, std::size_t at, std::size_t word_end) {
  if (at >= text.size()) return text.npos;
  at += std::max<std::size_t>(1, utf8_sequence_length(text.substr(at)));
  return at + word_end >= text.size() ? text.size() : at;
}

// The texts of `count` unknown tokens in a row that begin at `at`: one of them is all up to the next token,
// several are a character each.
bool append_unknown(std::string_view text, std::size_t word_end, std::size_t count, std::string_view next,
                    std::size_t& at, std::vector<std::string_view>& parts) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = end_of_symbol(text, at, word_end);
    if (end == text.npos) return false;
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  if (count > 1) return true;
  const std::size_t end = next.empty() ? text.size() : text.find(next, at);
  if (end == text.npos) return false;
  const std::size_t begin = at - parts.back().size();
  parts.back() = text.substr(begin, end - begin);
  at = end;
  return true;
}

// Parts of `text`, one for each id; none where they do not cover it.
std::vector<std::string_view> parts_of(std::string_view text, std::size_t word_end,
                                       std::span<const std::int32_t> ids, const Vocabulary& vocabulary) {
  const std::int32_t unknown_id = vocabulary.unknown_id();
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  for (std::size_t i = 0; i < ids.size();) {
    if (ids[i] == unknown_id) {
      std::size_t count = 1;
      while (i + count < ids.size() && ids[i + count] == unknown_id) ++count;
      const std::string_view next =
          i + count < ids.size() ? std::string_view(vocabulary.surface(ids[i + count])) : std::string_view();
      if (!append_unknown(text, word_end, count, next, at, parts)) return {};
      i += count;
    } else {
      const std::string_view surface = vocabulary.surface(ids[i++]);
      if (!text.substr(at).starts_with(surface)) return {};
      parts.push_back(text.substr(at, surface.size()));
      at += surface.size();
    }
  }
  if (at != text.size()) parts.clear();
  return parts;
}

}  // namespace

std::vector<std::string> surfaces_with_unknown_text(std::string_view piece, std::string_view word_end,
                                                    std::span<const std::int32_t> ids,
                                                    const Vocabulary& vocabulary) {
  std::string text(piece);
  text += word_end;
  const std::vector<std::string_view> parts = parts_of(text, word_end.size(), ids, vocabulary);
  std::vector<std::string> surfaces;
  surfaces.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_shown =
        ids[i] == vocabulary.unknown_id() && !parts.empty() && vocabulary.find(parts[i]) < 0;
    surfaces.push_back(is_shown ? std::string(parts[i]) : vocabulary.surface(ids[i]));
  }
  return surfaces;
}

void for_each_surface(std::string_view piece, std::string_view word_end, std::span<const std::int32_t> ids,
                      const Vocabulary& vocabulary, const std::function<void(std::string_view)>& use) {
  if (!vocabulary.has_unknown(ids)) {
    for (const std::int32_t id : ids) use(vocabulary.surface(id));
    return;
  }
  for (const std::string& surface : surfaces_with_unknown_text(piece, word_end, ids, vocabulary))
    use(surface);
}

}  // namespace headwater
