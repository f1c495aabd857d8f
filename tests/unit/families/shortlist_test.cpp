// Lexical shortlists against what a naive writer put there.
#include "families/translator/shortlist.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "marian_bytes.hpp"

using namespace headwater;

namespace {

// Lists tokens 2i, 2i + 1 and 19 for token i.
std::vector<std::vector<std::uint32_t>> lists() {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t token = 0; token < 20; ++token)
    all.push_back({2 * token % 20, (2 * token + 1) % 20, 19});
  return all;
}

}  // namespace

TEST_CASE("shortlists: the frequent tokens, the listed ones, and more up to a multiple of eight") {
  const Shortlist list = read_shortlist(marian_bytes::shortlist(lists(), 3), "lex", {20, 20});
  const auto tokens = [&](const std::vector<std::int32_t>& source) { return list.tokens_for(source); };
  using Ids = std::vector<std::int32_t>;
  CHECK(tokens({}) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
  const Shortlist none = read_shortlist(marian_bytes::shortlist({{}, {70, 130}}, 0), "lex", {2, 131});
  CHECK(none.tokens_for(std::vector<std::int32_t>{0}) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(none.tokens_for(std::vector<std::int32_t>{1}) == Ids{0, 1, 2, 3, 4, 5, 70, 130});
  CHECK(tokens({4, 0}) == Ids{0, 1, 2, 3, 4, 8, 9, 19});
  CHECK(tokens({4, 4, 5, 7}) == Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 19});
}

TEST_CASE("shortlists: a damaged one, or one of other vocabularies, is an error that says so") {
  const std::string good = marian_bytes::shortlist(lists(), 3);
  const auto said = [](const std::string& bytes, std::int64_t source = 20, std::int64_t target = 20) {
    return error_text([&] { (void)read_shortlist(bytes, "lex", {source, target}); });
  };
  CHECK(said(good) == "(no error)");
  CHECK(said(good, 19) ==
        "lex: lists tokens for 20 source tokens, the vocabulary has 19 (take this model's, or learn one with "
        "vectorize shortlist)");
  CHECK(said(good, 20, 19) == "lex: lists a token beyond the 19 of the target's vocabulary");
  CHECK(said(good.substr(0, 20)) == "lex: no shortlist: it is shorter than its header (copy it again)");
  CHECK(said(good + "1234") == "lex: its header promises another size than its 460 bytes (copy it again)");
  CHECK(said("der die 0.5\n" + std::string(60, ' ')) ==
        "lex: no binary shortlist (learn one with vectorize shortlist, convert a lexicon with marian-conv "
        "--shortlist, or leave it out)");
  CHECK(said(marian_bytes::shortlist(lists(), 3, 1)) == "lex: the places of its lists are out of order");
  std::string bad = good;
  bad[60] = static_cast<char>(bad[60] ^ 1);
  CHECK(said(bad) == "lex: its checksum is wrong (copy it again)");
  CHECK(said(marian_bytes::shortlist({}, 3), 0) == "(no error)");
  // All of a short vocabulary is the most.
  CHECK(read_shortlist(marian_bytes::shortlist(lists(), 1000), "lex", {20, 20})
            .tokens_for(std::vector<std::int32_t>{0})
            .size() == 20);
}

TEST_CASE(
    "shortlists: what is written is read again, by any program that knows Marian's, for its vocabularies") {
  const ShortlistVocabularies vocabularies{.source = 20, .target = 20, .hash = 0x0123456789ABCDEF};
  const std::string bytes = shortlist_bytes(lists(), vocabularies);
  std::string naive = marian_bytes::shortlist(lists(), 0, 8);
  REQUIRE(bytes.size() == naive.size());
  // But for the longest list, the hash and the checksum of both.
  const std::size_t hash = 48 + 21 * 8;
  CHECK(bytes.substr(0, 8) == naive.substr(0, 8));
  CHECK(bytes.substr(16, 8) == naive.substr(16, 8));
  CHECK(bytes.substr(32, hash - 32) == naive.substr(32, hash - 32));
  CHECK(bytes.substr(hash + 32) == naive.substr(hash + 32));
  const std::vector<std::int32_t> source{4, 0};
  CHECK(read_shortlist(bytes, "lex", vocabularies).tokens_for(source) ==
        read_shortlist(naive, "lex", {20, 20}).tokens_for(source));
  const auto said = [&](std::uint64_t other) {
    return error_text([&] { (void)read_shortlist(bytes, "lex", {20, 20, other}); });
  };
  CHECK(said(vocabularies.hash) == "(no error)");
  CHECK(said(0) == "(no error)");
  for (int byte = 0; byte < 8; ++byte)
    CHECK(said(vocabularies.hash ^ std::uint64_t{1} << (8 * byte)) ==
          "lex: was learned for other vocabularies (remove it, and learn another with vectorize shortlist)");
}
