#include "decoding/translate.hpp"

#include <utility>

#include "support/line_error.hpp"
#include "support/parallel.hpp"

namespace headwater {

GenerationSettings generation_settings(const TranslationModel& model, const TranslationSettings& settings) {
  const Tokenizer& target = model.target_tokenizer;
  GenerationSettings generation;
  generation.start_id = target.start_id();
  generation.end_id = target.end_id();
  generation.suppress_tokens = {target.pad_id(), target.start_id()};
  if (!settings.allows_unknown) generation.suppress_tokens.push_back(target.unknown_id());
  std::erase(generation.suppress_tokens, -1);
  generation.vocabulary_limit = target.vocabulary_size();
  generation.max_new_tokens = settings.max_new_tokens > 0 ? settings.max_new_tokens : model.max_new_tokens;
  return generation;
}

Translator::Translator(const TranslationModel& model, const TranslationSettings& settings)
    : model_(model),
      generation_(generation_settings(model, settings)),
      greedy_(model.model->output_layer(), generation_),
      decoder_(*model.model) {}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::int32_t>> sources(lines.size());
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    model_.source_tokenizer.encode(lines[static_cast<std::size_t>(i)], sources[static_cast<std::size_t>(i)]);
  });
  const auto length = static_cast<std::size_t>(model_.model->length());
  for (std::vector<std::int32_t>& source : sources) {
    if (source.size() > length) {
      source.resize(length);
      ++truncated_lines_;
    }
    source_tokens_.add(source, model_.source_tokenizer.special_ids());
  }
  return translate_ids(sources);
}

std::vector<std::string> Translator::translate_ids(std::span<const std::vector<std::int32_t>> sources) {
  std::vector<std::string> results;
  for (const std::vector<std::int32_t>& target : target_ids(sources))
    results.push_back(target.empty() ? std::string() : model_.target_tokenizer.decode(target));
  return results;
}

std::vector<std::vector<std::int32_t>> Translator::target_ids(
    std::span<const std::vector<std::int32_t>> sources) {
  PackedTokens batch;
  batch.clear();
  std::vector<std::size_t> line_of;  // of each sequence in the batch
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) continue;
    batch.add(sources[i]);
    line_of.push_back(i);
  }
  std::vector<std::vector<std::int32_t>> results(sources.size());
  std::vector<std::vector<std::int32_t>> targets;
  try {
    targets = decoder_.decode(start_prompts(batch, generation_.start_id), greedy_, generation_);
  } catch (const LineError& error) {
    throw LineError(line_of[error.line], error.what());
  }
  for (std::size_t s = 0; s < targets.size(); ++s) results[line_of[s]] = std::move(targets[s]);
  return results;
}

}  // namespace headwater
