#include "text/tokenizer/precompiled.hpp"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <memory>

#include "support/error.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {

std::string apply_to_graphemes(const Charsmap& charsmap, std::string_view text, std::size_t most) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
  if (U_SUCCESS(status)) breaks->setText(&view, status);
  if (U_FAILURE(status)) throw Error(std::string("grapheme clusters: ") + u_errorName(status));
  std::string out;
  std::size_t begin = 0;
  for (std::int32_t next = breaks->next(); next != icu::BreakIterator::DONE; next = breaks->next()) {
    const auto end = static_cast<std::size_t>(next);
    const std::string_view cluster = text.substr(begin, end - begin);
    begin = end;
    Charsmap::Match rule;
    if (cluster.size() < 6) rule = charsmap.shortest(cluster);
    if (rule.length > 0) out += rule.replacement;
    for (std::size_t at = 0; rule.length == 0 && at < cluster.size(); at += character_bytes(cluster, at)) {
      const std::string_view one = cluster.substr(at, character_bytes(cluster, at));
      const Charsmap::Match match = charsmap.shortest(one);
      out += match.length > 0 ? match.replacement : one;
    }
    if (out.size() > most) break;
  }
  utext_close(&view);
  if (out.size() > most) throw Error("the line grows beyond " + std::to_string(most) + " bytes");
  return out;
}

}  // namespace headwater
