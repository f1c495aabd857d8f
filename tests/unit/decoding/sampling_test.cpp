// Filters of the next token's probabilities, the random numbers they are drawn with, length penalties.
#include "decoding/sampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "decoding/decoder.hpp"
#include "decoding/next_token.hpp"
#include "families/language_model/model.hpp"

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

TEST_CASE("a repetition penalty is that of transformers 5.23, once for each token of the text") {
  std::vector<Real> logits{1.5, -2.25, 0.5, 3.0, -0.75, -1.0, 2.0, 0.0};
  const std::vector<std::int32_t> text{3, 5, 3, 0, 7, 7, 7, 8, -1};  // two that have no logit
  std::vector<PenalizedLogit> changed;
  penalize_repetition(logits, text, 1.3, changed);
  const std::vector<double> expected{1.1538461446762085,  -2.25, 0.5, 2.307692289352417, -0.75,
                                     -1.2999999523162842, 2.0,   0.0};
  for (std::size_t i = 0; i < logits.size(); ++i)
    CHECK(std::abs(static_cast<double>(logits[i]) - expected[i]) <= 2e-7);
  REQUIRE(changed.size() == 4);
  CHECK((changed[0].id == 3 && changed[0].logit == 3));
  CHECK((changed[1].id == 5 && changed[1].logit == -1));
}

namespace {

// Logits, a text, and the probabilities of the next token by the processors of transformers 5.23, in their
// order.
const std::vector<Real> kLogits{Real(-0.29359), Real(1.572283),  Real(1.893643), Real(-2.228688),
                                Real(3.38158),  Real(-1.789656), Real(-0.71125), Real(2.464772),
                                Real(0.276345), Real(-3.364397), Real(0.635357), Real(0.265614)};
const std::vector<std::int32_t> kText{2, 4, 4, 9, 11};
struct Reference {
  SamplingSettings settings;
  std::vector<double> probabilities;
};
const Reference kReferences[] = {
    {{.repetition_penalty = 1.3},
     {0.0184977, 0.1195244, 0.1064724, 0.0026713, 0.3344386, 0.0041437, 0.0121823, 0.2917828, 0.0327068,
      0.0003127, 0.0468333, 0.0304339}},
    {{.repetition_penalty = 0.7, .temperature = 1.7},
     {0.0239805, 0.0718666, 0.1399431, 0.0076825, 0.4886287, 0.0099463, 0.0187568, 0.1214867, 0.0335318,
      0.0071321, 0.0414165, 0.0356284}},
    {{.repetition_penalty = 1.5, .temperature = 0.8, .top_k = 6},
     {0, 0.1318559, 0.0895137, 0, 0.3093085, 0, 0, 0.4023494, 0.0260961, 0, 0.0408764, 0}},
    {{.repetition_penalty = 1.2, .temperature = 1.4, .top_k = 9, .top_p = 0.85},
     {0, 0.138144, 0.1387128, 0, 0.3363265, 0, 0, 0.2613312, 0.0547417, 0, 0.0707437, 0}},
    {{.repetition_penalty = 1.1, .temperature = 2, .top_k = 10, .top_p = 0.95, .min_p = 0.2},
     {0, 0.1347342, 0.1451706, 0, 0.2855007, 0, 0, 0.2105133, 0.0704804, 0, 0.0843387, 0.069262}},
    {{.min_p = 0.1}, {0, 0.0915218, 0.1262088, 0, 0.5588464, 0, 0, 0.2234229, 0, 0, 0, 0}},
    {{.top_p = 0.6}, {0, 0, 0, 0, 0.7143913, 0, 0, 0.2856087, 0, 0, 0, 0}},
};

// A language model whose logits are kLogits after any text.
struct ModelOfLogits {
  LanguageModel model;
  ModelOfLogits() : model(settings(), static_cast<Index>(kLogits.size())) {
    model.parameters().allocate(false);
    model.parameters().initialize(1);
    Parameter* const weight = model.parameters().find("head.weight");
    std::fill_n(weight->value.data, weight->size(), Real(0));
    std::copy(kLogits.begin(), kLogits.end(), model.parameters().find("head.bias")->value.data);
  }
  static LanguageModelSettings settings() {
    LanguageModelSettings s;
    s.transformer.width = 4;
    s.transformer.heads = 1;
    s.transformer.feed_forward_width = 4;
    s.transformer.length = 8;
    return s;
  }
};

}  // namespace

TEST_CASE("penalty and filters together give the probabilities of transformers") {
  for (const Reference& reference : kReferences) {
    std::vector<Real> logits = kLogits;
    std::vector<PenalizedLogit> changed;
    penalize_repetition(logits, kText, reference.settings.repetition_penalty, changed);
    if (reference.settings.repetition_penalty == 1) logits = kLogits;
    std::vector<TokenProbability> tokens;
    token_probabilities(logits, reference.settings, tokens);
    std::vector<double> found(kLogits.size(), 0);
    for (const TokenProbability& token : tokens) found[token.id] = token.probability;
    for (std::size_t id = 0; id < found.size(); ++id) {
      INFO("id ", id, " of ", found[id], ", ", reference.probabilities[id]);
      CHECK(std::abs(found[id] - reference.probabilities[id]) <= 3e-7);
    }
  }
}

