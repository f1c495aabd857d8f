#include "layers/mixers/mixer.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

// Each is defined behind its class.
extern const MixerKind kAttentionMixer, kPlainAttentionMixer, kAveragedAttentionMixer, kFourierMixer,
    kMlpMixer, kConvolutionMixer, kSsruMixer, kLstmMixer, kGruMixer;
// In the order of the list of keys.
static const MixerKind* const kMixers[] = {&kAttentionMixer,
                                           &kPlainAttentionMixer,
                                           &kAveragedAttentionMixer,
                                           &kFourierMixer,
                                           &kMlpMixer,
                                           &kConvolutionMixer,
                                           &kSsruMixer,
                                           &kLstmMixer,
                                           &kGruMixer};

std::span<const MixerKind* const> mixer_kinds() { return kMixers; }

static const MixerKind* find_mixer(std::string_view name) {
  const auto found = std::ranges::find(kMixers, name, &MixerKind::name);
  return found == std::end(kMixers) ? nullptr : *found;
}

const MixerKind& mixer_kind(std::string_view name) {
  if (const MixerKind* const kind = find_mixer(name)) return *kind;
  throw Error("mixing: no mixer is called '" + std::string(name) + "'");
}

std::string MixerKind::heads_fault(const AttentionLayerSettings& settings) const {
  if (head_width == nullptr) return {};
  const Index fitting = head_width(settings);
  if (fitting == settings.head_width) return {};
  return std::string(name) + " has " + std::string(heads) +
         (fitting > 0 ? " (write " + std::to_string(fitting) + ")" : " (choose heads that divide the width)");
}

std::unique_ptr<Mixer> MixerKind::make(LayerBuilder& builder, const std::string& block,
                                       const MixerSettings& settings) const {
  const std::string fault = heads_fault(settings.attention);
  if (!fault.empty()) throw UsageError("model.head_width: " + fault);
  return construct(builder, block, settings);
}

bool MixingSettings::is_recurrent() const {
  const MixerKind* const kind = find_mixer(mixing);
  return kind && kind->is_recurrent;
}

bool MixingSettings::has_attention() const {
  const MixerKind* const kind = find_mixer(mixing);
  return kind && kind->has_attention;
}

}  // namespace headwater
