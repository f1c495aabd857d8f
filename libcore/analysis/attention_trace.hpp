// Attention weights of a model for one example, read from the forward pass that computes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/attention_table.hpp"
#include "models/classifier_directory.hpp"
#include "models/model_directory.hpp"

namespace headwater {

// What is wanted; nothing said: all.
struct AttentionSelection {
  std::optional<std::int64_t> layer = {}, head = {};
  std::optional<AttentionKind> kind = {};
};

// Throws UsageError where the model has no such layer, head or kind.
void check(const AttentionSelection& selection, const EncoderDecoder& model);
void check(const AttentionSelection& selection, const TextClassifier& model);

// A source, and what the decoder reads: the start token and the tokens behind it.
struct AttentionExample {
  std::int64_t number = 0;
  std::vector<std::int32_t> source_ids;
  std::vector<std::string> source_tokens;  // surfaces, one an id
  std::vector<std::int32_t> target_ids;
  std::vector<std::string> target_tokens;
};

// Both sides at most the model's length and not empty. `never`: ids that decoding does not choose; `predicts`
// of decoder and cross records is the best of the others at each position. Records by kind (encoder, decoder,
// cross), layer, head.
std::vector<AttentionRecord> trace_attention(const TranslationModel& model, Arena& arena,
                                             const AttentionExample& example,
                                             const AttentionSelection& selection,
                                             const std::vector<std::int32_t>& never);

// The same of a classifier, which reads the source alone. Throws Error where it mixes tokens otherwise.
std::vector<AttentionRecord> trace_attention(const ClassificationModel& model, Arena& arena,
                                             const AttentionExample& example,
                                             const AttentionSelection& selection);

}  // namespace headwater
