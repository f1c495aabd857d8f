#include "tasks/language_modeling/text_samples.hpp"

#include <numeric>
#include <utility>

#include "decoding/decoder.hpp"
#include "decoding/growing_text.hpp"
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
  sampling_ = {.temperature = s.temperature, .top_k = s.top_k, .seed = recipe.seed};
  generation_ = {.end_id = tokenizer_->end_id(),
                 .max_new_tokens = s.max_new_tokens,
                 .vocabulary_limit = tokenizer_->vocabulary_size()};
  const SpecialIds special = tokenizer_->special_ids();
  for (const std::int32_t id : {special.pad, s.allow_unknown ? -1 : special.unknown, special.start}) {
    if (id >= 0 && id != generation_.end_id) generation_.suppress_tokens.push_back(id);
  }
}

std::vector<std::string> TextSamples::operator()(std::int64_t epoch) const {
  std::vector<std::string> texts;
  if (prompts_.empty()) return texts;
  Prompts all;
  all.clear();
  for (const std::vector<std::int32_t>& prompt : prompts_) all.add({}, prompt);
  all.finish();
  // Text i of an epoch draws the random numbers of text epoch · prompts + i.
  std::vector<std::uint64_t> numbers(prompts_.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(epoch) * prompts_.size());
  const Sampler sampler(model_->output_layer(), sampling_);
  const std::vector<Hypotheses> written = Decoder(*model_).decode(all, generation_, {sampler, numbers});
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    std::vector<std::int32_t> ids = prompts_[i];
    const std::vector<std::int32_t>& continuation = written[i].front().ids;
    ids.insert(ids.end(), continuation.begin(), continuation.end());
    texts.push_back(without_nul(tokenizer_->decode(ids)));
  }
  return texts;
}

}  // namespace headwater
