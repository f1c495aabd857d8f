// Decoder::decode for one time, greedily: the ids alone.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decoding/decoder.hpp"

inline std::vector<std::vector<std::int32_t>> decode_greedily(const headwater::CachedModel& model,
                                                              const headwater::Prompts& prompts,
                                                              const headwater::GenerationSettings& settings) {
  headwater::GenerationSettings greedy = settings;
  greedy.search.num_beams = greedy.n_best = 1;
  std::vector<std::vector<std::int32_t>> results;
  for (headwater::Hypotheses& hypotheses : headwater::Decoder(model).decode(prompts, greedy))
    results.push_back(std::move(hypotheses.front().ids));
  return results;
}
