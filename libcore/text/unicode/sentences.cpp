#include "text/unicode/sentences.hpp"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "support/error.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

constexpr std::string_view kLineBreak = "<br />";

void cut(icu::BreakIterator& breaks, std::string_view text, std::vector<std::string_view>& sentences) {
  UErrorCode status = U_ZERO_ERROR;
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
  if (U_SUCCESS(status)) breaks.setText(&view, status);
  if (U_FAILURE(status)) throw Error(std::string("sentences: ") + u_errorName(status));
  std::size_t begin = 0;
  for (std::int32_t next = breaks.next(); next != icu::BreakIterator::DONE; next = breaks.next()) {
    const std::size_t end = next;
    const std::string_view sentence = trimmed(text.substr(begin, end - begin));
    if (!sentence.empty()) sentences.push_back(sentence);
    begin = end;
  }
  utext_close(&view);
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status)) throw Error(std::string("sentences: ") + u_errorName(status));
  std::vector<std::string_view> sentences;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kLineBreak), text.size());
    cut(*breaks, text.substr(0, end), sentences);
    text.remove_prefix(std::min(text.size(), end + kLineBreak.size()));
  }
  return sentences;
}

}  // namespace headwater
