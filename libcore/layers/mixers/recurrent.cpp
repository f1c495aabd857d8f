// mixing: lstm (Hochreiter & Schmidhuber 1997) and gru (Cho et al. 2014). A state goes from token to token;
// the layer is as wide as its tokens. With two layers, one from each end, the states are added (Schuster &
// Paliwal 1997; Keras' merge_mode sum). Cross-attention is additive.
#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "layers/builder.hpp"
#include "layers/linear.hpp"
#include "layers/mixers/mixer.hpp"
#include "layers/packed_weights.hpp"

namespace headwater {

namespace {

// The keys and values of sources that are decoded, source s in the rows offsets[s] to offsets[s + 1] - 1.
struct AdditiveMemory {
  Matrix keys, values;  // [S, D]
  std::span<const Index> offsets;
};

// Attention of a decoder to its source (Bahdanau et al. 2015), after the state as Luong et al. 2015 have it:
// the state asks, and what it finds goes into one more layer with it.
class AdditiveAttention {
 public:
  // `name`.query.weight and .key.weight [D, D], .score.weight [D], Glorot uniform, without biases;
  // .output.weight [2·D, D], Glorot uniform, .output.bias [D], zero.
  AdditiveAttention(LayerBuilder& builder, const std::string& name, Index width);

  struct Output {
    Variable output;  // [T, D], tanh of a map of state and context
    Matrix weights;   // [T, most source tokens], in the arena
  };
  // states [T, D], memory [S, D].
  Output operator()(const ForwardContext& context, const Variable& states, const Variable& memory) const;

  // For steps: of memory [S, D] what each of them reads, in the arena.
  AdditiveMemory remember(const ForwardContext& context, const Variable& memory,
                          std::span<const Index> offsets) const;
  // states [B, D], row b over the tokens of source sources[b]: the bits of the call above.
  Variable step(const ForwardContext& context, const Variable& states, const AdditiveMemory& memory,
                std::span<const Index> sources) const;

 private:
  Variable combined(const ForwardContext& context, const Variable& states, const Variable& found) const;

