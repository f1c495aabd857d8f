// mixing: lstm (Hochreiter & Schmidhuber 1997) and gru (Cho et al. 2014). A state goes from token to token;
// the layer is as wide as its tokens. With two layers, one from each end, the states are added (Schuster &
// Paliwal 1997; Keras' merge_mode sum). Cross-attention is additive.
#include <algorithm>
#include <new>
#include <numeric>
#include <optional>

#include "layers/additive_attention.hpp"
#include "layers/mixers/mixer.hpp"
#include "layers/packed_weights.hpp"

namespace headwater {

namespace {

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
  // Of a token, and of the state before.
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
  for (Index b = 0; b < x.rows(); ++b)
    std::copy_n(states.row(slots[static_cast<std::size_t>(b)]), states.cols, of_rows.row(b));
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
  for (Index b = 0; b < x.rows(); ++b)
    std::copy_n(of_rows.row(b), states.cols, states.row(slots[static_cast<std::size_t>(b)]));
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
      if (offsets[s] < offsets[s + 1])
        begin(rows.slots[static_cast<std::size_t>(offsets[s])], final.row(static_cast<Index>(s)));
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
