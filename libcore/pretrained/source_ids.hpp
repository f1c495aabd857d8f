// What models of texts read that want the special tokens of their tokenizer's template around a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/matrix.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// How many special tokens stand around a text of such a model. Throws Error where its tokenizer has no
// template, or there is no room for a text.
std::size_t tokens_around(const Tokenizer& tokenizer, Index length, const std::string& where);

// What such a model reads of ids without special tokens: with those `around` that its tokenizer puts around a
// text, at most `length` (0: any number). Replaces what `all` held.
void add_template(const Tokenizer& tokenizer, std::size_t around, std::span<const std::int32_t> ids,
                  Index length, std::vector<std::int32_t>& all);

// Ids of a text as a model reads it.
struct SourceIds {
  std::vector<std::int32_t> ids;  // with the special tokens around it, at most the model's length
  bool is_empty = false;          // the text has no token
  bool is_truncated = false;
};
// `around` 0: it reads no special tokens. Replaces what `found` held.
void find_source_ids(const Tokenizer& tokenizer, std::size_t around, Index length, std::string_view text,
                     SourceIds& found);

}  // namespace headwater
