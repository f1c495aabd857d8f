// Batches for language models: texts whose next token is predicted at each place, or at the places after a
// delimiter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/packed_tokens.hpp"

namespace headwater {

// A text and how it goes on: source, delimiter, target. Only the target is predicted.
struct DelimitedText {
  std::span<const std::int32_t> source, target;  // target: at least one id
  std::int32_t delimiter = 0;

  std::size_t size() const { return source.size() + 1 + target.size(); }
  // The first ids of both that fit in `max_ids` with the delimiter; the target comes first.
  DelimitedText truncated(std::size_t max_ids) const;
};

// A part of a text that is read at once: ids begin to end - 2 are read, `predicted` to end - 1 predicted.
struct TextWindow {
  std::size_t begin = 0, predicted = 1, end = 0;
  bool operator==(const TextWindow&) const = default;
};

// A text of so many ids, at least two, in windows that read up to `length` of them. All but the first id are
// predicted, each once. A window after the first predicts up to `stride` ids, 1 to `length`, and each of them
// after at least length - stride + 1 others.
std::vector<TextWindow> text_windows(std::size_t ids, std::size_t length, std::size_t stride);

// The model reads all ids of a text but the last and predicts all but the first. A batch has texts of one
// kind: delimited or not.
struct TokenBatch {
  PackedTokens tokens;               // what is read
  TokenSubset predicting;            // of delimited texts: the tokens after which one is predicted
  std::vector<std::int32_t> labels;  // what is predicted, one a token, or one each of `predicting`
  Index padding = 0;                 // of the tokens: those that fill texts up

  void clear();
  // At least one id. With `length` a text that reads fewer is filled up to so many with padding (id 0), and
  // padding is predicted after its end.
  void add(std::span<const std::int32_t> ids, Index length = 0);
  void add(const DelimitedText& text);
  // A text that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> ids, Index length = 0) {
    skip(static_cast<Index>(ids.size()), length);
  }
  void skip(Index ids, Index length = 0) { tokens.skip(std::max(ids - 1, length)); }
  void skip(const DelimitedText& text);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(tokens.sequences())); }
  bool is_delimited() const { return !predicting.tokens.empty(); }
};

}  // namespace headwater