  Linear to_query_, to_key_;
  Parameter* score_;
  Linear to_output_;
};

Linear map_without_bias(LayerBuilder& builder, const std::string& name, Index width) {
  const double d = static_cast<double>(width);
  return Linear(builder, name, {width, width}, {}, width, width, d, d);
}

AdditiveAttention::AdditiveAttention(LayerBuilder& builder, const std::string& name, Index width)
    : to_query_(map_without_bias(builder, name + ".query", width)),
      to_key_(map_without_bias(builder, name + ".key", width)),
      score_(builder.parameters.declare(name + ".score.weight", {width}, 1, width,
                                        Initializer::glorot_uniform, static_cast<double>(width), 1)),
      to_output_(builder, name + ".output", 2 * width, width, ops::Activation::tanh) {}

AdditiveAttention::Output AdditiveAttention::operator()(const ForwardContext& context, const Variable& states,
                                                        const Variable& memory) const {
  const ops::AdditiveAttention found = ops::additive_attention(context.tape, to_query_(context, states),
                                                               to_key_(context, memory), *score_, memory);
  return {combined(context, states, found.output), found.weights};
}

Variable AdditiveAttention::combined(const ForwardContext& context, const Variable& states,
                                     const Variable& found) const {
  const std::array<Variable, 2> both{states, found};
  return to_output_(context, ops::concatenate(context.tape, both));
}

AdditiveMemory AdditiveAttention::remember(const ForwardContext& context, const Variable& memory,
                                           std::span<const Index> offsets) const {
  Arena& arena = context.tape.arena();
  const Matrix keys = arena.matrix(memory.rows(), memory.cols());
  to_key_(context, memory.value(), keys);
  const std::span<Index> kept(arena.allocate_array<Index>(static_cast<Index>(offsets.size())),
                              offsets.size());
  std::ranges::copy(offsets, kept.begin());
  return {keys, memory.value(), kept};
}

Variable AdditiveAttention::step(const ForwardContext& context, const Variable& states,
                                 const AdditiveMemory& memory, std::span<const Index> sources) const {
  const Index rows = states.rows();
  Tape& tape = context.tape;
  const auto numbers = [&tape](Index count) {
    return std::span(tape.arena().allocate_array<Index>(count), static_cast<std::size_t>(count));
  };
  const std::span<Index> offsets = numbers(rows + 1), begins = numbers(rows), ends = numbers(rows);
  Index most = 0;
  offsets[0] = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const std::size_t source = sources[b];
    offsets[b + 1] = static_cast<Index>(b) + 1;
    begins[b] = memory.offsets[source];
    ends[b] = memory.offsets[source + 1];
    most = std::max(most, ends[b] - begins[b]);
  }
  const Variable found = tape.variable(rows, memory.values.cols, states.packing_or_null(), false);
  const Variable query = to_query_(context, states);
  kernels::additive_attention(query.value(), memory.keys, score_->value.data, memory.values,
                              {offsets, begins, ends}, found.value(), tape.arena().matrix(rows, most));
  return combined(context, states, found);
}

enum class ReadingDirection { forward, backward };

// One cell over the tokens of each sequence, in one direction.
class RecurrentLayer {
 public:
  // `name`.input.weight [D, G·H], Glorot uniform, .input.bias [G·H], zero (of an lstm's forget gate 1,
  // Jozefowicz et al. 2015); .recurrent.weight [H, G·H], orthogonal; of a gru .recurrent.bias [G·H], zero.
  RecurrentLayer(LayerBuilder& builder, const std::string& name, const MixerSettings& settings,
                 ReadingDirection direction)
      : cell_(cell_of(settings.mixing)),
        inputs_(settings.inputs > 0 ? settings.inputs : settings.attention.width),
        width_(settings.attention.width),
        direction_(direction),
        input_(builder, name + ".input", inputs_, gates()),
        w_(builder.parameters.declare(name + ".recurrent.weight", {width_, gates()}, width_, gates(),
                                      Initializer::orthogonal)),
        b_(nullptr) {
    w_->panels = WeightPanels::floats;  // errors of bytes would go from state to state
    if (cell_ == kernels::Cell::lstm) input_.bias()->initializer = Initializer::unit_forget;
    if (cell_ == kernels::Cell::gru)
      b_ = builder.parameters.declare(name + ".recurrent.bias", {gates()}, 1, gates(), Initializer::zeros);
  }

  // Numbers of a state: h, of an lstm c too.
  Index state_size() const { return kernels::state_size(cell_, width_); }
  // Both products: with the tokens, and with the states before.
  double flops(Index length) const { return 2 * static_cast<double>(length * (inputs_ + width_) * gates()); }

  // x [T, D] -> h after each token [T, H]. initial: states before the first [sequences, state_size], none: 0;
  // `final`, where given, receives those after the last.
  Variable operator()(const ForwardContext& context, const Variable& x, const Variable& initial,
                      const Matrix& final) const {
    return ops::recurrent(context.tape, input_(context, x),
                          {.cell = cell_,
                           .w = w_,
                           .b = b_,
                           .is_backward = direction_ == ReadingDirection::backward,
                           .initial = initial,
                           .final = final},
                          ops::Use::donate);
  }
  // One new token of each sequence, x [B, D]: row b goes on from row slots[b] of `states`, which then is the
  // state after it. The bits of the call above over whole sequences.
  Variable step(const ForwardContext& context, const Variable& x, const Matrix& states,
                std::span<const Index> slots) const;

 private:
  static kernels::Cell cell_of(const MixingSettings& mixing) {
    if (mixing.mixing != "gru") return kernels::Cell::lstm;
    return mixing.reset_after ? kernels::Cell::gru : kernels::Cell::gru_reset_before;
  }
  Index gates() const { return kernels::gates_of(cell_) * width_; }  // G·H

