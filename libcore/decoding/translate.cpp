#include "decoding/translate.hpp"

#include <algorithm>
#include <utility>

#include "support/line_error.hpp"
#include "support/parallel.hpp"

namespace headwater {

GenerationSettings generation_settings(const TranslationModel& model, const TranslationSettings& settings) {
  const Tokenizer& target = model.target_tokenizer;
  GenerationSettings generation;
  generation.start_id = model.ids.start;
  generation.end_id = model.ids.end;
  generation.suppress_tokens = {model.ids.pad, model.ids.start};
  if (!settings.allows_unknown) generation.suppress_tokens.push_back(target.unknown_id());
  std::erase(generation.suppress_tokens, -1);
  generation.vocabulary_limit = target.vocabulary_size();
  const DecodingSettings& decoding = settings.decoding ? *settings.decoding : model.decoding;
  generation.max_new_tokens = decoding.max_new_tokens > 0 ? decoding.max_new_tokens : model.max_new_tokens;
  generation.min_new_tokens = decoding.min_new_tokens;
  generation.max_length_ratio = decoding.max_length_ratio;
  generation.no_repeat_ngram_size = decoding.no_repeat_ngram_size;
  generation.num_beams = decoding.num_beams;
  generation.length_penalty = decoding.length_penalty;
  if (decoding.length_penalty_kind == "gnmt") generation.length_penalty_kind = LengthPenaltyKind::gnmt;
  if (decoding.early_stopping == "never") generation.early_stopping = EarlyStopping::never;
  if (decoding.early_stopping == "first") generation.early_stopping = EarlyStopping::first;
  generation.n_best = std::min(settings.n_best, generation.num_beams);
  generation.wants_scores = settings.wants_scores;
  return generation;
}

Translator::Translator(const TranslationModel& model, const TranslationSettings& settings)
    : model_(model), generation_(generation_settings(model, settings)), decoder_(*model.model) {}

std::vector<std::vector<std::int32_t>> Translator::encode(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::int32_t>> sources(lines.size());
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    sources[static_cast<std::size_t>(i)] = model_.source_ids(lines[static_cast<std::size_t>(i)]);
  });
  const auto length = static_cast<std::size_t>(model_.model->length());
  for (std::vector<std::int32_t>& source : sources) {
    if (source.size() > length) {
      source.resize(length);
      ++truncated_lines_;
    }
    source_tokens_.add(source, model_.source_tokenizer.special_ids());
  }
  return sources;
}

std::string Translator::text_of(const Hypothesis& hypothesis) const {
  return hypothesis.ids.empty() ? std::string() : model_.target_tokenizer.decode(hypothesis.ids);
}

std::vector<Translations> Translator::translations(const std::vector<std::string>& lines) {
  std::vector<Translations> results;
  for (Hypotheses& found : hypotheses(encode(lines))) {
    Translations& of_line = results.emplace_back();
    for (Hypothesis& hypothesis : found) {
      std::string text = text_of(hypothesis);
      of_line.push_back({std::move(text), std::move(hypothesis)});
    }
  }
  return results;
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  return translate_ids(encode(lines));
}

std::vector<std::string> Translator::translate_ids(std::span<const std::vector<std::int32_t>> sources) {
  std::vector<std::string> results;
  for (const Hypotheses& found : hypotheses(sources)) results.push_back(text_of(found.front()));
  return results;
}

std::vector<std::vector<std::int32_t>> Translator::target_ids(
    std::span<const std::vector<std::int32_t>> sources) {
  std::vector<std::vector<std::int32_t>> results;
  for (Hypotheses& found : hypotheses(sources)) results.push_back(std::move(found.front().ids));
  return results;
}

std::vector<Hypotheses> Translator::hypotheses(std::span<const std::vector<std::int32_t>> sources) {
  PackedTokens batch;
  batch.clear();
  std::vector<std::size_t> line_of;  // of each sequence in the batch
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) continue;
    batch.add(sources[i]);
    line_of.push_back(i);
  }
  std::vector<Hypotheses> results(sources.size(), Hypotheses(1)), found;
  try {
    found = decoder_.decode(start_prompts(batch, generation_.start_id), generation_);
  } catch (const LineError& error) {
    throw LineError(line_of[error.line], error.what());
  }
  for (std::size_t s = 0; s < found.size(); ++s) results[line_of[s]] = std::move(found[s]);
  return results;
}

}  // namespace headwater
