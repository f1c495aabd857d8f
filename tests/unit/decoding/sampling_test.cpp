// Filters of the next token's probabilities, the random numbers they are drawn with, length penalties.
#include "decoding/sampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "decoding/length_penalty.hpp"
#include "decoding/token_bans.hpp"

using namespace headwater;

namespace {

std::vector<std::int32_t> kept(const std::vector<Real>& logits, const SamplingSettings& settings) {
  std::vector<TokenProbability> tokens;
  token_probabilities(logits, settings, tokens);
  std::vector<std::int32_t> ids;
  double sum = 0;
  for (const TokenProbability& token : tokens) {
    ids.push_back(token.id);
    sum += token.probability;
  }
  CHECK(std::abs(sum - (tokens.empty() ? 0 : 1)) <= 1e-12);
  return ids;
}

}  // namespace

TEST_CASE("filters keep the most likely tokens, the smaller id of equals") {
  constexpr Real kNone = -std::numeric_limits<Real>::infinity();
  using Ids = std::vector<std::int32_t>;
  CHECK(kept({1, 2, 2, kNone, 0}, {}) == Ids{0, 1, 2, 4});
  CHECK(kept({1, 2, 2, kNone, 0}, {.top_k = 1}) == Ids{1});
  CHECK(kept({1, 2, 2, kNone, 0}, {.top_k = 9}) == Ids{0, 1, 2, 4});
  CHECK(kept({1, 2, 2, kNone, 0}, {.top_p = 1e-9}) == Ids{1});
  CHECK(kept({1, 2, 2, kNone, 0}, {.min_p = 1}) == Ids{1, 2});
  CHECK(kept({0, 0, 0, 0}, {.top_p = 0.5}) == Ids{0, 1});
  CHECK(kept({kNone, kNone}, {.top_p = 0.5}).empty());
  CHECK(kept({}, {}).empty());
}

TEST_CASE("random numbers of sampling differ by seed, text and place, and fill [0, 1) evenly") {
  CHECK(sampling_number(1, 2, 3) == sampling_number(1, 2, 3));
  CHECK(sampling_number(1, 2, 3) != sampling_number(2, 2, 3));
  CHECK(sampling_number(1, 2, 3) != sampling_number(1, 3, 3));
  CHECK(sampling_number(1, 2, 3) != sampling_number(1, 2, 4));
  double sum = 0, squares = 0;
  for (std::uint64_t text = 0; text < 10'000; ++text) {
    const double number = sampling_number(7, text, 5);
    CHECK((number >= 0 && number < 1));
    sum += number;
    squares += number * number;
  }
  CHECK(std::abs(sum / 10'000 - 0.5) <= 0.01);
  CHECK(std::abs(squares / 10'000 - 1.0 / 3) <= 0.01);
}

TEST_CASE("length penalties are those of their papers") {
  GenerationSettings settings;
  CHECK(length_penalty(settings, 7) == 7);
  settings.length_penalty = 0;
  CHECK(length_penalty(settings, 7) == 1);
  settings.length_penalty = 0.6;
  CHECK(std::abs(length_penalty(settings, 7) - std::pow(7.0, 0.6)) <= 1e-14);
  settings.length_penalty = -2.5;
  CHECK(std::abs(length_penalty(settings, 3) - std::pow(3.0, -2.5)) <= 1e-14);
  settings.length_penalty_kind = LengthPenaltyKind::gnmt;
  settings.length_penalty = 0.6;
  CHECK(std::abs(length_penalty(settings, 7) - std::pow(2.0, 0.6)) <= 1e-14);
  CHECK(length_penalty(settings, 1) == 1);
}

TEST_CASE("what would repeat an n-gram is banned, of each row's own text") {
  const GenerationSettings settings{
      .end_id = 9, .suppress_tokens = {0}, .min_new_tokens = 2, .no_repeat_ngram_size = 2};
  TokenBans bans(settings);
  bans.clear();
  bans.add(std::vector<std::int32_t>{4, 5, 6, 4});
  bans.add(std::vector<std::int32_t>{4});
  bans.add(std::vector<std::int32_t>{4, 4, 5, 4});
  const kernels::BannedColumns banned = bans.columns(1);
  CHECK(std::vector<Index>(banned.offsets.begin(), banned.offsets.end()) == std::vector<Index>{0, 1, 1, 3});
  CHECK(std::vector<std::int32_t>(banned.columns.begin(), banned.columns.end()) ==
        std::vector<std::int32_t>{5, 4, 5});
  CHECK(std::vector<std::int32_t>(banned.all.begin(), banned.all.end()) == std::vector<std::int32_t>{0, 9});
  CHECK(bans.columns(2).all.size() == 1);
}