  kernels::Cell cell_;
  Index inputs_, width_;  // D, H
  ReadingDirection direction_;
  Linear input_;
  Parameter* w_;
  Parameter* b_;  // or null
};

Variable RecurrentLayer::step(const ForwardContext& context, const Variable& x, const Matrix& states,
                              std::span<const Index> slots) const {
  Tape& tape = context.tape;
  const Matrix of_rows = tape.arena().matrix(x.rows(), states.cols);
  for (Index b = 0; b < x.rows(); ++b) std::copy_n(states.row(slots[b]), states.cols, of_rows.row(b));
  const kernels::Recurrence recurrence{.cell = cell_,
                                       .is_backward = false,
                                       .offsets = x.packing().offsets,
                                       .w = w_->value,
                                       .b = b_ != nullptr ? b_->value.data : nullptr,
                                       .initial = of_rows};
  std::optional<kernels::PackedRecurrent> packed;
  if (context.packed != nullptr) packed = kernels::split_panels(cell_, context.packed->of(*w_));
  const Variable y = tape.variable(x.rows(), width_, x.packing_or_null(), false);
  kernels::recurrent(recurrence, input_(context, x).value(), y.value(), {}, of_rows,
                     packed ? &*packed : nullptr);
  for (Index b = 0; b < x.rows(); ++b) std::copy_n(of_rows.row(b), states.cols, states.row(slots[b]));
  return y;
}

// A row a sequence.
const Packing& sequence_rows(Tape& tape, Index sequences) {
  Arena& arena = tape.arena();
  const std::span<Index> offsets(arena.allocate_array<Index>(sequences + 1),
                                 static_cast<std::size_t>(sequences) + 1);
  std::iota(offsets.begin(), offsets.end(), Index{0});
  return *new (arena.allocate(sizeof(Packing))) Packing{offsets};  // no weight is multiplied with these rows
}

class RecurrentMixing : public Mixer {
 public:
  // Layers recurrent.forward and recurrent.backward, and cross_attention.
  RecurrentMixing(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : width_(settings.attention.width),
        gives_last_(settings.gives_last),
        forward_(builder, block + ".recurrent.forward", settings, ReadingDirection::forward) {
    if (settings.mixing.bidirectional)
      backward_.emplace(builder, block + ".recurrent.backward", settings, ReadingDirection::backward);
    if (settings.has_cross_attention) attention_.emplace(builder, block + ".cross_attention", width_);
  }

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources) const override {
    return run(context, x, sources, {});
  }
  std::unique_ptr<MixerCache> new_cache(Arena& arena, Index slots, Index capacity) const override;
  double flops(Index length) const override {
    const double n = static_cast<double>(length), d = static_cast<double>(width_);
    return (backward_ ? 2 : 1) * forward_.flops(length) + (attention_ ? 2 * n * d * (4 * d + 3 * n) : 0);
  }

 private:
  class Cache;
  // `final` as of the layer; of one direction.
  MixerOutput run(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                  const Matrix& final) const;

