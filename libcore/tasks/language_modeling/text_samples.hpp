// The texts that a language model writes after each epoch (training.samples).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "decoding/sampling.hpp"
#include "models/cached_model.hpp"
#include "recipe/recipe.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

class TextSamples {
 public:
  // Writes nothing.
  TextSamples() = default;
  // Throws UsageError for a prompt without a token, or with more than the model has positions.
  // `after_prompt`: the token after each prompt (model.delimiter); -1: none.
  TextSamples(const CachedModel& model, Tokenizer tokenizer, const Recipe& recipe,
              std::int32_t after_prompt = -1);

  // One for each prompt, which it begins with. The random numbers of an epoch, from 0, are its own.
  std::vector<std::string> operator()(std::int64_t epoch) const;

 private:
  const CachedModel* model_ = nullptr;
  std::optional<Tokenizer> tokenizer_;
  std::vector<std::vector<std::int32_t>> prompts_;
  GenerationSettings generation_;
  SamplingSettings sampling_;
};

}  // namespace headwater
