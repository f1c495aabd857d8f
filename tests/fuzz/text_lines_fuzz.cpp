// Any bytes as text: learning from it, splitting it, writing token lines and reading them back never loses a
// byte of a token. The first byte chooses the settings.
#include <cstdint>
#include <cstdlib>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/learning/tokenizer_learner.hpp"
#include "text/tokenizer/token_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    (void)tokens_of_line(text);
  } catch (const Error&) {  // not every text is a token line
  }
  if (find_invalid_utf8(text) != text.npos) return 0;
  const SplitKind split = (data[0] & 1) != 0         ? SplitKind::character
                          : (data[0] & 0x30) == 0x30 ? SplitKind::word_and_punctuation
                                                     : SplitKind::word;
  TokenizerLearner learner(
      {.split = split,
       .size = 5 + (data[0] >> 4),
       .standardize = {.standardize = kAllStandardizations[(data[0] >> 1) % kAllStandardizations.size()],
                       .lower = (data[0] & 8) != 0 ? Lowering::unicode : Lowering::ascii},
       .has_start_end = false});
  learner.add(text);
  try {
    const Tokenizer tokenizer = learner.finish();
    const std::vector<std::string> tokens = tokenizer.tokens(text);
    if (tokens_of_line(token_line(tokens)) != tokens) std::abort();
    if (split == SplitKind::word_and_punctuation && tokenizer.tokens(tokenizer.join(tokens)) != tokens) {
      std::abort();
    }
    for (const std::int32_t id : tokenizer.encode(text)) {
      if (id < 1 || id >= tokenizer.vocabulary_size()) std::abort();
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()) != "no tokens to learn from (the input is empty)") std::abort();
  }
  return 0;
}