  Index width_;
  bool gives_last_;
  RecurrentLayer forward_;
  std::optional<RecurrentLayer> backward_;
  std::optional<AdditiveAttention> attention_;
};

MixerOutput RecurrentMixing::run(const ForwardContext& context, const Variable& x,
                                 const MixerSources& sources, const Matrix& final) const {
  Tape& tape = context.tape;
  MixerOutput out{.hidden = forward_(context, x, sources.initial, final)};
  const Packing* const rows = gives_last_ ? &sequence_rows(tape, x.packing().sequences()) : nullptr;
  if (rows) out.last = ops::pool(tape, out.hidden, ops::Pooling::last, *rows);
  if (backward_) {
    const Variable backward = (*backward_)(context, x, {}, {});
    if (rows) out.last = ops::add(tape, out.last, ops::pool(tape, backward, ops::Pooling::first, *rows));
    out.hidden = ops::add(tape, out.hidden, backward);
  }
  if (!attention_) return out;
  const AdditiveAttention::Output found = (*attention_)(context, out.hidden, sources.memory);
  out.cross = {.output = found.output,
               .queries = out.hidden,
               .keys = sources.memory,
               .values = sources.memory,
               .weights = found.weights};
  out.hidden = found.output;
  return out;
}

// The state after the last token, and the memory.
class RecurrentMixing::Cache : public MixerCache {
 public:
  Cache(const RecurrentMixing& mixer, const Matrix& states) : mixer_(mixer), states_(states) {
    kernels::fill(states, 0);
  }

  Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                const CacheRows& rows) override {
    const std::span<const Index> offsets = x.packing().offsets;
    const Matrix final = context.tape.arena().matrix(x.packing().sequences(), states_.cols);
    const Variable hidden = mixer_.run(context, x, sources, final).hidden;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s] < offsets[s + 1]) begin(rows.slots[offsets[s]], final.row(static_cast<Index>(s)));
    }
    return hidden;
  }
  Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) override {
    const Variable state = mixer_.forward_.step(context, x, states_, at.self.slots);
    return mixer_.attention_ ? mixer_.attention_->step(context, state, memory_, at.memory.slots) : state;
  }
  void copy_slot(Index from, Index to, Index /*length*/) override { begin(to, states_.row(from)); }
  void begin(Index slot, const Real* state) override {
    if (state != nullptr) {
      std::copy_n(state, states_.cols, states_.row(slot));
    } else {
      std::fill_n(states_.row(slot), states_.cols, Real(0));
    }
  }
  void remember(const ForwardContext& context, const Variable& memory,
                std::span<const Index> offsets) override {
    if (mixer_.attention_) memory_ = mixer_.attention_->remember(context, memory, offsets);
  }

 private:
  const RecurrentMixing& mixer_;
  Matrix states_;  // a row a slot
  AdditiveMemory memory_ = {};
};

std::unique_ptr<MixerCache> RecurrentMixing::new_cache(Arena& arena, Index slots, Index /*capacity*/) const {
  return std::make_unique<Cache>(*this, arena.matrix(slots, forward_.state_size()));
}

// The second is of gru alone.
constexpr MixerKey kRecurrentKeys[] = {
    {.name = "bidirectional",
     .member = &MixingSettings::bidirectional,
     .meaning =
         "of recurrent layers: a second one reads each text from its end, and the states of both are added "
         "(Schuster and Paliwal 1997)",
     .is_of_encoders = true},
    {.name = "reset_after",
     .member = &MixingSettings::reset_after,
     .meaning =
         "of mixing: gru: the reset gate acts on the product with the state, which then has a bias, as in "
         "Keras and PyTorch; `false`: on the state itself (Cho et al. 2014)"}};

}  // namespace

extern const MixerKind kLstmMixer{
    .name = "lstm",
    .meaning =
        "a block is an LSTM layer (Hochreiter and Schmidhuber 1997) and dropout, without norms, residual sum "
        "and feed-forward",
    .part = "recurrent",
    .keys = std::span(kRecurrentKeys).first<1>(),
    .encodes_images = false,
    .takes_steps = true,
    .is_recurrent = true,
    .construct = construct_mixer<RecurrentMixing>};
extern const MixerKind kGruMixer{
    .name = "gru",
    .meaning =
        "a block is a GRU layer (Cho et al. 2014) and dropout, without norms, residual sum and feed-forward",
    .part = "recurrent",
    .keys = kRecurrentKeys,
    .encodes_images = false,
    .takes_steps = true,
    .begins_with_state = true,
    .is_recurrent = true,
    .construct = construct_mixer<RecurrentMixing>};

}  // namespace headwater
