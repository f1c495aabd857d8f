// The attention of what has an encoder of texts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "families/attention_trace.hpp"
#include "models/text_encoder.hpp"

namespace headwater {

// An example is a text; each token of it is a query. What is derived from it owns the model.
class EncoderTracer : public AttentionTracer {
 public:
  // `name`: what the model is called, "classifier". Throws Error where it mixes tokens otherwise.
  EncoderTracer(std::string name, const TextEncoder& encoder, const std::filesystem::path& files);
  void check(const AttentionSelection& selection) const override;
  void visit(Arena& arena, std::span<const AttentionExample> examples, const AttentionSelection& selection,
             const UseHeads& use) const override;

 private:
  std::string name_;
  const TextEncoder& encoder_;
};

}  // namespace headwater
