// The parameters of a model: named views into flat arrays, in the order of the file that they are saved to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/kernels/gemm/int8.hpp"
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

// What flows into a parameter in a step.
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

// How a parameter gets its first values.
//
// Uniform(-limit, limit). glorot_uniform has limit = sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010).
// embedding_uniform has limit 0.05.
//
// Normal with mean 0. glorot_normal has variance 2 / (fan_in + fan_out), and normal standard deviation 0.02
// (Radford et al. 2018). standard_normal has standard deviation 1. normal_by_width has 1 / sqrt(columns), for
// tables that are scaled by sqrt(columns) or are an output layer, too (Vaswani et al. 2017).
//
// Others. orthogonal: rows, or columns if these are fewer, have length 1 and right angles (Saxe et al. 2014).
// unit_forget is the bias of an lstm: 1 for the forget gate, the second of four, so that it begins open, and
// 0 for the others (Jozefowicz et al. 2015).
enum class Initializer {
  zeros,
  ones,
  glorot_uniform,
  glorot_normal,
  embedding_uniform,
  normal,
  standard_normal,
  normal_by_width,
  orthogonal,
  unit_forget
};

// How decoding has a weight once more, in the order in which it reads it (layers/packed_weights.hpp).
enum class WeightPanels {
  computed,  // in floats or in bytes, as products are computed
  floats,    // in floats always
  none       // not at all: nothing reads it so
};

struct Parameter {
  std::string name;
  std::vector<Index> shape;  // as saved, e.g. [D, H, K]
  Matrix value;              // the same numbers as a matrix [in, out]; a vector is one row
  // The weight in bytes, where it was loaded so: products in int8 read these, and value may have no data. A
  // table has a scale for each row, which is an output if it is an output layer too.
  kernels::Int8Weight int8;
  Initializer initializer = Initializer::zeros;
  double fan_in = 0, fan_out = 0;  // of glorot_uniform
  Index offset = 0;                // of its first number in the flat arrays
  bool is_table = false;           // an embedding table, whose rows are looked up
  WeightPanels panels = WeightPanels::computed;
  bool is_frozen = false;  // keeps its values; its gradient counts for nothing
  Gradient gradient;       // of the running step
  // Where uses are kept apart: of the second use in a step, the third, ...
  std::vector<Gradient> further{};
  bool keeps_uses_apart = false;
  std::size_t uses = 0;  // so far in this step, where they are kept apart

  Index size() const { return value.rows * value.cols; }
  // What the next use of the parameter adds to: its gradient, or where uses are kept apart one of its own.
  Gradient& next_use();
  // An empty gradient whose values lie in `values`, or in memory of its own.
  Gradient gradient_at(Real* values) const;
  Gradient gradient_of_its_own() const;
};

class Parameters {
 public:
  // Declares a parameter of a matrix [rows, cols] saved with `shape`. The pointer stays valid. Names are
  // unique.
  Parameter* declare(std::string name, std::vector<Index> shape, Index rows, Index cols,
                     Initializer initializer, double fan_in = 0, double fan_out = 0);
  // Lays all declared parameters out in ascending order of their names; with `gradients` also their gradients
  // (zero).
  void allocate(bool with_gradients);
  // The same, for inference, with the values where they are: in this order, without gaps, in memory that
  // `owner` keeps.
  void allocate_over(Real* values, std::shared_ptr<void> owner);
  // The same, where each is somewhere: who calls sets the values or the bytes of each, in memory that `owner`
  // keeps.
  void place(std::shared_ptr<void> owner);
  // Keeps the memory that the bytes of parameters are in.
  void keep(std::shared_ptr<void> owner) { owner_ = std::move(owner); }

  Index size() const { return size_; }  // numbers in all parameters
  std::span<Real> values() { return {values_.get(), values_ ? static_cast<std::size_t>(size_) : 0}; }
  std::span<const Real> values() const {
    return {values_.get(), values_ ? static_cast<std::size_t>(size_) : 0};
  }
  std::span<Real> gradients() { return {gradients_.get(), gradients_ ? static_cast<std::size_t>(size_) : 0}; }

  // In the order of the flat arrays.
  const std::vector<std::unique_ptr<Parameter>>& all() const { return all_; }
  Parameter* find(std::string_view name) const;

  // Fills every parameter from its initializer; a value depends on the seed, the parameter's name and its
  // index only: a model with one parameter more begins with the same values.
  void initialize(std::uint64_t seed);
  // Forgets the gradients of the step before.
  void begin_step();
  // From now on a parameter that is used more than once in a step has a gradient for each use: sums over
  // parts of a batch then have the bits of one batch, whose uses are added as whole sums.
  void keep_uses_apart();

 private:
  void lay_out();  // orders, and counts the numbers

  std::vector<std::unique_ptr<Parameter>> all_;
  std::unordered_map<std::string_view, Parameter*> by_name_;  // the keys are the parameters' own names
  FlatArray values_, gradients_;
  std::shared_ptr<void> owner_;
  Index size_ = 0;
};

}  // namespace headwater
