#include "data/language_batch.hpp"

#include <algorithm>

namespace headwater {

DelimitedText DelimitedText::truncated(std::size_t max_ids) const {
  const std::size_t room = max_ids > 0 ? max_ids - 1 : 0, of_target = std::min(target.size(), room);
  return {source.first(std::min(source.size(), room - of_target)), target.first(of_target), delimiter};
}

std::vector<TextWindow> text_windows(std::size_t ids, std::size_t length, std::size_t stride) {
  std::vector<TextWindow> windows{{0, 1, std::min(ids, length + 1)}};
  while (windows.back().end < ids) {
    const std::size_t predicted = windows.back().end, end = std::min(ids, predicted + stride);
    windows.push_back({end - 1 - length, predicted, end});
  }
  return windows;
}

void TokenBatch::clear() {
  tokens.clear();
  predicting.clear();
  labels.clear();
  padding = 0;
}

void TokenBatch::add(std::span<const std::int32_t> ids, Index length) {
  const Index filled = length - (static_cast<Index>(ids.size()) - 1);
  labels.insert(labels.end(), ids.begin() + 1, ids.end());
  if (filled <= 0) return tokens.add(ids.first(ids.size() - 1));
  // The last id is read, too: the first padding follows it.
  tokens.add(ids);
  tokens.fill(length);
  labels.insert(labels.end(), static_cast<std::size_t>(filled), 0);
  padding += filled;
}

void TokenBatch::add(const DelimitedText& text) {
  const Index before = tokens.tokens() + static_cast<Index>(text.source.size());
  tokens.add(text.source);
  tokens.append({&text.delimiter, 1});
  tokens.append(text.target.first(text.target.size() - 1));
  predicting.add(before, static_cast<Index>(text.target.size()));
  labels.insert(labels.end(), text.target.begin(), text.target.end());
}

void TokenBatch::skip(const DelimitedText& text) {
  tokens.skip(static_cast<Index>(text.size()) - 1);
  predicting.skip(static_cast<Index>(text.target.size()));
}

void TokenBatch::finish(const BatchPart& part) {
  tokens.finish(part);
  if (is_delimited()) predicting.finish(part);
}

}  // namespace headwater
