#include "tasks/text_samples.hpp"

#include <utility>

#include "models/cached_model.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

TextSamples::TextSamples(const CachedModel& model, Tokenizer tokenizer, const Recipe& recipe,
                         std::int32_t after_prompt)
    : model_(&model), tokenizer_(std::move(tokenizer)) {
  const SampleSettings& s = recipe.training.samples;
  for (const std::string& text : s.prompts) {
    std::vector<std::int32_t> ids = tokenizer_->encode(text);
    const std::string where = "training.samples.prompts: " + quote(text) + " has ";
    if (ids.empty()) throw UsageError(where + "no token (write a text to go on with)");
    if (after_prompt >= 0) ids.push_back(after_prompt);
    if (static_cast<Index>(ids.size()) > model.length())
      throw UsageError(where + counted(static_cast<std::int64_t>(ids.size()), "token") + ", more than the " +
                       std::to_string(model.length()) + " positions of the model (shorten it)");
    prompts_.push_back(std::move(ids));
  }
  settings_ = {.max_new_tokens = s.max_new_tokens,
               .top_k = s.top_k,
               .temperature = s.temperature,
               .seed = recipe.seed,
               .end_id = tokenizer_->end_id(),
               .vocabulary_limit = tokenizer_->vocabulary_size()};
  const SpecialIds special = tokenizer_->special_ids();
  for (const std::int32_t id : {special.pad, special.unknown, special.start}) {
    if (id >= 0 && id != settings_.end_id) settings_.suppress_tokens.push_back(id);
  }
}

std::vector<std::string> TextSamples::operator()(std::int64_t epoch) const {
  std::vector<std::string> texts;
  if (prompts_.empty() || !continue_) return texts;
  ContinuationSettings settings = settings_;
  settings.first_number = static_cast<std::uint64_t>(epoch) * prompts_.size();
  const auto continuations = continue_(*model_, prompts_, settings);
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    std::vector<std::int32_t> ids = prompts_[i];
    ids.insert(ids.end(), continuations[i].begin(), continuations[i].end());
    texts.push_back(tokenizer_->decode(ids));
  }
  return texts;
}

}  // namespace headwater
