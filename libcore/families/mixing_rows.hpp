// The rows of what mixes the tokens of a model: the key `mixing` and the keys that its mixers read, and what
// must hold between them. All of it comes from the mixers' own rows (layers/mixers/mixer.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "families/family.hpp"
#include "families/model_rows.hpp"

namespace headwater {

using MixerTest = std::function<bool(const MixerKind& mixer)>;

// How a kind of model mixes.
struct MixingUse {
  std::string_view kind;  // of model, as keys of attention say it
  bool (*allows)(const MixerKind& mixer);
  bool has_encoder = true;       // or its tokens see only those before them
  std::string_view noun = kind;  // as messages and the mixers' keys say it
  std::string_view what = "what mixes the tokens of a text";

  // "attention or convolution": the mixers that it allows and that pass the test.
  std::string names(const MixerTest& passes) const;
  // Read with these mixers. `s` are the settings as they are.
  schema::When reads_with(const MixerTest& passes, const MixingSettings& s) const;
};

void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const MixingUse& use);
// After mixing_rows: which keys of blocks are read.
BlockKeys block_keys(const MixingSettings& s, const MixingUse& use);
void check_mixing(const MixingSettings& s, const TransformerSettings& transformer, const Complain& complain);

// Shows its attention if it mixes by attention.
Offer offer_with_mixing(std::string noun, const MixingSettings& s, std::vector<Ability> abilities);

}  // namespace headwater