TEST_CASE("what a model draws has the distribution of transformers: chi-squared") {
  constexpr std::size_t kDraws = 20'000;
  ModelOfLogits fixed;
  Prompts prompts;
  prompts.clear();
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < kDraws; ++i) {
    prompts.add({}, kText);
    numbers.push_back(text_number(i / 7, i % 7));
  }
  prompts.finish();
  Decoder decoder(fixed.model);
  for (const Reference& reference : kReferences) {
    const Sampler sampler(reference.settings);
    const std::vector<Hypotheses> drawn =
        decoder.decode(prompts, {.search = {.max_new_tokens = 1}, .end_id = -1}, {sampler, numbers});
    std::vector<double> counts(kLogits.size(), 0);
    for (const Hypotheses& one : drawn) ++counts[one.front().ids.at(0)];
    double chi_squared = 0;
    int kinds = 0;
    for (std::size_t id = 0; id < counts.size(); ++id) {
      const double expected = reference.probabilities[id] * kDraws;
      if (expected == 0) {
        CHECK(counts[id] == 0);
        continue;
      }
      chi_squared += (counts[id] - expected) * (counts[id] - expected) / expected;
      ++kinds;
    }
    // The 0.999 quantile of chi-squared with 1 to 11 degrees of freedom.
    const double most[] = {10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32, 26.12, 27.88, 29.59, 31.26};
    INFO(kinds, " tokens, chi-squared ", chi_squared);
    CHECK(chi_squared <= most[kinds - 2]);
  }
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
  settings.search.length_penalty = 0;
  CHECK(length_penalty(settings, 7) == 1);
  settings.search.length_penalty = 0.6;
  CHECK(std::abs(length_penalty(settings, 7) - std::pow(7.0, 0.6)) <= 1e-14);
  settings.search.length_penalty = -2.5;
  CHECK(std::abs(length_penalty(settings, 3) - std::pow(3.0, -2.5)) <= 1e-14);
  settings.search.length_penalty_kind = LengthPenaltyKind::gnmt;
  settings.search.length_penalty = 0.6;
  CHECK(std::abs(length_penalty(settings, 7) - std::pow(2.0, 0.6)) <= 1e-14);
  CHECK(length_penalty(settings, 1) == 1);
}

TEST_CASE("what would repeat an n-gram is banned, of each row's own text") {
  const GenerationSettings settings{
      .search = {.min_new_tokens = 2, .no_repeat_ngram_size = 2}, .end_id = 9, .suppress_tokens = {0}};
  TokenBans bans(settings);
  bans.clear(1);
  bans.add(std::vector<std::int32_t>{4, 5, 6, 4});
  bans.add(std::vector<std::int32_t>{4});
  bans.add(std::vector<std::int32_t>{4, 4, 5, 4});
  const kernels::BannedColumns banned = bans.columns();
  CHECK(std::vector<Index>(banned.offsets.begin(), banned.offsets.end()) == std::vector<Index>{0, 1, 1, 3});
  CHECK(std::vector<std::int32_t>(banned.columns.begin(), banned.columns.end()) ==
        std::vector<std::int32_t>{5, 4, 5});
  CHECK(std::vector<std::int32_t>(banned.all.begin(), banned.all.end()) == std::vector<std::int32_t>{0, 9});
  bans.clear(2);
  CHECK(bans.columns().all.size() == 1);
}

TEST_CASE(
    "ends before a least length, first tokens and the ends of sequences are banned by each row's text") {
  GenerationSettings settings{.end_id = 9, .other_end_ids = {8}, .min_length = 3};
  settings.begin_suppress_tokens = {5};
  settings.banned_sequences = {{6, 7}, {1, 2, 3}};
  settings.forced_start_id = 4;
  const auto banned_after = [&](std::int64_t made, std::vector<std::int32_t> text) {
    TokenBans bans(settings);
    bans.clear(made);
    bans.add(text);
    const kernels::BannedColumns banned = bans.columns();
    return std::vector<std::int32_t>(banned.columns.begin(), banned.columns.end());
  };
  using Ids = std::vector<std::int32_t>;
  CHECK(banned_after(0, {1, 1}) == Ids{8, 9, 5});
  CHECK(banned_after(0, {1}) == Ids{8, 9});        // the first token is forced
  CHECK(banned_after(1, {1, 4}) == Ids{8, 9, 5});  // and the second is the first free one
  CHECK(banned_after(1, {1, 1, 6}) == Ids{7});
  CHECK(banned_after(1, {2, 1, 2}) == Ids{3});
  CHECK(banned_after(1, {0, 2, 2}).empty());
}
