// Reverse-mode automatic differentiation over matrices of packed tokens.
//
// A tape records one closure an operation while the forward code runs and replays them backwards. Values,
// gradients and closures live in an arena, so a step allocates nothing. While the closures run, gradients
// take the place of what is needed no more: values of operations that are undone and gradients that have
// flowed on. A tape that does not record runs the same forward code for inference.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "autograd/parameter.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater {

// How the rows of a matrix belong to the sequences of a batch: no padding, one sequence after the other.
struct Packing {
  std::span<const Index> offsets;       // first token of each sequence, then the number of tokens
  const ReductionTree* plan = nullptr;  // how gradients over these tokens are summed; null for inference
  Index first_token = 0;                // in the global batch: random numbers count from there
  Index sequences() const { return static_cast<Index>(offsets.size()) - 1; }
  Index tokens() const { return offsets.back(); }
};

// A matrix on the tape: a handle, copied freely, valid until the arena is reset or, for the result of an
// operation, until Tape::backward has undone it.
class Variable {
 public:
  Variable() = default;
  // Throws Error in builds with HEADWATER_CHECKS (Debug, double) where the memory was given to the result of
  // an operation that donated it.
  const Matrix& value() const {
#ifdef HEADWATER_CHECKS
    if (node_->is_given_away) throw_given_away();
#endif
    return node_->value;
  }
  Index rows() const { return node_->value.rows; }
  Index cols() const { return node_->value.cols; }
  const Packing& packing() const { return *node_->packing; }
  const Packing* packing_or_null() const { return node_->packing; }
  bool needs_gradient() const { return node_->needs_gradient; }
  // After Tape::backward, of matrices given to Tape::wrap; empty where nothing flowed back.
  const Matrix& gradient() const { return node_->gradient; }
  explicit operator bool() const { return node_ != nullptr; }
  // The same matrix, not only the same values.
  friend bool operator==(const Variable& a, const Variable& b) { return a.node_ == b.node_; }

 private:
  friend class Tape;
  struct Node {
    Matrix value, gradient;
    const Packing* packing;
    bool needs_gradient;
    bool is_spare = false;             // the operation that made the value does not read it again
    bool only_reads_gradient = false;  // the operation that made the value
    bool is_given_away = false;        // only set with HEADWATER_CHECKS
    Node* previous_result = nullptr;   // of the same operation
    const kernels::UndoneActivation* activation = nullptr;  // that is still to be undone in the gradient
    Node* other_term = nullptr;  // of a sum: gets the gradient when that operation is undone
  };
  [[noreturn]] static void throw_given_away();
  explicit Variable(Node* node) : node_(node) {}
  Node* node_ = nullptr;
};

// Where a backward closure writes a gradient: adds to what is there if `accumulate`, otherwise overwrites.
struct GradientSlot {
  Matrix matrix;
  bool accumulate;
  kernels::UndoneActivation undone = {};  // by the kernel that writes it
  void put(ConstMatrix contribution) const;
};

class Tape {
 public:
  enum class Mode { record, inference };
  Tape(Arena& arena, Mode mode) : arena_(arena), mode_(mode), mark_(arena.used()) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  bool is_recording() const { return mode_ == Mode::record; }
  Arena& arena() { return arena_; }

  // A result of an operation: uninitialised values. Its gradient is wanted if the tape records and
  // `needs_gradient`.
  Variable variable(Index rows, Index cols, const Packing* packing, bool needs_gradient);
  // A result [rows, cols of v] for an operation that reads v element by element and then no more: in the
  // memory of v where that is spare and `use` allows it. With HEADWATER_CHECKS memory is never shared: when
  // the operation is recorded, v can be read no more and what it held becomes not-a-number.
  enum class Use { keep, donate };
  Variable variable_like(const Variable& v, Use use, bool needs_gradient) {
    return result(memory_like(v, use), v.packing_or_null(), needs_gradient);
  }
  Matrix memory_like(const Variable& v, Use use);
  // A matrix that somebody else owns, e.g. an input of a gradient check.
  Variable wrap(Matrix value, const Packing* packing, bool needs_gradient);

