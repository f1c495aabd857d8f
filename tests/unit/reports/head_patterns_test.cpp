// What heads look at beside the sums of the definition; heads set by hand are named, others are not.
#include "reports/head_patterns.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "error_text.hpp"
#include "families/text_encoder/model.hpp"
#include "support/random.hpp"
#include "svg_page.hpp"

using namespace headwater;

namespace {

using Words = std::vector<std::string>;
using Row = std::vector<double>;
// The weights of query q on so many keys before they are divided by their sum.
using Head = std::function<Row(const Words& words, std::size_t q)>;

constexpr std::int32_t kFirstId = 1, kSeparatorId = 2;

std::vector<std::int32_t> ids_of(const Words& words) {
  std::vector<std::int32_t> ids;
  for (const std::string& word : words)
    ids.push_back(word == "[CLS]" ? kFirstId : word == "[SEP]" ? kSeparatorId : 7);
  return ids;
}

AttentionRecord record_of(const Words& words, AttentionKind kind, std::int64_t number, const Head& head) {
  AttentionRecord record{.kind = kind, .head = number, .query_tokens = words, .key_tokens = words};
  for (std::size_t q = 0; q < words.size(); ++q) {
    Row row = head(words, q);
    if (kind == AttentionKind::decoder)
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(q) + 1, row.end(), 0);
    double sum = 0;
    for (const double weight : row) sum += weight;
    if (sum == 0) {  // what it looks for comes later, which a decoder does not see
      std::fill(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(q) + 1, 1);
      sum = static_cast<double>(q + 1);
    }
    for (const double weight : row) record.weights.push_back(static_cast<float>(weight / sum));
  }
  return record;
}

TokenRoles roles_in(const AttentionRecord& record, std::size_t second = 0) {
  TokenRoles roles =
      roles_of(record, ids_of(record.key_tokens), std::array{kFirstId, kSeparatorId}, record.queries());
  roles.second_text = second;
  return roles;
}

// [CLS], words of a small vocabulary, so that some stand there twice, [SEP].
Words made_text(std::mt19937& random, std::size_t least, std::size_t most) {
  Words words{"[CLS]"};
  const std::size_t count = least + random() % (most - least + 1);
  for (std::size_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(random() % 9));
  words.emplace_back("[SEP]");
  return words;
}

// All the weight on the keys that are wanted, or where there are none on all.
Head looks_at(std::function<bool(const Words&, std::size_t q, std::size_t k)> is_wanted) {
  return [is_wanted = std::move(is_wanted)](const Words& words, std::size_t q) {
    Row row(words.size());
    double sum = 0;
    for (std::size_t k = 0; k < words.size(); ++k) sum += row[k] = is_wanted(words, q, k) ? 1 : 0;
    if (sum == 0) row.assign(words.size(), 1);
    return row;
  };
}

Head random_head(std::uint32_t seed) {
  return [seed](const Words& words, std::size_t q) {
    const RandomStream stream{.seed = seed,
                              .layer = static_cast<std::uint32_t>(words.size()),
                              .step = static_cast<std::uint32_t>(q)};
    Row row;
    for (std::size_t k = 0; k < words.size(); ++k) row.push_back(-std::log1p(-random_uniform(stream, k)));
    return row;
  };
}

// What HeadStatistics says of one head on so many texts.
HeadRow row_of(const Head& head, AttentionKind kind, bool has_pairs, std::size_t texts = 40) {
  std::mt19937 random(5);
  HeadStatistics statistics;
  for (std::size_t i = 0; i < texts; ++i) {
    const Words words = made_text(random, 8, 20);
    const AttentionRecord record = record_of(words, kind, 0, head);
    statistics.add(std::array{head_sums(record, roles_in(record, has_pairs ? words.size() / 2 : 0))});
  }
  return statistics.rows().front();
}

