#include "text/unicode/pattern.hpp"

#include <unicode/uregex.h>
#include <unicode/utext.h>

#include <ctime>

#include "support/error.hpp"
#include "text/unicode/oniguruma.hpp"

namespace headwater {
namespace {

// Nanoseconds that this thread has computed: other threads and programs do not use up a budget.
std::int64_t processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
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

// ICU's own time limit starts again at every attempt to match.
UBool before_deadline(const void* deadline) {
  return processor_time() < *static_cast<const std::int64_t*>(deadline);
}
UBool match_goes_on(const void* deadline, std::int32_t) { return before_deadline(deadline); }
UBool find_goes_on(const void* deadline, std::int64_t index) {
  return index % 256 != 0 || before_deadline(deadline);
}

}  // namespace

struct Pattern::Impl {
  Regex regex;
};

Pattern::Pattern(std::string_view expression, std::shared_ptr<MatchBudget> budget)
    : budget_(std::move(budget)), expression_(expression) {
  const std::string fault = "regular expression " + quote(expression) + ": ";
  std::string in_icu;
  try {
    in_icu = icu_expression(expression, budget_->ranges());
  } catch (const Error& error) {
    throw Error(fault + error.what());
  }
  UErrorCode status = U_ZERO_ERROR;
  const Text text = open_text(in_icu, status);
  UParseError place{};
  auto impl = std::make_shared<Impl>();
  impl->regex.reset(uregex_openUText(text.get(), UREGEX_MULTILINE | UREGEX_UNIX_LINES, &place, &status));
  if (U_SUCCESS(status)) {
    uregex_setStackLimit(impl->regex.get(), kMaxStackBytes, &status);
  }
  if (status == U_REGEX_LOOK_BEHIND_LIMIT)
    throw Error(fault + "what is looked for behind has no longest length");
  if (U_FAILURE(status)) throw Error(fault + u_errorName(status));
  impl_ = std::move(impl);
}

std::vector<TextSpan> Pattern::find_all(std::string_view text) const {
  const std::int64_t begin_time = processor_time(), deadline = begin_time + budget_->left();
  std::vector<TextSpan> spans;
  if (text.empty()) return spans;
  UErrorCode status = U_ZERO_ERROR;
  const Regex regex(uregex_clone(impl_->regex.get(), &status));
  const Text opened = open_text(text, status);
  uregex_setMatchCallback(regex.get(), match_goes_on, &deadline, &status);
  uregex_setFindProgressCallback(regex.get(), find_goes_on, &deadline, &status);
  uregex_setUText(regex.get(), opened.get(), &status);
  while (U_SUCCESS(status) && uregex_findNext(regex.get(), &status)) {
    const std::int64_t begin = uregex_start64(regex.get(), 0, &status);
    const std::int64_t end = uregex_end64(regex.get(), 0, &status);
    if (begin == end && !spans.empty() && spans.back().end == static_cast<std::size_t>(end)) continue;
    spans.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  }
  budget_->spend(processor_time() - begin_time);
  if (status == U_REGEX_STOPPED_BY_CALLER || budget_->left() < 0) {
    throw Error("regular expression " + quote(expression_) +
                ": takes too long (more than half a second, and 50 us a line and 2 us a byte of the input)");
  }
  if (U_FAILURE(status)) {
    throw Error("regular expression " + quote(expression_) + ": too hard for a text of " +
                std::to_string(text.size()) + " bytes (" + u_errorName(status) + ")");
  }
  return spans;
}

}  // namespace headwater
