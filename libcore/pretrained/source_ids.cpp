#include "pretrained/source_ids.hpp"

#include <utility>

#include "support/error.hpp"

namespace headwater {

std::size_t tokens_around(const Tokenizer& tokenizer, Index length, const std::string& where) {
  const std::size_t around = tokenizer.with_special_tokens({}).size();
  if (around == 0) {
    throw Error(where +
                ": its tokenizer puts no special tokens around a text, and model.special_tokens is template "
                "(learn one with tokenize --learn ... --template bert)");
  }
  if (length > 0 && static_cast<Index>(around) >= length)
    throw Error(where + ": model.length is " + std::to_string(length) + ", and " + std::to_string(around) +
                " special tokens stand around a text (make it longer)");
  return around;
}

void add_template(const Tokenizer& tokenizer, std::size_t around, std::span<const std::int32_t> ids,
                  Index length, std::vector<std::int32_t>& all) {
  const auto most = static_cast<std::size_t>(length);
  if (length > 0 && ids.size() + around > most) ids = ids.first(most - around);
  all.clear();
  tokenizer.with_special_tokens(ids, all);
}

void find_source_ids(const Tokenizer& tokenizer, std::size_t around, Index length, std::string_view text,
                     SourceIds& found) {
  tokenizer.encode(text, found.ids);
  const auto most = static_cast<std::size_t>(length);
  found.is_empty = found.ids.empty();
  found.is_truncated = most > 0 && found.ids.size() + around > most;
  if (around > 0) {
    const std::vector<std::int32_t> plain = std::move(found.ids);
    add_template(tokenizer, around, plain, length, found.ids);
  } else if (found.is_truncated) {
    found.ids.resize(most);
  }
}

}  // namespace headwater
