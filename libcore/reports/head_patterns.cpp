#include "reports/head_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "reports/attention_map.hpp"
#include "reports/attention_table.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// A share is a pattern when at least half of the weight that chance does not explain is on it, and equal
// weights are one when they have nearly all of the entropy there can be.
constexpr double kPatternScore = 0.5, kUniformScore = 0.95;
constexpr double kNormal95 = 1.959963985;  // a normal distribution has 95 % within so many deviations

std::size_t index_of(HeadShare share) { return static_cast<std::size_t>(share); }

// The keys that a query may look at.
struct SeenKeys {
  std::size_t begin = 0, end = 0;
  std::size_t count() const { return end - begin; }
};

SeenKeys keys_seen(const AttentionRecord& record, std::size_t q, std::size_t keys) {
  const std::size_t window = record.window > 0 ? static_cast<std::size_t>(record.window) : q + keys + 1;
  const std::size_t after = record.kind == AttentionKind::decoder ? 1 : window;  // the first that is not seen
  return {.begin = q + 1 > window ? q + 1 - window : 0, .end = std::min(q + after, keys)};
}

// The sums of one query.
class QueryShares {
 public:
  QueryShares(HeadSums& sums, const float* weights, SeenKeys seen)
      : sums_(sums), weights_(weights), seen_(seen) {}

  void add_key(HeadShare share, bool is_there, std::size_t key) {
    if (is_there && key >= seen_.begin && key < seen_.end) add(share, static_cast<double>(weights_[key]), 1);
  }
  void add_keys(HeadShare share, std::span<const std::size_t> keys) {
    double weight = 0;
    std::size_t count = 0;
    for (const std::size_t key : keys) {
      if (key < seen_.begin || key >= seen_.end) continue;
      weight += static_cast<double>(weights_[key]);
      ++count;
    }
    add(share, weight, count);
  }
  void add_range(HeadShare share, std::size_t begin, std::size_t end) {
    double weight = 0;
    begin = std::max(begin, seen_.begin);
    end = std::min(end, seen_.end);
    for (std::size_t key = begin; key < end; ++key) weight += static_cast<double>(weights_[key]);
    add(share, weight, end > begin ? end - begin : 0);
  }

 private:
  void add(HeadShare share, double weight, std::size_t count) {
    if (count == 0) return;
    sums_.weight[index_of(share)] += weight;
    sums_.possible[index_of(share)] += 1;
    sums_.chance[index_of(share)] += static_cast<double>(count) / static_cast<double>(seen_.count());
  }

  HeadSums& sums_;
  const float* weights_;
  SeenKeys seen_;
};

void add_distance(HeadSums& sums, std::span<const float> weights, std::size_t q, const TokenRoles& roles) {
  const double* const given = roles.distances.empty() ? nullptr : roles.distances.data() + q * roles.keys;
  const auto in_tokens = [&](std::size_t k) {
    return std::abs(static_cast<double>(q) - static_cast<double>(k));
  };
  const std::optional<double> distance =
      given == nullptr ? distance_of_row(weights, in_tokens)
                       : distance_of_row(weights, [&](std::size_t k) { return given[k]; });
  if (!distance) return;
  sums.distance += *distance;
  sums.placed += 1;
}

void add_corner(HeadSums& sums, const AttentionRecord& record, const TokenRoles& roles) {
  const std::size_t longest = std::max(roles.queries, roles.keys);
  const std::size_t block = roles.is_of_patches ? (longest + kCorner - 1) / kCorner : 1;
  sums.rows = std::min(kCorner, (roles.queries + block - 1) / block);
  sums.columns = std::min(kCorner, (roles.keys + block - 1) / block);
  sums.corner.assign(sums.rows * sums.columns, 0);
  std::vector<float> counts(sums.corner.size());
  for (std::size_t q = 0; q < std::min(roles.queries, sums.rows * block); ++q) {
    for (std::size_t k = 0; k < std::min(roles.keys, sums.columns * block); ++k) {
      const std::size_t cell = q / block * sums.columns + k / block;
      sums.corner[cell] += record.weights[q * record.keys() + k];
      ++counts[cell];
    }
  }
  for (std::size_t cell = 0; cell < counts.size(); ++cell) sums.corner[cell] /= counts[cell];
}

// Chance taken away: 0 is what equal weights give, 1 all of it.
Measure above_chance(const Measure& share, double chance) {
  if (chance >= 1) return {};
  Measure score{.mean = (share.mean - chance) / (1 - chance)};
  if (share.interval) score.interval = *share.interval / (1 - chance);
  return score;
}

double surely(const Measure& score) { return score.mean - score.interval.value_or(0); }

}  // namespace

