// An encoder of texts that makes a vector of each: the states of its last block, pooled (Reimers and Gurevych
// 2019, sec. 3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/linear.hpp"
#include "models/text_encoder.hpp"

namespace headwater {

struct TextEmbedderSettings : TextEncoderSettings {
  std::string pooling = "mean";  // max | mean | first (token)
  bool pooler = false;           // has the dense layer that classifiers may read; no vector is made by it
  bool normalize = false;        // vectors have the length 1
  std::int64_t max_tokens = 0;   // of a text that are read, special ones counted; 0: all positions
};

// Tokens of a text that are read.
Index tokens_read(const TextEmbedderSettings& settings);
// Each row to the length 1; a row of zeros stays. The sum of squares is an ascending chain in double
// precision.
void normalize_rows(Matrix rows);

class TextEmbedder {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  TextEmbedder(const TextEmbedderSettings& settings, Index vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const TextEmbedderSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }
  const TextEncoder& encoder() const { return encoder_; }
  Index length() const { return tokens_read(settings_); }

  std::vector<LayerSummary> summary() const;

 private:
  TextEmbedderSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  TextEncoder encoder_;
  std::optional<Linear> pooler_;
};

}  // namespace headwater
