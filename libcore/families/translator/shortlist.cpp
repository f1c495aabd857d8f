#include "families/translator/shortlist.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"

namespace headwater {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::uint64_t kMagic = 0xF11A48D5013417F5;

struct Head {
  std::uint64_t magic, checksum, frequent, best, offsets, listed;
};
constexpr std::size_t kChecked = 2 * sizeof(std::uint64_t);  // where begins what the checksum is of

// The hash as tokens of the target: of each eight bits.
constexpr std::size_t kHashTokens = 8;
std::array<std::uint32_t, kHashTokens> hash_tokens(const ShortlistVocabularies& vocabularies) {
  std::array<std::uint32_t, kHashTokens> tokens;
  for (std::size_t i = 0; i < kHashTokens; ++i)
    tokens[i] = static_cast<std::uint32_t>((vocabularies.hash >> (8 * i) & 0xFF) %
                                           static_cast<std::uint64_t>(vocabularies.target));
  return tokens;
}

// 64-bit words; the rest of a last one is not counted, as there.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum ^= word + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

}  // namespace

ShortlistVocabularies shortlist_vocabularies(const Tokenizer& source, const Tokenizer& target) {
  const auto tokens = [](const Tokenizer& of) {
    return of.vocabulary_size() - (of.start_id() == of.vocabulary_size() - 1 ? 1 : 0);
  };
  return {tokens(source), tokens(target), hash64(source.hash() + target.hash())};
}

std::vector<std::int32_t> Shortlist::tokens_for(std::span<const std::int32_t> source) const {
  constexpr std::size_t kBits = 64;
  const auto targets = static_cast<std::size_t>(target_tokens_),
             frequent = static_cast<std::size_t>(frequent_);
  std::vector<std::uint64_t> has((targets + kBits - 1) / kBits);
  std::size_t count = 0;
  const auto take = [&](std::size_t token) {
    std::uint64_t &bits = has[token / kBits], bit = std::uint64_t{1} << token % kBits;
    count += (bits & bit) == 0 ? 1 : 0;
    bits |= bit;
  };
  for (std::size_t token = 0; token < frequent; ++token) take(token);
  for (const std::int32_t token : source) {
    const std::size_t at = token;
    if (at + 1 >= offsets_.size()) continue;
    if (is_learned_here_ && offsets_[at] == offsets_[at + 1]) {
      std::vector<std::int32_t> all(targets);
      std::iota(all.begin(), all.end(), 0);
      return all;
    }
    for (std::uint64_t i = offsets_[at]; i < offsets_[at + 1]; ++i) take(listed_[i]);
  }
  for (std::size_t next = frequent; next < targets && (count == 0 || count % 8 != 0); ++next) take(next);
  std::vector<std::int32_t> tokens;
  tokens.reserve(count);
  for (std::size_t word = 0; word < has.size(); ++word) {
    for (std::uint64_t bits = has[word]; bits != 0; bits &= bits - 1)
      tokens.push_back(static_cast<std::int32_t>(word * kBits) + std::countr_zero(bits));
  }
  return tokens;
}

Shortlist read_shortlist(std::string_view bytes, std::string_view where,
                         const ShortlistVocabularies& vocabularies) {
  const std::int64_t source_tokens = vocabularies.source, target_tokens = vocabularies.target;
  const auto fail = [&](const std::string& what) { throw Error(std::string(where) + ": " + what); };
  Head head{};
  if (bytes.size() < sizeof head) fail("no shortlist: it is shorter than its header (copy it again)");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kMagic)
    fail(
        "no binary shortlist (learn one with vectorize shortlist, convert a lexicon with marian-conv "
        "--shortlist, or leave it out)");
  const std::uint64_t data = bytes.size() - sizeof head;
  const bool fits =
      head.offsets <= data / 8 && head.listed <= data / 4 && head.offsets * 8 + head.listed * 4 == data;
  if (!fits)
    fail("its header promises another size than its " + std::to_string(bytes.size()) +
         " bytes (copy it again)");
  if (checksum_of(bytes.substr(kChecked)) != head.checksum) fail("its checksum is wrong (copy it again)");
  if (head.offsets != static_cast<std::uint64_t>(source_tokens) + 1)
    fail("lists tokens for " + std::to_string(head.offsets == 0 ? 0 : head.offsets - 1) +
         " source tokens, the vocabulary has " + std::to_string(source_tokens) +
         " (take this model's, or learn one with vectorize shortlist)");
  Shortlist made;
  made.frequent_ = static_cast<std::int64_t>(
      std::min<std::uint64_t>(head.frequent, static_cast<std::uint64_t>(target_tokens)));
  made.target_tokens_ = target_tokens;
  made.offsets_.resize(head.offsets);
  made.listed_.resize(head.listed);
  std::memcpy(made.offsets_.data(), bytes.data() + sizeof head, head.offsets * 8);
  if (head.listed > 0)
    std::memcpy(made.listed_.data(), bytes.data() + sizeof head + head.offsets * 8, head.listed * 4);
  const std::uint64_t first = made.offsets_.front();
  made.is_learned_here_ = first > 0;
  if (!std::ranges::is_sorted(made.offsets_) || made.offsets_.back() != head.listed ||
      (first != 0 && first != kHashTokens))
    fail("the places of its lists are out of order");
  if (std::ranges::any_of(made.listed_, [&](std::uint32_t token) {
        return token >= static_cast<std::uint64_t>(target_tokens);
      }))
    fail("lists a token beyond the " + std::to_string(target_tokens) + " of the target's vocabulary");
  if (first > 0 && vocabularies.hash != 0 &&
      !std::ranges::equal(std::span(made.listed_).first(kHashTokens), hash_tokens(vocabularies)))
    fail("was learned for other vocabularies (remove it, and learn another with vectorize shortlist)");
  return made;
}

std::string shortlist_bytes(const std::vector<std::vector<std::uint32_t>>& lists,
                            const ShortlistVocabularies& vocabularies) {
  const std::array<std::uint32_t, kHashTokens> hash = hash_tokens(vocabularies);
  std::vector<std::uint32_t> listed(hash.begin(), hash.end());
  std::vector<std::uint64_t> offsets{listed.size()};
  std::size_t longest = 0;
  for (const std::vector<std::uint32_t>& list : lists) {
    listed.insert(listed.end(), list.begin(), list.end());
    offsets.push_back(listed.size());
    longest = std::max(longest, list.size());
  }
  const Head head{.magic = kMagic,
                  .checksum = 0,
                  .frequent = 0,
                  .best = longest,
                  .offsets = offsets.size(),
                  .listed = listed.size()};
  std::string bytes(raw_bytes(std::span(&head, 1)));
  bytes.append(raw_bytes(offsets)).append(raw_bytes(listed));
  const std::uint64_t checksum = checksum_of(std::string_view(bytes).substr(kChecked));
  std::memcpy(bytes.data() + sizeof head.magic, &checksum, sizeof checksum);
  return bytes;
}

}  // namespace headwater