TokenRoles roles_of(const AttentionRecord& record, std::span<const std::int32_t> key_ids,
                    std::span<const std::int32_t> separator_ids, std::size_t queries) {
  TokenRoles roles{.queries = queries, .keys = key_ids.size()};
  if (queries > record.queries() || roles.keys > record.keys())
    throw Error("attention: fewer tokens than the text has");
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t k = 0; k < roles.keys; ++k) {
    places[record.key_tokens[k]].push_back(k);
    if (std::ranges::find(separator_ids, key_ids[k]) != separator_ids.end()) roles.separators.push_back(k);
  }
  for (std::size_t q = 0; q < queries; ++q) {
    const auto found = places.find(record.query_tokens[q]);
    std::vector<std::size_t>& keys = roles.identical.emplace_back();
    if (found == places.end()) continue;
    for (const std::size_t k : found->second)
      if (k != q || record.kind == AttentionKind::cross) keys.push_back(k);
  }
  return roles;
}

HeadSums head_sums(const AttentionRecord& record, const TokenRoles& roles) {
  check(record);
  if (roles.queries > record.queries() || roles.keys > record.keys() || roles.keys == 0)
    throw Error("attention: roles of other tokens than the record has");
  HeadSums sums{.kind = record.kind,
                .layer = record.layer,
                .head = record.head,
                .queries = static_cast<double>(roles.queries)};
  for (std::size_t q = 0; q < roles.queries; ++q) {
    const float* const weights = record.weights.data() + q * record.keys();
    const SeenKeys seen = keys_seen(record, q, roles.keys);
    QueryShares shares(sums, weights, seen);
    shares.add_key(HeadShare::same, true, q);
    shares.add_key(HeadShare::first, roles.has_first, 0);
    if (!roles.is_of_patches) {
      shares.add_key(HeadShare::previous, q > 0, q - 1);
      shares.add_key(HeadShare::next, true, q + 1);
      shares.add_keys(HeadShare::identical, roles.identical[q]);
      shares.add_keys(HeadShare::separator, roles.separators);
      const std::size_t second = roles.second_text;
      if (second > 0) {
        shares.add_range(HeadShare::same_sentence, q < second ? 0 : second, q < second ? second : roles.keys);
      }
    }
    for (std::size_t k = seen.begin; k < seen.end; ++k) {
      const auto weight = static_cast<double>(weights[k]);
      if (weight > 0) sums.entropy -= weight * std::log(weight);
    }
    sums.most_entropy += std::log(static_cast<double>(seen.count()));
    add_distance(sums, {weights, seen.end}, q, roles);
  }
  add_corner(sums, record, roles);
  return sums;
}

void HeadStatistics::Ratio::add(double sum, double count) {
  s += sum;
  n += count;
  ss += sum * sum;
  sn += sum * count;
  nn += count * count;
}

Measure HeadStatistics::Ratio::measure(std::int64_t texts) const {
  if (n <= 0) return {};
  Measure measure{.mean = s / n};
  if (texts < 2) return measure;
  const auto t = static_cast<double>(texts);
  const double squares = ss - 2 * measure.mean * sn + measure.mean * measure.mean * nn;
  measure.interval = kNormal95 * std::sqrt(std::max(0.0, squares) * t / (t - 1)) / n;
  return measure;
}

HeadStatistics::Head& HeadStatistics::head_of(const HeadSums& sums, std::size_t at) {
  const auto is_it = [&](const Head& head) {
    return head.kind == sums.kind && head.layer == sums.layer && head.head == sums.head;
  };
  if (at < heads_.size() && is_it(heads_[at])) return heads_[at];
  const auto found = std::ranges::find_if(heads_, is_it);
  if (found != heads_.end()) return *found;
  Head& head = heads_.emplace_back();
  head.kind = sums.kind;
  head.layer = sums.layer;
  head.head = sums.head;
  return head;
}

void HeadStatistics::add(std::span<const HeadSums> text) {
  ++texts_;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const HeadSums& sums = text[i];
    Head& head = head_of(sums, i);
    for (std::size_t share = 0; share < kHeadShares; ++share) {
      head.shares[share].add(sums.weight[share], sums.queries);
      head.where_possible[share].add(sums.weight[share], sums.possible[share]);
      head.chance[share] += sums.chance[share];
    }
    head.entropy.add(sums.entropy, sums.queries);
    head.evenness.add(sums.entropy, sums.most_entropy);
    head.distance.add(sums.distance, sums.placed);
    for (std::size_t r = 0; r < sums.rows; ++r) {
      for (std::size_t c = 0; c < sums.columns; ++c) {
        head.corner[r * kCorner + c] += static_cast<double>(sums.corner[r * sums.columns + c]);
        head.counts[r * kCorner + c] += 1;
      }
    }
  }
}

