#include "decoding/generation_settings.hpp"

#include <iterator>

#include "support/error.hpp"

namespace headwater {

void set_published(GenerationSettings& search, const GenerationConfig& config, std::int64_t vocabulary) {
  const auto is_token = [&](std::int32_t id) { return id < vocabulary; };
  search.end_id = -1;
  search.other_end_ids.clear();
  for (const std::int32_t id : config.end_ids) {
    if (!is_token(id)) continue;
    if (search.end_id >= 0) search.other_end_ids.push_back(id);
    if (search.end_id < 0) search.end_id = id;
  }
  if (config.forced_end_id >= 0 && is_token(config.forced_end_id)) {
    std::ranges::replace(search.other_end_ids, config.forced_end_id, search.end_id);
    search.end_id = config.forced_end_id;
    search.forces_end = true;
  }
  search.forced_start_id = is_token(config.forced_start_id) ? config.forced_start_id : -1;
  std::ranges::copy_if(config.suppress_tokens, std::back_inserter(search.suppress_tokens), is_token);
  std::ranges::copy_if(config.begin_suppress_tokens, std::back_inserter(search.begin_suppress_tokens),
                       is_token);
  for (const std::vector<std::int32_t>& word : config.bad_words) {
    const bool is_end = word.size() == 1 && search.is_end(word.front());
    if (is_end || !std::ranges::all_of(word, is_token)) continue;
    if (word.size() == 1) search.suppress_tokens.push_back(word.front());
    if (word.size() > 1) search.banned_sequences.push_back(word);
  }
  search.min_length = config.min_length;
  search.repetition_penalty = config.repetition_penalty;
  search.renormalizes = config.renormalizes;
}

SamplingSettings sampling_settings(const GenerationConfig& config) {
  constexpr std::int64_t kTheirTopK = 50;  // where do_sample is said, and top_k is not
  if (!config.not_sampled.empty()) throw Error(config.file + ": " + config.not_sampled);
  return {.repetition_penalty = config.repetition_penalty,
          .temperature = config.temperature.value_or(1),
          .top_k = config.top_k.value_or(config.samples ? kTheirTopK : 0),
          .top_p = std::max(config.top_p.value_or(1), 1e-6),
          .min_p = config.min_p.value_or(0)};
}

std::optional<SamplingSettings> sampling_of_files(const GenerationConfig& config) {
  if (!config.samples) return std::nullopt;
  if (config.decoding.num_beams > 1) {
    throw Error(config.file + ": \"do_sample\" is true and \"num_beams\" " +
                std::to_string(config.decoding.num_beams) +
                ", and a beam search draws nothing here (set one of them on the command line)");
  }
  return sampling_settings(config);
}

}  // namespace headwater