bool is_share(HeadShare share, const Words& words, std::size_t q, std::size_t k, std::size_t second) {
  switch (share) {
    case HeadShare::previous:
      return k + 1 == q;
    case HeadShare::next:
      return k == q + 1;
    case HeadShare::same:
      return k == q;
    case HeadShare::identical:
      return k != q && words[k] == words[q];
    case HeadShare::first:
      return k == 0;
    case HeadShare::separator:
      return words[k] == "[CLS]" || words[k] == "[SEP]";
    case HeadShare::same_sentence:
      return second > 0 && (k < second) == (q < second);
  }
  return false;
}

}  // namespace

TEST_CASE("shares, entropy and distance are means over all queries, their intervals those of texts") {
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder}) {
    std::mt19937 random(3);
    std::vector<AttentionRecord> records;
    std::vector<std::size_t> seconds;
    HeadStatistics statistics;
    for (int text = 0; text < 12; ++text) {
      records.push_back(record_of(made_text(random, 1, 12), kind, 0, random_head(11)));
      seconds.push_back(text % 3 == 0 ? 0 : records.back().keys() / 2);
      statistics.add(std::array{head_sums(records.back(), roles_in(records.back(), seconds.back()))});
    }
    const HeadRow row = statistics.rows().front();
    // [measure][text]: sums over queries.
    std::vector<std::vector<double>> sums(kHeadShares + 2, std::vector<double>(records.size()));
    std::vector<double> queries(records.size());
    for (std::size_t text = 0; text < records.size(); ++text) {
      const AttentionRecord& record = records[text];
      queries[text] = static_cast<double>(record.queries());
      for (std::size_t q = 0; q < record.queries(); ++q) {
        for (std::size_t k = 0; k < record.keys(); ++k) {
          const auto weight = static_cast<double>(record.weights[q * record.keys() + k]);
          for (std::size_t i = 0; i < kHeadShares; ++i)
            sums[i][text] +=
                is_share(static_cast<HeadShare>(i), record.key_tokens, q, k, seconds[text]) ? weight : 0;
          if (weight > 0) sums[kHeadShares][text] -= weight * std::log(weight);
          sums[kHeadShares + 1][text] += weight * std::abs(static_cast<double>(q) - static_cast<double>(k));
        }
      }
    }
    double all = 0;
    for (const double count : queries) all += count;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      INFO(i);
      const bool is_impossible =
          kind == AttentionKind::decoder && i == static_cast<std::size_t>(HeadShare::next);
      if (i < kHeadShares) REQUIRE(row.shares[i].has_value() != is_impossible);
      if (is_impossible) continue;
      const Measure measure = i < kHeadShares    ? *row.shares[i]
                              : i == kHeadShares ? row.entropy
                                                 : row.distance;
      double mean = 0, squares = 0;
      for (const double sum : sums[i]) mean += sum / all;
      for (std::size_t text = 0; text < queries.size(); ++text)
        squares += std::pow(sums[i][text] - mean * queries[text], 2);
      CHECK(measure.mean == doctest::Approx(mean).epsilon(1e-6));
      CHECK(measure.interval.value() ==
            doctest::Approx(1.959964 * std::sqrt(squares * 12 / 11) / all).epsilon(1e-5));
    }
  }
}

TEST_CASE("heads set by hand are named rightly") {
  for (std::size_t i = 0; i < kHeadShares; ++i) {
    const auto share = static_cast<HeadShare>(i);
    INFO(name_of(share));
    for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder}) {
      const bool is_of_pairs = share == HeadShare::same_sentence;
      if (kind == AttentionKind::decoder && (share == HeadShare::next || is_of_pairs)) continue;
      // The texts have [CLS] and [SEP] alike, else the head would be known by the first token alone.
      const Head head = looks_at([&](const Words& words, std::size_t q, std::size_t k) {
        return is_share(share, words, q, k, is_of_pairs ? words.size() / 2 : 0);
      });
      const HeadRow row = row_of(head, kind, is_of_pairs);
      // A decoder sees no [SEP] before the end: of its separators there is the first token alone.
      const bool is_first = share == HeadShare::separator && kind == AttentionKind::decoder;
      CHECK(row.pattern == (is_first ? "first" : name_of(share)));
      CHECK(row.score.mean > 0.9);
      CHECK(row.score.mean <= doctest::Approx(1));
    }
  }
  const HeadRow all = row_of([](const Words& words, std::size_t) { return Row(words.size(), 1); },
                             AttentionKind::encoder, true);
  CHECK(all.pattern == "uniform");
  CHECK(all.score.mean == doctest::Approx(1));
}

