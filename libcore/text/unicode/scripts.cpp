#include "text/unicode/scripts.hpp"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <cstdint>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {

Scripts::Scripts(const std::string& name) {
  constexpr std::int32_t kMost = 8;
  UScriptCode codes[kMost];
  UErrorCode status = U_ZERO_ERROR;
  // "" would be the language of this machine.
  const std::int32_t count = uscript_getCode(name.c_str(), codes, kMost, &status);
  if (name.empty() || U_FAILURE(status) || count < 1 || codes[0] == USCRIPT_INVALID_CODE)
    throw Error("\"" + name + "\" is no script (Latin, Cyrillic, Han, ...) and no language (en, ja, ...)");
  codes_.assign(codes, codes + count);
}

double Scripts::share(std::string_view text) const {
  std::int64_t letters = 0, own = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(next_code_point(text, at));
    if (!u_isalpha(c)) continue;
    ++letters;
    own += std::ranges::any_of(
        codes_, [&](int code) { return uscript_hasScript(c, static_cast<UScriptCode>(code)); });
  }
  return letters == 0 ? 1 : static_cast<double>(own) / static_cast<double>(letters);
}

}  // namespace headwater
