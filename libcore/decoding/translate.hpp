// Text to text with a translation model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/greedy.hpp"
#include "tasks/encoder_decoder.hpp"

namespace headwater {

struct TranslationSettings {
  bool allows_unknown = false;      // [UNK] may be chosen
  std::int64_t max_new_tokens = 0;  // 0: what generation_config.json of the model says
};

// What may be generated with this model.
GenerationSettings generation_settings(const TranslationModel& model, const TranslationSettings& settings);

class Translator {
 public:
  Translator(const TranslationModel& model, const TranslationSettings& settings);

  // A translation for each line, in order. A line without a token gives an empty one; tokens beyond the
  // model's positions are cut off and the line counted. Any grouping of lines into calls gives the same text.
  // Throws LineError where the model's output is not finite.
  std::vector<std::string> translate(const std::vector<std::string>& lines);
  // The same of ids, each at most the model's positions.
  std::vector<std::string> translate_ids(std::span<const std::vector<std::int32_t>> sources);
  // The same, as ids without start and end token; none for an empty source.
  std::vector<std::vector<std::int32_t>> target_ids(std::span<const std::vector<std::int32_t>> sources);

  std::int64_t truncated_lines() const { return truncated_lines_; }
  const TokenCounts& source_tokens() const {
    return source_tokens_;
  }  // of the lines, without what was cut off

 private:
  const TranslationModel& model_;
  GenerationSettings generation_;
  Greedy greedy_;
  Decoder decoder_;
  std::int64_t truncated_lines_ = 0;
  TokenCounts source_tokens_;
};

}  // namespace headwater
