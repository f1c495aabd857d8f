// The model BPE of tokenizer.json, and the loop that takes whole texts of byte-level files (GPT-2 and after).
#pragma once

#include <string>
#include <vector>

#include "text/models/bpe.hpp"
#include "text/models/token_model_reader.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

class BpeModel final : public TokenModel {
 public:
  // As the constructor of Bpe, for pieces as the pre-tokenizer leaves them.
  BpeModel(std::vector<std::string> surfaces, std::vector<Bpe::Merge> merges, const BpeSettings& settings);
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;
  void sample(std::string_view piece, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override;
  std::string_view word_end() const override { return settings_.end_of_word_suffix; }
  std::unique_ptr<const FusedEncoder> fused_encoder(const Json& normalizer,
                                                    const Json& pre_tokenizer) const override;

 private:
  std::vector<std::string> surfaces_;
  std::vector<Bpe::Merge> merges_;
  BpeSettings settings_;
  Bpe bpe_;
};

// The member "model" with its merges in either form: "a b" or ["a", "b"].
ModelOfFile read_bpe(const ModelPart& part);

}  // namespace headwater