  // Records the backward of an operation named in kOperationNames (autograd/ops.hpp) whose result is y. It
  // runs if y needs a gradient and one has flowed in. Its parameters say what it needs.
  //   (ConstMatrix dy)                 It reads the gradient of y, which may be shared by terms of a sum.
  //   (Matrix dy)                      It may write to the gradient or pass it on to accumulate().
  //   (ConstMatrix dy, ConstMatrix y)  It reads the value too. No other result then takes over its memory.
  // Closures are stored in the arena: they may capture handles, views and numbers, nothing that owns memory.
  template <class F>
  void record(std::string_view operation, const Variable& y, F backward) {
    record(operation, y, {}, std::move(backward));
  }
  // `last` is the activation that y ends with: the closure gets the gradient of what stood before it.
  template <class F>
  void record(std::string_view operation, const Variable& y, const kernels::UndoneActivation& last,
              F backward) {
    if (!is_recording()) return;
    constexpr bool reads_value = std::is_invocable_v<F&, Matrix, Matrix>;
    y.node_->only_reads_gradient =
        std::is_invocable_v<F&, ConstMatrix> || std::is_invocable_v<F&, ConstMatrix, ConstMatrix>;
    set_activation(y, last);
    push(operation, store(std::move(backward)), reads_value, y.node_,
         [](void* f, const Matrix& dy, const Matrix& value) {
           if constexpr (reads_value) {
             (*static_cast<F*>(f))(dy, value);
           } else {
             (*static_cast<F*>(f))(dy);
           }
         });
  }
  // For an operation with several results or none: the closure asks for what has flowed in.
  template <class F>
  void record(std::string_view operation, F backward) {
    if (!is_recording()) return;
    push(operation, store(std::move(backward)), false, nullptr,
         [](void* f, const Matrix&, const Matrix&) { (*static_cast<F*>(f))(); });
  }

  // The gradient of `v` for writing. Call once for each contribution, in the closure that writes it.
  GradientSlot slot(const Variable& v);
  // If v was donated and nothing else flows into it, who writes the gradient undoes the activation of v too.
  GradientSlot slot(const Variable& v, Use use_of_v);
  // For an operation that goes element by element: if possible in the memory of its result's gradient.
  GradientSlot slot_in_place(const Variable& v);
  // For a kernel that only overwrites: what it writes is added to the gradient when the closure ends.
  Matrix overwritten(const Variable& v);
  static GradientSlot slot(Parameter& p);
  // The gradients of a weight and its bias (null: none), which one kernel writes: both overwritten or both
  // added to. Throws Error where only one of the two has a gradient already, because it is shared with
  // another layer.
  struct PairSlot {
    Matrix weight;
    Real* bias;
    bool accumulate;
  };
  static PairSlot slot(Parameter& weight, Parameter* bias);
  // Adds `contribution` to the gradient of `v`; where it is the first, the matrix itself becomes the gradient
  // and may be written to later. It is memory of the operation whose closure runs: its result's gradient, or
  // what it took from the arena.
  void accumulate(const Variable& v, Matrix contribution);
  // The gradient of a sum a + b, which is the same for both terms. A donated b whose operation only reads it
  // gets it alone, and a gets that matrix when the operation has been undone: nothing is copied.
  void accumulate(const Variable& a, const Variable& b, Use use_of_b, Matrix contribution);
  // Values that are wanted until the running closure ends.
  Matrix temporary(Index rows, Index cols);
  // The gradient that flowed into `v` (its consumers have run); throws Error where there is none.
  const Matrix& incoming(const Variable& v) const;
  static bool has_incoming(const Variable& v) { return v.node_->gradient.data != nullptr; }

  // Replays the closures, last first. The gradients of the results must be there: a loss writes its own
  // (ops::linear_cross_entropy), or seed() puts a cotangent on a variable. `after_operation` is called
  // between them: gradients of parameters whose last use is undone are complete.
  void backward(const std::function<void()>& after_operation = {});
  void seed(const Variable& v, ConstMatrix cotangent);

 private:
  using Run = void (*)(void* closure, const Matrix& dy, const Matrix& y);
  struct Entry {
    void* closure;
    Run run;
    Variable::Node* y;  // null: the closure asks for gradients itself
    Entry* previous;
    Variable::Node* last_result;
    std::size_t begin, end;  // in the arena: everything that belongs to this operation
  };
  // A block that goes back when the running closure ends; the values stand after it.
  struct Temporary {
    std::size_t bytes;
    Temporary* next;
    Variable::Node* v;  // whose gradient the values are added to; null: nobody's
  };
  Variable result(Matrix value, const Packing* packing, bool needs_gradient);
  Variable::Node* node(Matrix value, const Packing* packing, bool needs_gradient);
  template <class F>
  void* store(F backward) {
    static_assert(std::is_trivially_destructible_v<F>, "closures on the tape own nothing");
    return new (arena_.allocate(sizeof(F))) F(std::move(backward));
  }
  void set_activation(const Variable& y, const kernels::UndoneActivation& last);
  void push(std::string_view operation, void* closure, bool reads_value, Variable::Node* y, Run run);
  bool share_gradient(const Variable& a, const Variable& b);
  void undo(const Entry& entry);
  void* allocate(std::size_t bytes);  // of memory that is free again, if possible
  void release_after(const Entry& entry);

  Arena& arena_;
  Mode mode_;
  Entry* last_ = nullptr;
  Variable::Node* last_result_ = nullptr;  // of the operation that is being recorded
  std::size_t mark_;                       // where its memory begins
  Variable::Node* consumed_ = nullptr;     // by that operation, with HEADWATER_CHECKS
  // While closures run:
  FreeBlocks free_;
  Entry* running_ = nullptr;
  bool keeps_memory_ = false;  // the running operation gave memory of its own away
  Temporary *first_temporary_ = nullptr, *last_temporary_ = nullptr;
};

}  // namespace headwater
