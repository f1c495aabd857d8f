// A lexical shortlist, as Marian's binary form keeps it (marian-dev, src/data/shortlist.h): of which target
// tokens a translation may consist, by the tokens of its source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Of which a shortlist is: how many tokens both sides have, without a [START] behind them, and a hash of what
// they are. 0: it is not known.
struct ShortlistVocabularies {
  std::int64_t source = 0, target = 0;
  std::uint64_t hash = 0;
};
ShortlistVocabularies shortlist_vocabularies(const Tokenizer& source, const Tokenizer& target);

class Shortlist {
 public:
  // The first `frequent` target tokens, those listed for a token of the source, and the next tokens until
  // they are eight or another multiple of it: ascending, each once. All, where a token of the source has no
  // list and the shortlist was learned here: its pairs do not say what that token may become.
  std::vector<std::int32_t> tokens_for(std::span<const std::int32_t> source) const;

 private:
  friend Shortlist read_shortlist(std::string_view, std::string_view, const ShortlistVocabularies&);
  std::int64_t frequent_ = 0, target_tokens_ = 0;
  bool is_learned_here_ = false;
  std::vector<std::uint64_t> offsets_;  // of each source token in listed_, and its end
  std::vector<std::uint32_t> listed_;
};

// Throws Error "where: what" if `bytes` is no shortlist, or one of other vocabularies: of other sizes, or,
// where it was written here, of other tokens.
Shortlist read_shortlist(std::string_view bytes, std::string_view where,
                         const ShortlistVocabularies& vocabularies);

// The bytes of a shortlist without frequent tokens: lists[i] are the target tokens of source token i. Before
// the first list stand eight tokens that belong to none: the hash, which Marian passes over.
std::string shortlist_bytes(const std::vector<std::vector<std::uint32_t>>& lists,
                            const ShortlistVocabularies& vocabularies);

}  // namespace headwater