TEST_CASE("what a window hides is neither possible nor chance") {
  const auto row_in = [](std::int64_t window, AttentionKind kind) {
    const Head head = looks_at([&](const Words&, std::size_t q, std::size_t k) {
      return std::max(q, k) - std::min(q, k) < static_cast<std::size_t>(window);
    });
    std::mt19937 random(6);
    HeadStatistics statistics;
    for (int text = 0; text < 20; ++text) {
      AttentionRecord record = record_of(made_text(random, 8, 20), kind, 0, head);
      record.window = window;
      statistics.add(std::array{head_sums(record, roles_in(record))});
    }
    return statistics.rows().front();
  };
  const auto has = [](const HeadRow& row, HeadShare share) {
    return row.shares[static_cast<std::size_t>(share)].has_value();
  };
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder}) {
    for (const std::int64_t window : {2, 3}) {  // equal weights on all that is seen
      const HeadRow row = row_in(window, kind);
      CHECK(row.pattern == "uniform");
      CHECK(row.score.mean == doctest::Approx(1));
    }
    const HeadRow alone = row_in(1, kind);  // it sees nothing but itself: no choice
    CHECK(alone.pattern == "");
    CHECK(has(alone, HeadShare::same));
    for (const HeadShare share : {HeadShare::previous, HeadShare::next, HeadShare::identical})
      CHECK(!has(alone, share));
  }
}

TEST_CASE("heads that look at random are not named") {
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    for (const bool has_pairs : {false, true}) {
      CHECK(row_of(random_head(seed), AttentionKind::encoder, has_pairs).pattern == "");
      CHECK(row_of(random_head(seed), AttentionKind::decoder, has_pairs).pattern == "");
    }
  }
}

TEST_CASE("intervals hold the mean of many texts about 95 times in 100") {
  const Head head = random_head(77);
  std::mt19937 random(9);
  const auto mean_of = [&](std::size_t texts) {
    HeadStatistics statistics;
    for (std::size_t i = 0; i < texts; ++i) {
      const AttentionRecord record = record_of(made_text(random, 4, 12), AttentionKind::encoder, 0, head);
      statistics.add(std::array{head_sums(record, roles_in(record))});
    }
    return statistics.rows().front();
  };
  const double truth = mean_of(8000).shares[static_cast<std::size_t>(HeadShare::separator)]->mean;
  int held = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Measure measure = *mean_of(40).shares[static_cast<std::size_t>(HeadShare::separator)];
    held += std::abs(measure.mean - truth) <= measure.interval.value() ? 1 : 0;
  }
  // Three standard errors of 400 trials around 380; a little fewer with 40 texts, whose deviation is
  // estimated.
  CHECK(held >= 362);
  CHECK(held <= 393);
}

TEST_CASE("one text has no interval, and what no text has no share") {
  const HeadRow row = row_of(random_head(1), AttentionKind::encoder, false, 1);
  CHECK(!row.entropy.interval);
  CHECK(!row.shares[static_cast<std::size_t>(HeadShare::same_sentence)]);
  const std::string csv = head_csv(std::array{row});
  CHECK(
      csv.starts_with("kind,layer,head,previous,next,same,identical,first,separator,same_sentence,entropy,"
                      "distance,pattern,previous_interval,"));
  CHECK(csv.find("\nencoder,0,0,0.") != std::string::npos);
  CHECK(std::ranges::count(csv.substr(0, csv.find('\n')), ',') ==
        std::ranges::count(csv.substr(csv.find('\n') + 1), ','));
  CHECK(head_json(std::array{row}).find("\"same_sentence\":null") != std::string::npos);
}

