#include "decoding/vector_search.hpp"

#include <algorithm>
#include <limits>

#include "decoding/embed.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater {
namespace {

constexpr Index kQueriesAtOnce = 256, kRowsAtOnce = 4096;

bool is_before(const VectorSearch::Match& a, const VectorSearch::Match& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
}

}  // namespace

void VectorSearch::add(ConstMatrix rows) {
  const std::size_t before = values_.size();
  for (Index r = 0; r < rows.rows; ++r) values_.insert(values_.end(), rows.row(r), rows.row(r) + width_);
  normalize_rows({values_.data() + before, rows.rows, width_});
}

// A chain of `width` roundings of sums that are at most 1, and those of the lengths; twice that.
Real VectorSearch::margin() const {
  return static_cast<Real>(width_ + 16) * std::numeric_limits<Real>::epsilon();
}

template <class Use>
void VectorSearch::for_each_block(ConstMatrix queries, Index first, const Use& use) const {
  std::vector<Real> products;
  for (Index begin = first; begin < size(); begin += kRowsAtOnce) {
    const ConstMatrix block = rows(begin, std::min(size(), begin + kRowsAtOnce));
    products.resize(queries.rows * block.rows);
    const Matrix found(products.data(), queries.rows, block.rows);
    kernels::linear_transposed(queries, block, nullptr, found);
    parallel_for(queries.rows, [&](Index query) {
      use(query, begin, std::span<const Real>(found.row(query), static_cast<std::size_t>(found.cols)));
    });
  }
}

// The nearest rows so far of one query: all whose products could belong to them.
class VectorSearch::Best {
 public:
  Best(const VectorSearch& search, std::span<const Real> query, Index count)
      : search_(search), query_(query), count_(static_cast<std::size_t>(count)) {}

  void add(Index first, std::span<const Real> products) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (products[i] < least_) continue;
      candidates_.push_back({first + static_cast<Index>(i), static_cast<double>(products[i])});
      if (candidates_.size() >= 2 * count_ + kSlack) prune();
    }
  }

  std::vector<Match> finish() {
    prune();
    make_exact();
    return std::move(candidates_);
  }

 private:
  static constexpr std::size_t kSlack = 1024;

  // Drops what is too far below the last of the nearest, whatever the roundings were.
  void prune() {
    if (candidates_.size() <= count_) return;
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
    std::nth_element(candidates_.begin(), last, candidates_.end(),
                     [](const Match& a, const Match& b) { return a.cosine > b.cosine; });
    const double least = last->cosine - 2 * static_cast<double>(search_.margin());
    least_ = std::max(least_, static_cast<Real>(least));
    std::erase_if(candidates_, [&](const Match& match) { return match.cosine < least; });
    if (candidates_.size() >= count_ + kSlack) make_exact();
  }

  void make_exact() {
    for (Match& match : candidates_) match.cosine = cosine(query_, search_.row(match.row));
    std::sort(candidates_.begin(), candidates_.end(), is_before);
    candidates_.resize(std::min(candidates_.size(), count_));
  }

  const VectorSearch& search_;
  std::span<const Real> query_;
  std::size_t count_;
  Real least_ = -std::numeric_limits<Real>::infinity();
  std::vector<Match> candidates_;  // cosines are products until make_exact()
};

std::vector<std::vector<VectorSearch::Match>> VectorSearch::nearest(ConstMatrix queries, Index count) const {
  std::vector<std::vector<Match>> found;
  const Index wanted = std::min(count, size());
  VectorSearch some(width_);  // of the length 1
  for (Index begin = 0; begin < queries.rows; begin += kQueriesAtOnce) {
    const ConstMatrix block = queries.rows_between(begin, std::min(queries.rows, begin + kQueriesAtOnce));
    some.values_.clear();
    some.add(block);
    std::vector<Best> best;
    for (Index i = 0; i < block.rows; ++i)
      best.emplace_back(*this, std::span(block.row(i), static_cast<std::size_t>(width_)), wanted);
    for_each_block(
        some.rows(0, block.rows), 0,
        [&](Index query, Index first, std::span<const Real> products) { best[query].add(first, products); });
    const std::size_t before = found.size();
    found.resize(before + best.size());
    parallel_for(block.rows, [&](Index i) {
      const std::size_t at = i;
      found[before + at] = best[at].finish();
    });
  }
  return found;
}

std::vector<std::vector<VectorSearch::Match>> VectorSearch::pairs(Index begin, Index end,
                                                                  double least) const {
  std::vector<std::vector<Match>> found(end - begin);
  const auto enough = static_cast<Real>(least - static_cast<double>(margin()));
  for_each_block(rows(begin, end), begin, [&](Index query, Index first, std::span<const Real> products) {
    std::vector<Match>& matches = found[query];
    const Index own = begin + query;
    for (std::size_t i = 0; i < products.size(); ++i) {
      const Index other = first + static_cast<Index>(i);
      if (other <= own || products[i] < enough) continue;
      const double exact = cosine(row(own), row(other));
      if (exact >= least) matches.push_back({other, exact});
    }
  });
  parallel_for(end - begin, [&](Index i) {
    std::vector<Match>& matches = found[i];
    std::sort(matches.begin(), matches.end(), is_before);
  });
  return found;
}

}  // namespace headwater
