#include "text/pattern.hpp"

#include <unicode/uregex.h>
#include <unicode/utext.h>

#include <chrono>

#include "support/error.hpp"

namespace headwater {
namespace {

using Clock = std::chrono::steady_clock;

// Half a second, and a second more for each MB of text.
Clock::duration max_time(std::size_t bytes) {
  return std::chrono::milliseconds(500) + std::chrono::microseconds(bytes);
}
constexpr std::int32_t kMaxStackBytes = 8 << 20;

struct RegexCloser {
  void operator()(URegularExpression* regex) const { uregex_close(regex); }
};
struct TextCloser {
  void operator()(UText* text) const { utext_close(text); }
};
using Regex = std::unique_ptr<URegularExpression, RegexCloser>;
using Text = std::unique_ptr<UText, TextCloser>;

Text open_text(std::string_view bytes, UErrorCode& status) {
  return Text(utext_openUTF8(nullptr, bytes.data(), static_cast<std::int64_t>(bytes.size()), &status));
}

// ICU's own time limit starts again at every attempt to match, so one deadline a text is kept here.
UBool before_deadline(const void* deadline) {
  return Clock::now() < *static_cast<const Clock::time_point*>(deadline);
}
UBool match_goes_on(const void* deadline, std::int32_t) { return before_deadline(deadline); }
UBool find_goes_on(const void* deadline, std::int64_t index) {
  return index % 256 != 0 || before_deadline(deadline);
}

}  // namespace

struct Pattern::Impl {
  Regex regex;
};

Pattern::Pattern(std::string_view expression) : expression_(expression) {
  UErrorCode status = U_ZERO_ERROR;
  const Text text = open_text(expression, status);
  UParseError place{};
  auto impl = std::make_shared<Impl>();
  impl->regex.reset(uregex_openUText(text.get(), 0, &place, &status));
  if (U_SUCCESS(status)) {
    uregex_setStackLimit(impl->regex.get(), kMaxStackBytes, &status);
  }
  if (U_FAILURE(status)) {
    throw Error("regular expression " + quote(expression) + ": " + u_errorName(status) + " at character " +
                std::to_string(place.offset));
  }
  impl_ = std::move(impl);
}

std::vector<TextSpan> Pattern::find_all(std::string_view text) const {
  UErrorCode status = U_ZERO_ERROR;
  const Regex regex(uregex_clone(impl_->regex.get(), &status));
  const Text opened = open_text(text, status);
  const Clock::time_point deadline = Clock::now() + max_time(text.size());
  uregex_setMatchCallback(regex.get(), match_goes_on, &deadline, &status);
  uregex_setFindProgressCallback(regex.get(), find_goes_on, &deadline, &status);
  uregex_setUText(regex.get(), opened.get(), &status);
  std::vector<TextSpan> spans;
  while (U_SUCCESS(status) && uregex_findNext(regex.get(), &status)) {
    const std::int64_t begin = uregex_start64(regex.get(), 0, &status);
    const std::int64_t end = uregex_end64(regex.get(), 0, &status);
    spans.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  }
  if (U_FAILURE(status)) {
    throw Error("regular expression " + quote(expression_) + ": too hard for a text of " +
                std::to_string(text.size()) + " bytes (" + u_errorName(status) + ")");
  }
  return spans;
}

}  // namespace headwater
