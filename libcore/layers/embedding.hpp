// Token embedding with learned, sinusoidal or no positions.
#pragma once

#include <string>
#include <vector>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"

namespace headwater {

// Rotary ones are of attention: an embedding adds nothing for them.
enum class Positions { learned, sinusoidal, sinusoidal_halves, sinusoidal_tensor2tensor, rotary, none };
inline bool is_sinusoidal(Positions positions) {
  return positions == Positions::sinusoidal || positions == Positions::sinusoidal_halves ||
         positions == Positions::sinusoidal_tensor2tensor;
}

// PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(p / 10000^(2i/D)): [N, D] row-major (Vaswani et al.
// 2017, sec. 3.5). In halves: all sines, in the order of i, before all cosines. The program of that paper,
// tensor2tensor, has halves, and divides by 10000^(i/(D/2 - 1)), so that the last one is 10000.
std::vector<Real> sinusoidal_positions(Index length, Index width, Positions form = Positions::sinusoidal);

struct EmbeddingSettings {
  Index vocabulary_size = 0, width = 0, length = 0;
  Positions positions = Positions::learned;
  bool is_scaled = false;  // tokens times sqrt(width)
};

// The table `name`.tokens [V, D], uniform(-0.05, 0.05).
Parameter& declare_tokens(LayerBuilder& builder, const std::string& name, const EmbeddingSettings& settings);

class Embedding {
 public:
  // Tables `name`.tokens [V, D] and, if learned, `name`.positions [N, D]; uniform(-0.05, 0.05).
  Embedding(LayerBuilder& builder, const std::string& name, const EmbeddingSettings& settings)
      : Embedding(builder, name, settings, declare_tokens(builder, name, settings)) {}
  // The same with a table of tokens that others read too.
  Embedding(LayerBuilder& builder, const std::string& name, const EmbeddingSettings& settings,
            Parameter& tokens);

  Parameter& tokens() const { return *tokens_; }

  // ids in [0, V) and position_of in [0, N), one of each a token.
  Variable operator()(const ForwardContext& context, const Packing& packing,
                      std::span<const std::int32_t> ids, std::span<const std::int32_t> position_of) const;

 private:
  Parameter* tokens_;
  Parameter* positions_ = nullptr;
  std::vector<Real> sinusoids_;
  EmbeddingSettings settings_;
};

}  // namespace headwater
