// The formats in which weights of texts are written: a class each, chosen once.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "families/attention_trace.hpp"
#include "tools/attn-dump/attn_dump.hpp"

namespace headwater::attn_dump {

// The weights of one text.
struct TextWeights {
  const AttentionHeads& heads;
  std::int64_t number;               // of the text, from 0
  std::size_t line;                  // of its batch, from 0
  const std::string& text;           // the line as it is
  std::size_t second_text, padding;  // as of AttentionTexts
  bool is_truncated;
};

class TextFormat {
 public:
  virtual ~TextFormat() = default;
  // Before the first text; `has_pairs`: they are pairs, or the first ones are.
  virtual void begin(bool /*has_pairs*/) {}
  virtual void add(const TextWeights& weights) = 0;
  // After the last; `title`: of a picture of all texts.
  virtual void finish(const std::string& /*title*/) {}
  // What is to be said of the texts, after all is written.
  virtual void note() const {}
  // The format is one of weights, which somebody waits for: none at all are an error.
  virtual bool holds_weights() const { return true; }
};

// The tokenizers of what asks and of what is looked at.
std::pair<const Tokenizer&, const Tokenizer&> tokenizers_of(const AttentionTracer& tracer,
                                                            AttentionKind kind);

std::unique_ptr<TextFormat> text_format(const Options& o, const AttentionTracer& tracer, Output& output);

}  // namespace headwater::attn_dump
