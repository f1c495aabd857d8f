#include "decoding/growing_text.hpp"

#include <algorithm>

#include "support/utf8.hpp"

namespace headwater {

namespace {

// Enough tokens that the ones after them are decoded as in the whole text; a character has 4 bytes at most.
constexpr std::size_t kContextTokens = 16, kMaxWaiting = 4;  // tokens that end no character
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string without_nul(std::string text) {
  std::size_t at = text.find('\0');
  if (at == text.npos) return text;
  std::string out;
  for (std::size_t from = 0;; from = at + 1, at = text.find('\0', from)) {
    out.append(text, from, at - from);
    if (at == text.npos) return out;
    out += kReplacement;
  }
}

std::string without_unfinished(std::string text) {
  while (text.ends_with(kReplacement)) text.resize(text.size() - kReplacement.size());
  return text;
}

GrowingText::GrowingText(const Tokenizer& tokenizer, std::span<const std::int32_t> context)
    : tokenizer_(tokenizer) {
  const std::span<const std::int32_t> last = context.last(std::min(context.size(), kContextTokens));
  ids_.assign(last.begin(), last.end());
  shown_text_ = tokenizer_.decode(ids_);
  if (shown_text_.empty() && last.size() < context.size()) {
    ids_.assign(context.begin(), context.end());
    shown_text_ = tokenizer_.decode(ids_);
  }
  shown_ = ids_.size();
}

void GrowingText::add(std::int32_t id) {
  begins_.push_back(text_.size());
  ids_.push_back(id);
  const std::string decoded = tokenizer_.decode(ids_);
  std::string_view whole = decoded;  // without what may be the beginning of a character
  while (whole.ends_with(kReplacement)) whole.remove_suffix(kReplacement.size());
  if (whole.size() < decoded.size()) {
    if (whole.size() > shown_text_.size() && whole.starts_with(shown_text_)) {
      text_ += without_nul(std::string(whole.substr(shown_text_.size())));
      shown_text_ = whole;
      waiting_ = 0;
      return;
    }
    if (++waiting_ < kMaxWaiting) return;
  }
  show(decoded);
}

void GrowingText::finish(Unfinished unfinished) {
  if (shown_ == ids_.size()) return;
  const std::string decoded = tokenizer_.decode(ids_);
  show(unfinished == Unfinished::shown ? decoded : without_unfinished(decoded));
}

void GrowingText::show(const std::string& decoded) {
  waiting_ = 0;
  const auto [end, ignored] =
      std::mismatch(shown_text_.begin(), shown_text_.end(), decoded.begin(), decoded.end());
  std::size_t same = end - shown_text_.begin();
  while (same > 0 && is_inside_character(decoded, same)) --same;
  text_ += without_nul(decoded.substr(same));
  if (decoded.size() == same) {  // nothing to be seen: what is seen stays the context
    shown_ = ids_.size();
    shown_text_ = decoded;
    return;
  }
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(shown_));
  shown_ = ids_.size();
  shown_text_ = tokenizer_.decode(ids_);
}

StopTexts::StopTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) longest_ = std::max(longest_, text.size());
}

std::size_t StopTexts::find(std::string_view text, std::size_t known) const {
  const std::size_t from = known < longest_ ? 0 : known - longest_ + 1;
  std::size_t first = std::string_view::npos;
  for (const std::string& stop : texts_) first = std::min(first, text.find(stop, from));
  return first;
}

std::size_t StopTexts::begun(std::string_view text) const {
  for (std::size_t size = std::min(text.size(), longest_); size > 0; --size) {
    const std::string_view end = text.substr(text.size() - size);
    for (const std::string& stop : texts_) {
      if (size < stop.size() && std::string_view(stop).starts_with(end)) return size;
    }
  }
  return 0;
}

}  // namespace headwater
