// What flows into a parameter in a step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// A flat array of numbers in pages of its own, zero at first, or in memory of an owner.
struct FlatArrayDeleter {
  std::size_t bytes = 0;
  std::shared_ptr<void> owner{};
  void operator()(Real* p) const;
};
using FlatArray = std::unique_ptr<Real[], FlatArrayDeleter>;
FlatArray make_flat_array(Index size);

struct Gradient {
  // sparse: the rows of a table that were looked up are written, all others are 0. dense: all are written. A
  // sparse gradient becomes dense where an operation writes all of it; it never turns back within a step.
  enum class State { untouched, sparse, dense };

  Matrix values;  // [as the parameter]; empty for inference
  State state = State::untouched;
  std::vector<std::int32_t> rows;  // of a sparse gradient: those written, ascending
  bool has_old_values = false;     // untouched: those of an earlier step still stand there; otherwise 0
  FlatArray memory{};              // of the values, where they are in no array of all parameters

  // Forgets the step before. Rows of a sparse gradient become 0 again.
  void begin_step();
  // Makes the values of an untouched gradient 0.
  void clear();
  // Before every number is written; true: add to what is there.
  bool begin_dense();
  // Before the rows of `ids` are written, in any order, also twice; true: add to what is there. `is_written`
  // is scratch, a number for each row.
  bool begin_rows(std::span<const std::int32_t> ids, std::span<std::uint8_t> is_written);
};

// to += from, number by number. A row that only one of them has is taken as it is, not added to 0.
void add_gradient(const Gradient& from, Gradient& to);

}  // namespace headwater