HeadRow HeadStatistics::row_of(const Head& head) const {
  HeadRow row{.kind = head.kind, .layer = head.layer, .head = head.head};
  std::array<Measure, kHeadShares> scores;
  for (std::size_t share = 0; share < kHeadShares; ++share) {
    const Ratio& possible = head.where_possible[share];
    if (possible.n <= 0) continue;
    row.shares[share] = head.shares[share].measure(texts_);
    scores[share] = above_chance(possible.measure(texts_), head.chance[share] / possible.n);
  }
  row.entropy = head.entropy.measure(texts_);
  row.distance = head.distance.measure(texts_);
  // A single key first, the one with most; what is true of many keys only where none of these is.
  const auto choose = [&](HeadShare from, HeadShare to) {
    for (std::size_t share = index_of(from); share <= index_of(to); ++share) {
      if (surely(scores[share]) < kPatternScore || scores[share].mean <= row.score.mean) continue;
      row.pattern = value_names<HeadShare>[share];
      row.score = scores[share];
    }
  };
  choose(HeadShare::previous, HeadShare::first);
  for (const HeadShare share : {HeadShare::separator, HeadShare::same_sentence})
    if (row.pattern.empty()) choose(share, share);
  const Measure evenness = head.evenness.measure(texts_);
  if (row.pattern.empty() && surely(evenness) >= kUniformScore) {
    row.pattern = "uniform";
    row.score = evenness;
  }
  const auto is_used = [&](std::size_t r, std::size_t c) { return head.counts[r * kCorner + c] > 0; };
  while (row.rows < kCorner && is_used(row.rows, 0)) ++row.rows;
  while (row.columns < kCorner && is_used(0, row.columns)) ++row.columns;
  for (std::size_t r = 0; r < row.rows; ++r) {
    for (std::size_t c = 0; c < row.columns; ++c) {
      const double count = head.counts[r * kCorner + c];
      row.corner.push_back(count > 0 ? head.corner[r * kCorner + c] / count : 0);
    }
  }
  return row;
}

std::vector<HeadRow> HeadStatistics::rows() const {
  std::vector<HeadRow> rows;
  for (const Head& head : heads_) rows.push_back(row_of(head));
  const auto place = [](const HeadRow& row) { return std::tuple(row.kind, row.layer, row.head); };
  std::ranges::stable_sort(rows, [&](const HeadRow& a, const HeadRow& b) { return place(a) < place(b); });
  return rows;
}

namespace {

std::string text_of(const std::optional<double>& number) { return number ? format_number(*number) : ""; }

std::optional<double> mean_of(const std::optional<Measure>& measure) {
  return measure ? std::optional(measure->mean) : std::nullopt;
}
std::optional<double> interval_of(const std::optional<Measure>& measure) {
  return measure ? measure->interval : std::nullopt;
}

Json measure_json(const std::optional<Measure>& measure) {
  if (!measure) return {};
  Json json;
  json.set("mean", measure->mean);
  json.set("interval", measure->interval ? Json(*measure->interval) : Json());
  return json;
}

}  // namespace

std::string head_csv(std::span<const HeadRow> rows) {
  std::string shares, intervals;
  for (std::size_t i = 0; i < kHeadShares; ++i) {
    const std::string name(name_of(static_cast<HeadShare>(i)));
    shares += name + ",";
    intervals += name + "_interval,";
  }
  std::string out = "kind,layer,head," + shares + "entropy,distance,pattern," + intervals +
                    "entropy_interval,distance_interval,score,score_interval\n";
  for (const HeadRow& row : rows) {
    out += std::string(name_of(row.kind)) + "," + std::to_string(row.layer) + "," + std::to_string(row.head) +
           ",";
    for (const std::optional<Measure>& share : row.shares) out += text_of(mean_of(share)) + ",";
    out += format_number(row.entropy.mean) + "," + format_number(row.distance.mean) + "," +
           std::string(row.pattern) + ",";
    for (const std::optional<Measure>& share : row.shares) out += text_of(interval_of(share)) + ",";
    out += text_of(row.entropy.interval) + "," + text_of(row.distance.interval) + ",";
    if (!row.pattern.empty()) out += format_number(row.score.mean);
    out += "," + (row.pattern.empty() ? "" : text_of(row.score.interval)) + "\n";
  }
  return out;
}

std::string head_json(std::span<const HeadRow> rows) {
  std::string out;
  for (const HeadRow& row : rows) {
    Json json;
    json.set("version", 1);
    json.set("kind", name_of(row.kind));
    json.set("layer", row.layer);
    json.set("head", row.head);
    for (std::size_t i = 0; i < kHeadShares; ++i)
      json.set(name_of(static_cast<HeadShare>(i)), measure_json(row.shares[i]));
    json.set("entropy", measure_json(row.entropy));
    json.set("distance", measure_json(row.distance));
    json.set("pattern", row.pattern.empty() ? Json() : Json(row.pattern));
    json.set("score", row.pattern.empty() ? Json() : measure_json(row.score));
    out += json.dump() + "\n";
  }
  return out;
}

}  // namespace headwater
