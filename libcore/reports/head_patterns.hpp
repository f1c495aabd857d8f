// What each head of a model looks at, in the mean over the tokens of many texts, and the patterns that are
// known by name (Clark et al. 2019, "What does BERT look at?", section 3). Memory is that of the heads, not
// of the texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/attention_trace.hpp"
#include "support/enum_names.hpp"

namespace headwater {

// Keys on which a head may have a share of its weight. Next to the query: the token before it, after it, at
// its place. Anywhere: the same token elsewhere, the first token, [CLS], [SEP] and the ends, and the tokens
// of the same text of a pair.
enum class HeadShare : std::uint8_t { previous, next, same, identical, first, separator, same_sentence };
inline constexpr std::size_t kHeadShares = value_names<HeadShare>.size();

// What heads cannot see of the tokens of a record. All of one kind of one text have the same ones.
struct TokenRoles {
  std::size_t queries = 0, keys = 0;                     // without the padding behind them
  std::vector<std::vector<std::size_t>> identical = {};  // of each query: keys with its token, not its own
  std::vector<std::size_t> separators = {};              // keys, ascending
  std::size_t second_text = 0;                           // where a pair's second text begins; 0: no pair
  // [queries, keys]: how far they are apart, not-a-number what is at no place; none: |q - k| tokens.
  std::span<const double> distances = {};
  bool has_first = true;       // images without a class token have none
  bool is_of_patches = false;  // then only same and first are shares, and the picture shows all tokens
};
// The roles of a text's tokens, which are told apart by their surfaces; a separator is a key with one of the
// ids.
TokenRoles roles_of(const AttentionRecord& record, std::span<const std::int32_t> key_ids,
                    std::span<const std::int32_t> separator_ids, std::size_t queries);

// One head on one text. Of each share the weight on its keys, the queries that have such keys, and what equal
// weights on all keys that may be looked at would put there, each as a sum over queries.
struct HeadSums {
  AttentionKind kind = AttentionKind::encoder;
  std::int64_t layer = 0, head = 0;
  double queries = 0;
  std::array<double, kHeadShares> weight{}, possible{}, chance{};
  double entropy = 0, most_entropy = 0;  // nats; of equal weights
  double distance = 0, placed = 0;       // placed: the queries whose distance counts
  // The upper left of the matrix of weights, at most kCorner rows and columns; of patches all of it, several
  // in one cell.
  std::size_t rows = 0, columns = 0;
  std::vector<float> corner = {};
};
inline constexpr std::size_t kCorner = 24;

// Throws Error where the record does not fit the roles.
HeadSums head_sums(const AttentionRecord& record, const TokenRoles& roles);

// A mean over all tokens of all texts. The interval is half of the one that holds the mean over all such
// texts 95 times in 100: texts, not their tokens, count as independent (a ratio estimator; Cochran 1977,
// section 2.11). Of one text there is none.
struct Measure {
  double mean = 0;
  std::optional<double> interval = {};
};

struct HeadRow {
  AttentionKind kind = AttentionKind::encoder;
  std::int64_t layer = 0, head = 0;
  std::array<std::optional<Measure>, kHeadShares> shares = {};  // nothing where no text has such a thing
  Measure entropy = {}, distance = {};
  // The share that the head is known by, "uniform" for equal weights, empty for none; and how surely: 0 is
  // what equal weights would give, 1 all weight on these keys where there are some.
  std::string_view pattern = {};
  Measure score = {};
  std::size_t rows = 0, columns = 0;
  std::vector<double> corner = {};  // [rows, columns]: the mean over the texts that are so long
};

class HeadStatistics {
 public:
  // All heads that are looked at, on one text, in the same order each time for each kind.
  void add(std::span<const HeadSums> text);
  // By kind, layer and head, as they came.
  std::vector<HeadRow> rows() const;
  std::int64_t texts() const { return texts_; }

 private:
  // Sums of pairs (s, n) over texts, for the mean Σs / Σn.
  struct Ratio {
    double s = 0, n = 0, ss = 0, sn = 0, nn = 0;
    void add(double sum, double count);
    Measure measure(std::int64_t texts) const;
  };
  struct Head {
    AttentionKind kind = AttentionKind::encoder;
    std::int64_t layer = 0, head = 0;
    std::array<Ratio, kHeadShares> shares, where_possible;
    std::array<double, kHeadShares> chance{};
    Ratio entropy, evenness, distance;
    std::array<double, kCorner * kCorner> corner{}, counts{};
  };
  Head& head_of(const HeadSums& sums, std::size_t at);
  HeadRow row_of(const Head& head) const;

  std::vector<Head> heads_;
  std::int64_t texts_ = 0;
};

// What heads look at as CSV: a header and a line a head: "kind,layer,head", the shares,
// "entropy,distance,pattern", then the intervals "previous_interval" to "distance_interval" and
// "score,score_interval". What there is nothing of is empty.
std::string head_csv(std::span<const HeadRow> rows);

// The same as JSON: an object a head, a line each: "version" 1; of each measure "mean" and "interval", null
// where there is none.
std::string head_json(std::span<const HeadRow> rows);

// An SVG 1.1 document: of each kind a row of panels a layer and a column a head, queries down and keys to the
// right, the first tokens alone, colour for the mean weight; below each its pattern. `shown` says what the
// panels are of: "the first 24 tokens of each text". Throws Error where there are no rows.
std::string head_grid_svg(std::span<const HeadRow> rows, std::string_view title, std::string_view shown);

}  // namespace headwater
