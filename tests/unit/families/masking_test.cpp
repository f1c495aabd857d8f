#include "families/masked_lm/masking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace headwater;

namespace {

// Ids 0 to 4 are special, 4 is [MASK]; a word begins with every id but those that 3 divides.
constexpr std::int32_t kVocabulary = 1005, kMask = 4;

MaskingVocabulary vocabulary() {
  MaskingVocabulary v;
  v.mask_id = kMask;
  for (std::int32_t id = 0; id < kVocabulary; ++id) {
    v.is_special.push_back(id < 5);
    v.begins_word.push_back(id % 3 != 0);
    v.ends_word.push_back(0);
  }
  return v;
}

RandomStream stream_of(std::int64_t epoch, std::int64_t example, std::uint64_t seed = 1) {
  return {.seed = seed,
          .purpose = Purpose::masking,
          .layer = static_cast<std::uint32_t>(example),
          .step = static_cast<std::uint32_t>(epoch)};
}

// [1] tokens [2], other ones for each text.
std::vector<std::int32_t> text_of(std::int64_t example, std::size_t tokens) {
  const RandomStream words{
      .seed = 99, .purpose = Purpose::sample, .layer = static_cast<std::uint32_t>(example)};
  std::vector<std::int32_t> ids{1};
  for (std::size_t i = 0; i < tokens; ++i)
    ids.push_back(5 + static_cast<std::int32_t>(random_below(words, i, kVocabulary - 5)));
  ids.push_back(2);
  return ids;
}

// Whether `count` of n with probability p is within three standard errors.
void check_share(double count, double n, double p, const char* what) {
  INFO(what, ": ", count, " of ", n, ", wanted ", p);
  CHECK(std::abs(count - n * p) <= 3 * std::sqrt(n * p * (1 - p)));
}

}  // namespace

TEST_CASE("masking: over a million tokens the shares are those of the definition") {
  constexpr std::size_t kTexts = 10'000, kTokens = 100;
  const Masking masking({}, vocabulary());
  MaskedText made;
  double hidden = 0, masked = 0, kept = 0, random = 0;
  std::vector<double> at_place(kTokens + 2);
  std::map<std::int32_t, double> drawn;
  for (std::size_t i = 0; i < kTexts; ++i) {
    const std::vector<std::int32_t> ids = text_of(static_cast<std::int64_t>(i), kTokens);
    masking.hide(stream_of(3, static_cast<std::int64_t>(i)), ids, made);
    REQUIRE(made.ids.size() == ids.size());
    REQUIRE(made.places.size() == 15);
    hidden += 15;
    std::vector<std::int32_t> back = made.ids;
    for (std::size_t h = 0; h < made.places.size(); ++h) {
      const std::size_t place = made.places[h];
      CHECK((h == 0 || made.places[h - 1] < made.places[h]));
      CHECK(ids[place] == made.were[h]);
      at_place[place] += 1;
      if (made.ids[place] == kMask) {
        ++masked;
      } else if (made.ids[place] == ids[place]) {
        ++kept;  // a random token may be the same
      } else {
        ++random;
        drawn[made.ids[place]] += 1;
      }
      back[place] = made.were[h];
    }
    CHECK(back == ids);
  }
  const double same = 1.0 / (kVocabulary - 5);
  check_share(masked, hidden, 0.8, "[MASK]");
  check_share(random, hidden, 0.1 * (1 - same), "another token");
  check_share(kept, hidden, 0.1 * (1 + same), "the token itself");
  CHECK(at_place.front() == 0);
  CHECK(at_place.back() == 0);
  // Every place is hidden as often as another, and every token drawn: chi squared over all of them.
  double places = 0, tokens = 0;
  for (std::size_t p = 1; p <= kTokens; ++p)
    places += std::pow(at_place[p] - kTexts * 0.15, 2) / (kTexts * 0.15 * 0.85);
  CHECK(std::abs(places - (kTokens - 1)) <= 3 * std::sqrt(2.0 * (kTokens - 1)));
  CHECK(drawn.begin()->first >= 5);
  const double each = random / (kVocabulary - 5);
  for (std::int32_t id = 5; id < kVocabulary; ++id) tokens += std::pow(drawn[id] - each, 2) / each;
  CHECK(std::abs(tokens - (kVocabulary - 6)) <= 3 * std::sqrt(2.0 * (kVocabulary - 6)));
}

TEST_CASE("masking: whole words are hidden whole, and at most their share") {
  const Masking masking({.unit = MaskingUnit::word}, vocabulary());
  const MaskingVocabulary known = vocabulary();
  MaskedText made;
  double hidden = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::vector<std::int32_t> ids = text_of(i, 100);
    masking.hide(stream_of(0, i), ids, made);
    CHECK(made.places.size() <= 15);
    hidden += static_cast<double>(made.places.size());
    const std::set<std::int32_t> places(made.places.begin(), made.places.end());
    for (std::int32_t place = 2; place <= 100; ++place) {
      const bool begins = known.begins_word[ids[place]] != 0;
      if (!begins) CHECK(places.contains(place) == places.contains(place - 1));
    }
  }
  CHECK(hidden / 1000 > 14);
}