TEST_CASE("the corner is the mean over texts that are so long; of patches it is all of them") {
  HeadStatistics statistics;
  const Head even = [](const Words& words, std::size_t) { return Row(words.size(), 1); };
  for (const std::size_t size : {2U, 4U}) {
    const AttentionRecord record = record_of(Words(size, "a"), AttentionKind::encoder, 0, even);
    statistics.add(std::array{head_sums(record, roles_in(record))});
  }
  const HeadRow row = statistics.rows().front();
  REQUIRE(row.rows == 4);
  CHECK(row.corner[0] == doctest::Approx((0.5 + 0.25) / 2));
  CHECK(row.corner[15] == doctest::Approx(0.25));
  const AttentionRecord patches = record_of(Words(50, ""), AttentionKind::encoder, 0, even);
  const HeadSums sums = head_sums(patches, {.queries = 50, .keys = 50, .is_of_patches = true});
  CHECK(sums.rows == 17);  // three patches in one row, two in the last
  for (const float weight : sums.corner) CHECK(weight == doctest::Approx(0.02));
}

TEST_CASE("the page has a panel a head, and its words are escaped") {
  std::vector<HeadRow> rows;
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    for (std::int64_t head = 0; head < 3; ++head) {
      rows.push_back(row_of(random_head(1), AttentionKind::encoder, false, 2));
      rows.back().layer = layer;
      rows.back().head = head;
    }
  }
  rows[4].pattern = "same_sentence";
  const std::string svg = head_grid_svg(rows, "</title><script>alert(1)</script>", "all");
  std::size_t panels = 0;
  for (std::size_t at = svg.find("<image"); at != std::string::npos; at = svg.find("<image", at + 1))
    ++panels;
  CHECK(panels == 6);
  CHECK(svg.find(">same sentence</text>") != std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(text_beyond_page(head_grid_svg(rows, std::string(300, 'x'), "all")) == "");
  CHECK(error_text([] { head_grid_svg({}, "none", "all"); }) ==
        "attention: the model has no heads to look at");
}

TEST_CASE("roles of other tokens than the record has are refused") {
  const AttentionRecord record = record_of({"a", "b"}, AttentionKind::encoder, 0, random_head(1));
  CHECK(error_text([&] { head_sums(record, {.queries = 3, .keys = 2}); }) ==
        "attention: roles of other tokens than the record has");
  CHECK(error_text([&] {
          roles_of(record, std::array{1, 2, 3}, std::array{1}, 2);
        }) == "attention: fewer tokens than the text has");
}

