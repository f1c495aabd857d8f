#include "layers/mixers/mixer.hpp"

#include <algorithm>

namespace headwater {

static const MixerKind* const kMixers[] = {&kAttentionMixer, &kAveragedAttentionMixer, &kConvolutionMixer,
                                           &kFourierMixer, &kMlpMixer};

const MixerKind* find_mixer(std::string_view name) {
  const auto found = std::ranges::find(kMixers, name, &MixerKind::name);
  return found == std::end(kMixers) ? nullptr : *found;
}

}  // namespace headwater
