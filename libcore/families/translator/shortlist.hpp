// A lexical shortlist, as Marian's binary form keeps it (marian-dev, src/data/shortlist.h): of which target
// tokens a translation may consist, by the tokens of its source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headwater {

class Shortlist {
 public:
  // The first `frequent` target tokens, those listed for a token of the source, and the next tokens until
  // they are a multiple of eight: ascending, each once.
  std::vector<std::int32_t> tokens_for(std::span<const std::int32_t> source) const;

 private:
  friend Shortlist read_shortlist(std::string_view, std::string_view, std::int64_t, std::int64_t);
  std::int64_t frequent_ = 0, target_tokens_ = 0;
  std::vector<std::uint64_t> offsets_;  // of each source token in listed_, and its end
  std::vector<std::uint32_t> listed_;
};

// Throws Error "where: what" if `bytes` is no shortlist, or one of vocabularies of other sizes.
Shortlist read_shortlist(std::string_view bytes, std::string_view where, std::int64_t source_tokens,
                         std::int64_t target_tokens);

}  // namespace headwater
