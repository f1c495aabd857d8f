#include "decoding/token_bans.hpp"

#include <algorithm>

namespace headwater {

TokenBans::TokenBans(const GenerationSettings& settings)
    : settings_(settings), suppressed_(settings.suppress_tokens), suppressed_with_end_(suppressed_) {
  if (settings.end_id >= 0) suppressed_with_end_.push_back(settings.end_id);
}

void TokenBans::clear() {
  offsets_.assign(1, 0);
  columns_.clear();
}

void TokenBans::add(std::span<const std::int32_t> text, std::span<const std::int32_t> others) {
  const auto size = static_cast<std::size_t>(settings_.no_repeat_ngram_size);
  if (size > 0 && text.size() >= size) {
    const std::span<const std::int32_t> last = text.last(size - 1);
    for (std::size_t at = 0; at + size <= text.size(); ++at) {
      if (std::equal(last.begin(), last.end(), text.begin() + static_cast<std::ptrdiff_t>(at)))
        columns_.push_back(text[at + size - 1]);
    }
  }
  columns_.insert(columns_.end(), others.begin(), others.end());
  offsets_.push_back(static_cast<Index>(columns_.size()));
}

kernels::BannedColumns TokenBans::columns(std::int64_t new_tokens) const {
  const bool may_end = new_tokens >= settings_.min_new_tokens;
  kernels::BannedColumns banned{.all = may_end ? suppressed_ : suppressed_with_end_,
                                .limit = settings_.vocabulary_limit};
  if (offsets_.size() > 1) {
    banned.offsets = offsets_;
    banned.columns = columns_;
  }
  return banned;
}

}  // namespace headwater
