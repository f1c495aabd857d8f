// Recurrent layers: a state that goes from token to token (LSTM, Hochreiter & Schmidhuber 1997; GRU, Cho et
// al. 2014).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "layers/builder.hpp"
#include "layers/linear.hpp"

namespace headwater {

enum class ReadingDirection { forward, backward };

// One cell over the tokens of each sequence, in one direction.
class RecurrentLayer {
 public:
  // `name`.input.weight [D, G·H], Glorot uniform, .input.bias [G·H], zero (of an lstm's forget gate 1,
  // Jozefowicz et al. 2015); .recurrent.weight [H, G·H], orthogonal; of a gru .recurrent.bias [G·H], zero.
  struct Settings {
    kernels::Cell cell = kernels::Cell::lstm;
    Index inputs = 0;  // D
    Index width = 0;   // H
    ReadingDirection direction = ReadingDirection::forward;
  };
  RecurrentLayer(LayerBuilder& builder, const std::string& name, const Settings& settings);

  // Numbers of a state: h, of an lstm c too.
  Index state_size() const { return kernels::state_size(settings_.cell, settings_.width); }
  // x [T, D] -> h after each token [T, H]. initial: states before the first [sequences, state_size], none: 0;
  // `final`, where given, receives those after the last.
  Variable operator()(const ForwardContext& context, const Variable& x, const Variable& initial = {},
                      const Matrix& final = {}) const;
  // One new token of each sequence, x [B, D]: row b goes on from row slots[b] of `states`, which then is the
  // state after it. The bits of the call above over whole sequences.
  Variable step(const ForwardContext& context, const Variable& x, const Matrix& states,
                std::span<const Index> slots) const;

 private:
  Settings settings_;
  Linear input_;
  Parameter* w_;
  Parameter* b_;  // or null
};

struct RecurrentMixingSettings {
  kernels::Cell cell = kernels::Cell::lstm;
  bool is_bidirectional = false;
  Index inputs = 0;         // width of what it reads; 0: its own
  bool gives_last = false;  // the last states are wanted as well; of a gru
};

// What mixes the tokens of a block: a layer as wide as its tokens, or two of them, one from each end, whose
// states are added (Schuster & Paliwal 1997; Keras' merge_mode sum).
class RecurrentMixing {
 public:
  // Layers `name`.forward and `name`.backward.
  RecurrentMixing(LayerBuilder& builder, const std::string& name, const RecurrentMixingSettings& settings,
                  Index width);
  struct Output {
    Variable hidden;     // [T, D]
    Variable last = {};  // [sequences, D], where wanted: each direction's state after all tokens, added
  };
  // x [T, inputs]. `initial` and `final` as of the layer; of one direction.
  Output operator()(const ForwardContext& context, const Variable& x, const Variable& initial = {},
                    const Matrix& final = {}) const;
  const RecurrentLayer& forward() const { return forward_; }

 private:
  bool gives_last_;
  RecurrentLayer forward_;
  std::optional<RecurrentLayer> backward_;
};

}  // namespace headwater