TEST_CASE("masking: a span's words are geometric with 0.2, of at most 10, and 3.8 in the mean") {
  const Masking masking({.unit = MaskingUnit::span}, vocabulary());
  constexpr int kDraws = 1'000'000;
  std::map<std::int64_t, double> counts;
  double words = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t drawn =
        masking.span_words(static_cast<double>(random_below(stream_of(1, 1), static_cast<std::uint64_t>(i),
                                                            std::uint64_t{1} << 53)) *
                           0x1p-53);
    counts[drawn] += 1;
    words += static_cast<double>(drawn);
  }
  CHECK(counts.begin()->first == 1);
  CHECK(counts.rbegin()->first == 10);
  const double whole = 1 - std::pow(0.8, 10);
  for (int length = 1; length <= 10; ++length)
    check_share(counts[length], kDraws, 0.2 * std::pow(0.8, length - 1) / whole, "words of a span");
  CHECK(words / kDraws == doctest::Approx(3.797).epsilon(0.002));
}

TEST_CASE("masking: spans of texts have these lengths, begin anywhere, and are told by what stands around") {
  // Every token is a word.
  MaskingVocabulary known = vocabulary();
  known.begins_word.assign(known.begins_word.size(), 1);
  const Masking masking({.share = 0.05, .unit = MaskingUnit::span}, known);
  MaskedText made;
  std::map<std::int64_t, double> counts;
  double spans = 0, of_masks = 0, of_random = 0, hidden = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::vector<std::int32_t> ids = text_of(i, 10'000);
    masking.hide(stream_of(0, i), ids, made);
    hidden += static_cast<double>(made.places.size());
    REQUIRE(made.before.size() == made.places.size());
    for (std::size_t h = 0; h < made.places.size(); ++h) {
      const std::int32_t place = made.places[h];
      CHECK(made.before[h] == place - made.within[h] - 1);
      CHECK(made.after[h] > place);
      if (made.within[h] != 0) {
        CHECK(made.after[h] == made.after[h - 1]);
        CHECK((made.ids[place] == kMask) == (made.ids[place - 1] == kMask));
        continue;
      }
      ++spans;
      counts[made.after[h] - made.before[h] - 1] += 1;
      of_masks += made.ids[place] == kMask;
      of_random += made.ids[place] != kMask && made.ids[place] != made.were[h];
    }
  }
  CHECK(hidden == 100 * 500);
  const double whole = 1 - std::pow(0.8, 10);
  // The last span of each text is cut to what is left: a hundred of them.
  for (int length = 1; length <= 10; ++length) {
    const double p = 0.2 * std::pow(0.8, length - 1) / whole;
    INFO(length, " words: ", counts[length], " of ", spans);
    CHECK(std::abs(counts[length] - spans * p) <= 3 * std::sqrt(spans * p * (1 - p)) + 100);
  }
  check_share(of_masks, spans, 0.8, "spans of [MASK]");
  check_share(of_random, spans, 0.1 * (1 - 1.0 / (kVocabulary - 5)), "spans of random tokens");
}

TEST_CASE("masking: other tokens in each epoch, the same for the same epoch and example") {
  const Masking masking({}, vocabulary());
  const std::vector<std::int32_t> ids = text_of(0, 100);
  MaskedText one, other;
  masking.hide(stream_of(1, 7), ids, one);
  masking.hide(stream_of(2, 7), ids, other);
  CHECK(one.places != other.places);
  masking.hide(stream_of(1, 8), ids, other);
  CHECK(one.places != other.places);
  masking.hide(stream_of(1, 7, 2), ids, other);
  CHECK(one.places != other.places);
  masking.hide(stream_of(1, 7), ids, other);
  CHECK(one.places == other.places);
  CHECK(one.ids == other.ids);
}

TEST_CASE("masking: short texts have one hidden token, texts of special tokens alone none") {
  for (const MaskingUnit unit : {MaskingUnit::token, MaskingUnit::word, MaskingUnit::span}) {
    const Masking masking({.unit = unit}, vocabulary());
    MaskedText made;
    masking.hide(stream_of(0, 0), std::vector<std::int32_t>{1, 7, 2}, made);
    CHECK(made.places == std::vector<std::int32_t>{1});
    masking.hide(stream_of(0, 0), std::vector<std::int32_t>{1, 2}, made);
    CHECK(made.places.empty());
    CHECK(made.ids == std::vector<std::int32_t>{1, 2});
    masking.hide(stream_of(0, 0), {}, made);
    CHECK(made.ids.empty());
    CHECK(masking.most_hidden(0) == 0);
    CHECK(masking.most_hidden(3) == 1);
    CHECK(masking.most_hidden(100) == 15);
  }
}

TEST_CASE("masking: a text that is one word is hidden in part") {
  MaskingVocabulary one_word = vocabulary();
  std::fill(one_word.begins_word.begin(), one_word.begins_word.end(), std::uint8_t{0});
  for (const MaskingUnit unit : {MaskingUnit::word, MaskingUnit::span}) {
    const Masking masking({.unit = unit}, one_word);
    MaskedText made;
    masking.hide(stream_of(0, 0), text_of(1, 100), made);
    CHECK(made.places.size() == 15);
  }
}

TEST_CASE("masking: a span does not cross the special token between two texts") {
  const Masking masking({.share = 0.5, .unit = MaskingUnit::span}, vocabulary());
  MaskedText made;
  for (std::int64_t i = 0; i < 300; ++i) {
    std::vector<std::int32_t> ids = text_of(i, 12);
    ids[6] = 2;
    masking.hide(stream_of(0, i), ids, made);
    CHECK(made.ids[6] == 2);
    for (std::size_t h = 0; h < made.places.size(); ++h) CHECK((made.before[h] >= 6 || made.after[h] <= 6));
  }
}
