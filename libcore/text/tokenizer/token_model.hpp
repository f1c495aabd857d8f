// The "model" of a tokenizer.json: from a piece of text, normalised and pre-tokenised, to ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "support/random.hpp"

namespace headwater {

// Random choices of a subword model; 0 makes none.
struct SubwordSampling {
  double dropout = 0;  // BPE: the share of merges that are passed over (Provilkov et al. 2020)
  double alpha = 0;    // Unigram: a segmentation is drawn with its probability to this power (Kudo 2018)
};

// Counts what was drawn from a stream: a text's choices depend on the stream and on nothing else.
struct SampleCounter {
  RandomStream stream;
  std::uint64_t at = 0;
  float next() { return random_uniform(stream, at++); }  // in [0, 1)
};

// Whole texts to ids, where one loop does what a normalizer, a pre-tokenizer and a model do one by one.
class FusedEncoder {
 public:
  virtual ~FusedEncoder() = default;
  // Appends the ids of `text`, well-formed UTF-8. From any thread.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // Appends the ids of `piece`, which is not empty. From any thread.
  virtual void encode(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;
  // The same with random choices; a model without choices encodes as above.
  virtual void sample(std::string_view piece, const SubwordSampling& /*sampling*/, SampleCounter& /*random*/,
                      std::vector<std::int32_t>& ids) const {
    encode(piece, ids);
  }
  // What the surface of a piece's last token ends with, as </w>; empty: nothing.
  virtual std::string_view word_end() const { return {}; }
  // One loop that gives the ids of these parts of the file and this model, or nullptr where there is none;
  // the model outlives it.
  virtual std::unique_ptr<const FusedEncoder> fused_encoder(const Json& /*normalizer*/,
                                                            const Json& /*pre_tokenizer*/) const {
    return nullptr;
  }
};

}  // namespace headwater
