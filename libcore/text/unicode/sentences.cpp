#include "text/unicode/sentences.hpp"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <memory>
#include <string>

#include "support/error.hpp"
#include "text/unicode/trimmed.hpp"

namespace headwater {

std::vector<std::string_view> sentences_of(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
  if (U_SUCCESS(status)) breaks->setText(&view, status);
  if (U_FAILURE(status)) throw Error(std::string("sentences: ") + u_errorName(status));
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  for (std::int32_t next = breaks->next(); next != icu::BreakIterator::DONE; next = breaks->next()) {
    const auto end = static_cast<std::size_t>(next);
    const std::string_view sentence = trimmed(text.substr(begin, end - begin));
    if (!sentence.empty()) sentences.push_back(sentence);
    begin = end;
  }
  utext_close(&view);
  return sentences;
}

}  // namespace headwater
