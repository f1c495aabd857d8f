// The nearest of many vectors by cosine: exact search, by products of blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// Keeps vectors of the length 1. The same answers for any number of threads and any grouping of queries.
class VectorSearch {
 public:
  explicit VectorSearch(Index width) : width_(width) {}

  // Copies the rows, each brought to the length 1; a row of zeros stays.
  void add(ConstMatrix rows);
  Index size() const { return static_cast<Index>(values_.size()) / width_; }
  Index width() const { return width_; }

  struct Match {
    Index row = 0;
    double cosine = 0;  // as cosine() computes it
    bool operator==(const Match&) const = default;
  };
  // The `count` nearest rows of each query, the nearest first; equally near ones in the order of the rows.
  // Memory: a block of products and the answers.
  std::vector<std::vector<Match>> nearest(ConstMatrix queries, Index count) const;
  // For each of the rows [begin, end) the later rows with a cosine of at least `least`, in the same order.
  std::vector<std::vector<Match>> pairs(Index begin, Index end, double least) const;

 private:
  class Best;
  std::span<const Real> row(Index i) const {
    return {values_.data() + i * width_, static_cast<std::size_t>(width_)};
  }
  ConstMatrix rows(Index begin, Index end) const {
    return {values_.data() + begin * width_, end - begin, width_};
  }
  // How far a product of 32-bit floats may be from the cosine.
  Real margin() const;
  // use(query, first row, products) for each query and each block of rows from `first` on.
  template <class Use>
  void for_each_block(ConstMatrix queries, Index first, const Use& use) const;

  Index width_;
  std::vector<Real> values_;
};

}  // namespace headwater
