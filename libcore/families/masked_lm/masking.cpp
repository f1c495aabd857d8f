#include "families/masked_lm/masking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/error.hpp"

namespace headwater {

void MaskedText::reserve(std::size_t tokens) {
  for (std::vector<std::int32_t>* grows :
       {&ids, &places, &were, &before, &after, &within, &scratch.order, &scratch.begins, &scratch.ends})
    grows->reserve(tokens);
  scratch.is_hidden.reserve(tokens);
}

Masking::Masking(const Settings& settings, MaskingVocabulary vocabulary)
    : settings_(settings), vocabulary_(std::move(vocabulary)) {
  for (std::size_t id = 0; id < vocabulary_.is_special.size(); ++id) {
    if (vocabulary_.is_special[id] == 0) ordinary_.push_back(static_cast<std::int32_t>(id));
  }
  if (ordinary_.empty()) throw UsageError("masking: the tokenizer has special tokens alone");
  double left = 1, total = 0;
  for (std::int64_t words = 1; words <= settings_.longest_span; ++words) {
    total += left * settings_.span_probability;
    span_probabilities_.push_back(total);
    left *= 1 - settings_.span_probability;
  }
  for (double& p : span_probabilities_) p /= total;
}

std::int64_t Masking::most_hidden(std::int64_t tokens) const {
  if (tokens == 0) return 0;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(settings_.share * static_cast<double>(tokens)));
}

std::int64_t Masking::span_words(double uniform) const {
  const auto found = std::upper_bound(span_probabilities_.begin(), span_probabilities_.end(), uniform);
  return std::min(static_cast<std::int64_t>(found - span_probabilities_.begin()) + 1, settings_.longest_span);
}

// One text's draws, one number of the stream after the other.
class Masking::Draw {
 public:
  Draw(const Masking& masking, const RandomStream& stream, std::span<const std::int32_t> ids,
       MaskedText& made)
      : masking_(masking), stream_(stream), text_(ids), made_(made), scratch_(made.scratch) {}

  void run() {
    made_.ids.assign(text_.begin(), text_.end());
    for (std::vector<std::int32_t>* cleared :
         {&made_.places, &made_.were, &made_.before, &made_.after, &made_.within})
      cleared->clear();
    scratch_.is_hidden.assign(text_.size(), 0);
    find_units();
    if (scratch_.begins.empty()) return;
    budget_ = masking_.most_hidden(ordinary_tokens_);
    if (masking_.settings_.unit == MaskingUnit::span) {
      hide_spans();
    } else {
      hide_units();
    }
    replace();
  }

 private:
  bool is_special(std::size_t place) const { return masking_.vocabulary_.is_special[text_[place]] != 0; }
  bool begins_unit(std::size_t place) const {
    if (masking_.settings_.unit == MaskingUnit::token || place == 0 || is_special(place - 1)) return true;
    const auto before = static_cast<std::size_t>(text_[place - 1]),
               here = static_cast<std::size_t>(text_[place]);
    return masking_.vocabulary_.begins_word[here] != 0 || masking_.vocabulary_.ends_word[before] != 0;
  }

  void find_units() {
    scratch_.begins.clear();
    scratch_.ends.clear();
    ordinary_tokens_ = 0;
    for (std::size_t place = 0; place < text_.size(); ++place) {
      if (is_special(place)) continue;
      ++ordinary_tokens_;
      const auto at = static_cast<std::int32_t>(place);
      if (begins_unit(place)) {
        scratch_.begins.push_back(at);
        scratch_.ends.push_back(at + 1);
      } else {
        scratch_.ends.back() = at + 1;
      }
    }
  }

  std::uint64_t below(std::uint64_t bound) { return random_below(stream_, at_++, bound); }
  double uniform() {
    constexpr double kShare = 0x1p-53;
    return static_cast<double>(below(std::uint64_t{1} << 53)) * kShare;
  }

  void hide(std::int32_t begin, std::int32_t end) {
    std::fill(scratch_.is_hidden.begin() + begin, scratch_.is_hidden.begin() + end, std::uint8_t{1});
    hidden_ += end - begin;
  }

  // Units in an order that is drawn; one that is more than what is left is passed over. Where none fits, the
  // first is hidden as far as it may be.
  void hide_units() {
    const std::size_t units = scratch_.begins.size();
    scratch_.order.resize(units);
    std::iota(scratch_.order.begin(), scratch_.order.end(), 0);
    for (std::size_t drawn = 0; drawn < units && hidden_ < budget_; ++drawn) {
      std::swap(scratch_.order[drawn], scratch_.order[drawn + below(units - drawn)]);
      const std::size_t unit = scratch_.order[drawn];
      const std::int32_t begin = scratch_.begins[unit], end = scratch_.ends[unit];
      if (hidden_ + end - begin <= budget_) hide(begin, end);
    }
    if (hidden_ > 0) return;
    const std::int32_t begin = scratch_.begins[scratch_.order[0]];
    hide(begin, begin + static_cast<std::int32_t>(budget_));
  }

