// Some or all examples of a data set: training and validation may share one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "support/bytes.hpp"
#include "support/hash.hpp"

namespace headwater {

struct Subset {
  const Dataset* dataset = nullptr;    // null: no examples
  std::vector<std::uint32_t> indices;  // which, where is_all is not set
  bool is_all = true;

  std::size_t count() const {
    if (dataset == nullptr) return 0;
    return is_all ? static_cast<std::size_t>(dataset->examples()) : indices.size();
  }
  std::int64_t at(std::uint32_t i) const { return is_all ? i : indices[i]; }
  void add_to(Hasher& hasher) const {
    if (dataset == nullptr) return;
    hasher.update(dataset->hash());
    hasher.update(raw_bytes(indices));
  }
};

// A hash of the examples of both.
inline std::string hash_of(const Subset& train, const Subset& validation) {
  Hasher hasher;
  train.add_to(hasher);
  validation.add_to(hasher);
  return hasher.digest();
}

}  // namespace headwater
