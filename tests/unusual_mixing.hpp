// Settings of a mixer for tests that walk all of them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "layers/mixers/mixer.hpp"
#include "models/settings.hpp"

// Each key that the mixer reads has another value than its default.
inline headwater::MixingSettings unusual_mixing(const headwater::MixerKind& mixer) {
  headwater::MixingSettings settings{.mixing = std::string(mixer.name)};
  for (const headwater::MixerKey& key : mixer.keys) {
    if (const auto* const flag = std::get_if<bool headwater::MixingSettings::*>(&key.member)) {
      settings.** flag = !(settings.**flag);
    } else {
      settings.*std::get<std::int64_t headwater::MixingSettings::*>(key.member) += 4;
    }
  }
  return settings;
}

// The head_width that the mixer asks for, if it does.
inline void fit_heads(headwater::TransformerSettings& settings, const headwater::MixerKind& mixer) {
  if (mixer.head_width)
    settings.head_width = mixer.head_width({.width = settings.width, .heads = settings.heads});
}
