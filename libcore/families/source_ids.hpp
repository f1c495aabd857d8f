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

// Tokens that take no position: a text may have so many more than its length.
struct Uncounted {
  std::int32_t id = -1;  // -1: each token takes one
  Index most = 0;        // tokens of a text, these among them; 0: any number
};

// What such a model reads of ids without special tokens: with those `around` that its tokenizer puts around a
// text, at most `length` (0: any number). Replaces what `all` held. Returns whether it is less than all.
bool add_template(const Tokenizer& tokenizer, std::size_t around, std::span<const std::int32_t> ids,
                  Index length, std::vector<std::int32_t>& all, const Uncounted& uncounted = {});

// How many texts a line holds for a model: either where it is not said.
enum class Texts { one, pair, either };
// What is wrong with the TABs of such a line, between its texts; empty: nothing.
std::string fault_of_texts(Texts texts, std::string_view line);

// The special tokens that stand around and between the two texts of a pair.
struct PairTemplate {
  std::size_t around = 0;         // all of them
  std::size_t before_second = 0;  // those before the second text
};
// Throws Error as tokens_around() does.
PairTemplate pair_template(const Tokenizer& tokenizer, Index length, const std::string& where);

// How many ids of each text are read where there is room for so many: the longer one is cut, and where both
// are longer than half of the room each has a half (transformers' longest_first).
struct PairLengths {
  std::size_t first = 0, second = 0;
  bool operator==(const PairLengths&) const = default;
};
PairLengths cut_longest_first(PairLengths lengths, std::size_t room);

// The same as add_template() of a pair. Returns where in `all` the second text begins.
Index add_pair_template(const Tokenizer& tokenizer, const PairTemplate& pair,
                        std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                        Index length, std::vector<std::int32_t>& all);

// Positions from begin to end - 1.
struct TokenRange {
  Index begin = 0, end = 0;
  bool is_empty() const { return begin == end; }
  bool operator==(const TokenRange&) const = default;
};

// Ids of a text as a model reads it.
struct SourceIds {
  std::vector<std::int32_t> ids;  // with the special tokens around it, at most the model's length
  bool is_empty = false;          // the text has no token
  bool is_truncated = false;
  // Where the text's own tokens are, as many as are read; of a pair those of its first and its second text.
  TokenRange first = {}, second = {};
};
// `around` 0: it reads no special tokens. Replaces what `found` held.
void find_source_ids(const Tokenizer& tokenizer, std::size_t around, Index length, std::string_view text,
                     SourceIds& found, const Uncounted& uncounted = {});
// The same of a pair of texts with a TAB between them.
void find_pair_ids(const Tokenizer& tokenizer, const PairTemplate& pair, Index length, std::string_view line,
                   SourceIds& found, const Uncounted& uncounted = {});

}  // namespace headwater