  bool is_free(std::int32_t begin, std::int32_t end) const {
    // The tokens around a span are not hidden: its boundary is told by them.
    const auto first = scratch_.is_hidden.begin() + std::max(begin - 1, 0),
               last = scratch_.is_hidden.begin() +
                      std::min(end + 1, static_cast<std::int32_t>(scratch_.is_hidden.size()));
    return std::find(first, last, std::uint8_t{1}) == last;
  }

  // Spans of a drawn number of words from a word that is drawn uniformly, which is drawn again where the span
  // does not fit there. The last is cut to the words that are left.
  void hide_spans() {
    constexpr int kDraws = 20;  // of a place, before a text has none
    const auto units = static_cast<std::int64_t>(scratch_.begins.size());
    for (std::int64_t span = 0; hidden_ < budget_; ++span) {
      std::int64_t words = std::min(masking_.span_words(uniform()), units);
      bool is_placed = false;
      // A short text may have no place for the first one: it is shortened until it has.
      for (; !is_placed && words > 0; words = span == 0 ? words - 1 : 0) {
        for (int draw = 0; draw < kDraws && !is_placed; ++draw) {
          const auto first = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(units)));
          is_placed = place_span(first, words, span == 0);
        }
      }
      if (!is_placed) return;
    }
  }

  bool place_span(std::int64_t first, std::int64_t words, bool is_first_span) {
    if (first + words > static_cast<std::int64_t>(scratch_.begins.size())) return false;
    const auto unit = [](std::int64_t at) { return static_cast<std::size_t>(at); };
    const std::int32_t begin = scratch_.begins[unit(first)], whole = scratch_.ends[unit(first + words - 1)];
    // Words on both sides of a special token are no span.
    for (std::int32_t at = begin; at < whole; ++at) {
      if (is_special(static_cast<std::size_t>(at))) return false;
    }
    if (!is_free(begin, whole)) return false;
    std::int32_t end = scratch_.ends[unit(first)];
    for (std::int64_t next = first + 1; next < first + words; ++next) {
      if (hidden_ + scratch_.ends[unit(next)] - begin > budget_) break;
      end = scratch_.ends[unit(next)];
    }
    if (hidden_ + end - begin > budget_) {
      if (!is_first_span) return false;
      end = begin + static_cast<std::int32_t>(budget_);  // of a word that is longer than what may be hidden
    }
    hide(begin, end);
    return true;
  }

  enum class Stands { mask, random, itself };
  Stands what_stands() {
    const double drawn = uniform();
    if (drawn < masking_.settings_.mask_share) return Stands::mask;
    return drawn < masking_.settings_.mask_share + masking_.settings_.random_share ? Stands::random
                                                                                   : Stands::itself;
  }

  // A span is replaced as a whole, other tokens each for itself.
  void replace() {
    const bool is_of_spans = masking_.settings_.unit == MaskingUnit::span;
    Stands stands = Stands::mask;
    std::size_t begin = 0;
    for (std::size_t place = 0; place < text_.size(); ++place) {
      if (scratch_.is_hidden[place] == 0) continue;
      const bool begins_span = place == 0 || scratch_.is_hidden[place - 1] == 0;
      if (begins_span) begin = place;
      if (!is_of_spans || begins_span) stands = what_stands();
      made_.places.push_back(static_cast<std::int32_t>(place));
      made_.were.push_back(text_[place]);
      if (stands == Stands::mask) made_.ids[place] = masking_.vocabulary_.mask_id;
      if (stands == Stands::random) made_.ids[place] = masking_.ordinary_[below(masking_.ordinary_.size())];
      if (is_of_spans) add_boundary(begin, place);
    }
  }

  void add_boundary(std::size_t begin, std::size_t place) {
    std::size_t end = place + 1;
    while (end < text_.size() && scratch_.is_hidden[end] != 0) ++end;
    // A text without special tokens around it has no token outside of a span at its edge.
    made_.before.push_back(static_cast<std::int32_t>(begin == 0 ? 0 : begin - 1));
    made_.after.push_back(static_cast<std::int32_t>(std::min(end, text_.size() - 1)));
    made_.within.push_back(static_cast<std::int32_t>(place - begin));
  }

  const Masking& masking_;
  RandomStream stream_;
  std::span<const std::int32_t> text_;
  MaskedText& made_;
  MaskedText::Scratch& scratch_;
  std::uint64_t at_ = 0;  // numbers drawn from the stream
  std::int64_t ordinary_tokens_ = 0, budget_ = 0, hidden_ = 0;
};

void Masking::hide(const RandomStream& stream, std::span<const std::int32_t> ids, MaskedText& made) const {
  Draw(*this, stream, ids, made).run();
}

}  // namespace headwater