namespace {

// An encoder of one block whose vectors are a one for the position, one for the token and one for the text of
// the pair, and whose heads are set by hand: by the name of the pattern.
constexpr Index kPlaces = 24, kVocabulary = 12, kModelWidth = kPlaces + kVocabulary + 2;
constexpr std::array<std::string_view, 8> kHandmade = {"previous", "next",      "same",          "identical",
                                                       "first",    "separator", "same_sentence", "uniform"};

class HandmadeModel {
 public:
  HandmadeModel() : model_(settings(), kVocabulary) {
    model_.parameters().allocate(false);
    for (const auto& p : model_.parameters().all())
      std::fill(p->value.data, p->value.data + p->value.rows * p->value.cols, Real(0));
    for (Index i = 0; i < kPlaces; ++i) set("embedding.positions", i * kModelWidth + i, 1);
    for (Index i = 0; i < kVocabulary; ++i) set("embedding.tokens", i * kModelWidth + kPlaces + i, 1);
    for (Index i = 0; i < 2; ++i) set("embedding.segments", i * kModelWidth + kPlaces + kVocabulary + i, 1);
    for (Index i = 0; i < kModelWidth; ++i) {
      const bool is_place = i < kPlaces, is_token = !is_place && i < kPlaces + kVocabulary;
      for (Index head = 0; head < 7; ++head) weight("key", i, head, i, 1);
      if (is_place && i > 0) weight("query", i, 0, i - 1, kStrong);
      if (is_place && i + 1 < kPlaces) weight("query", i, 1, i + 1, kStrong);
      if (is_place) weight("query", i, 2, i, kStrong);
      if (is_place) weight("query", i, 3, i, -2 * kStrong);  // not at its own place
      if (is_token) weight("query", i, 3, i, kStrong);
      if (!is_place && !is_token) weight("query", i, 6, i, kStrong);
    }
    set("encoder.0.self_attention.query.bias", 4 * kModelWidth, kStrong);
    for (const std::int32_t id : {kFirstId, kSeparatorId})
      set("encoder.0.self_attention.query.bias", 5 * kModelWidth + kPlaces + id, kStrong);
  }

  // Records of a pair of texts.
  std::vector<AttentionRecord> trace(const std::vector<std::int32_t>& ids, Index second) const {
    ClassBatch batch;
    batch.clear();
    batch.add_pair(ids, second);
    batch.finish();
    AttentionExample example;
    example.source_ids = ids;
    for (const std::int32_t id : ids) example.source_tokens.push_back("t" + std::to_string(id));
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    std::vector<AttentionTrace> traces;
    model_.encoder()({tape}, batch.source, batch.segment_of, batch.words, &traces);
    return AttentionHeads(traces, std::ssize(kHandmade), arena, example, {}, {}).records();
  }

 private:
  static constexpr Real kStrong = 80;

  static TextEmbedderSettings settings() {
    TextEmbedderSettings settings;
    settings.segments = 2;
    settings.transformer.width = settings.transformer.head_width = kModelWidth;
    settings.transformer.heads = std::ssize(kHandmade);
    settings.transformer.feed_forward_width = 1;
    settings.transformer.length = kPlaces;
    return settings;
  }
  void set(const std::string& name, Index at, Real value) {
    model_.parameters().find(name)->value.data[at] = value;
  }
  void weight(const std::string& map, Index from, Index head, Index to, Real value) {
    set("encoder.0.self_attention." + map + ".weight",
        (from * std::ssize(kHandmade) + head) * kModelWidth + to, value);
  }

  TextEmbedder model_;
};

}  // namespace

TEST_CASE("a model whose heads were set by hand: each is named rightly") {
  const HandmadeModel model;
  std::mt19937 random(4);
  HeadStatistics statistics;
  for (int text = 0; text < 50; ++text) {
    std::vector<std::int32_t> ids{kFirstId};
    const auto add_words = [&] {
      for (std::size_t i = 4 + random() % 6; i > 0; --i)
        ids.push_back(3 + static_cast<std::int32_t>(random() % (kVocabulary - 3)));
      ids.push_back(kSeparatorId);
    };
    add_words();
    const std::size_t second = ids.size();
    add_words();
    std::vector<HeadSums> sums;
    for (const AttentionRecord& record : model.trace(ids, static_cast<Index>(second))) {
      TokenRoles roles = roles_of(record, ids, std::array{kFirstId, kSeparatorId}, ids.size());
      roles.second_text = second;
      sums.push_back(head_sums(record, roles));
    }
    statistics.add(sums);
  }
  const std::vector<HeadRow> rows = statistics.rows();
  REQUIRE(rows.size() == kHandmade.size());
  for (std::size_t head = 0; head < rows.size(); ++head) {
    CHECK(rows[head].pattern == kHandmade[head]);
    CHECK(rows[head].score.mean > 0.9);
  }
}
