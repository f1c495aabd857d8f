#include "decoding/next_token.hpp"

#include <algorithm>

namespace headwater {

void Greedy::choose(const StepRows& rows, std::span<Chosen> chosen) const {
  const StepOutput& output = rows.output;
  const auto count = std::ssize(chosen);
  const ArenaScope scope(output.arena());
  if (wants_scores_ || output.models() > 1 || !rows.banned.offsets.empty() || !rows.candidates.empty()) {
    const std::span top = output.arena().span<kernels::TopLogit>(count);
    const std::span log_sums = output.arena().span<Real>(count);
    output.top(rows.banned, rows.candidates, 1, top, log_sums);
    for (std::size_t b = 0; b < chosen.size(); ++b)
      chosen[b] = {top[b].column, static_cast<double>(top[b].value) - static_cast<double>(log_sums[b])};
    return;
  }
  const std::span ids = output.arena().span<std::int32_t>(count);
  output.best(rows.banned, ids);
  for (std::size_t b = 0; b < chosen.size(); ++b) chosen[b] = {ids[b], 0};
}

TokenBans::TokenBans(const GenerationSettings& settings)
    : settings_(settings), ends_(settings.other_end_ids), suppressed_(settings.suppress_tokens) {
  if (settings.end_id >= 0) ends_.push_back(settings.end_id);
  suppressed_with_end_ = suppressed_;
  suppressed_with_end_.insert(suppressed_with_end_.end(), ends_.begin(), ends_.end());
}

bool TokenBans::reads_texts() const {
  return settings_.search.no_repeat_ngram_size > 0 || settings_.min_length > 0 ||
         !settings_.begin_suppress_tokens.empty() || !settings_.banned_sequences.empty();
}

void TokenBans::clear(std::int64_t new_tokens) {
  new_tokens_ = new_tokens;
  offsets_.assign(1, 0);
  columns_.clear();
}

void TokenBans::add(std::span<const std::int32_t> text, std::span<const std::int32_t> others) {
  add_repeated(text);
  add_sequences(text);
  const auto length = static_cast<std::int64_t>(text.size());
  if (length < settings_.min_length) columns_.insert(columns_.end(), ends_.begin(), ends_.end());
  // The first token that is free.
  const bool is_forced = settings_.forced_start_id >= 0 && length - new_tokens_ == 1;
  if (!text.empty() && new_tokens_ == (is_forced ? 1 : 0)) {
    const std::vector<std::int32_t>& first = settings_.begin_suppress_tokens;
    columns_.insert(columns_.end(), first.begin(), first.end());
  }
  columns_.insert(columns_.end(), others.begin(), others.end());
  offsets_.push_back(static_cast<Index>(columns_.size()));
}

void TokenBans::add_repeated(std::span<const std::int32_t> text) {
  const std::size_t size = settings_.search.no_repeat_ngram_size;
  if (size == 0 || text.size() < size) return;
  const std::span<const std::int32_t> last = text.last(size - 1);
  for (std::size_t at = 0; at + size <= text.size(); ++at) {
    if (std::equal(last.begin(), last.end(), text.begin() + static_cast<std::ptrdiff_t>(at)))
      columns_.push_back(text[at + size - 1]);
  }
}

void TokenBans::add_sequences(std::span<const std::int32_t> text) {
  for (const std::vector<std::int32_t>& sequence : settings_.banned_sequences) {
    const std::size_t before = sequence.size() - 1;
    if (before > text.size()) continue;
    if (std::equal(sequence.begin(), sequence.end() - 1, text.last(before).begin()))
      columns_.push_back(sequence.back());
  }
}

kernels::BannedColumns TokenBans::columns() const {
  const bool may_end = new_tokens_ >= settings_.search.min_new_tokens;
  kernels::BannedColumns banned{.all = may_end ? suppressed_ : suppressed_with_end_,
                                .limit = settings_.vocabulary_limit};
  if (offsets_.size() > 1) {
    banned.offsets = offsets_;
    banned.columns = columns_;
  }
  return banned;
}

}  // namespace headwater
