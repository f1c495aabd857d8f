// What a model computes of a text on its way to an answer: the states of its tokens after each block, for
// vectors of texts and of tokens.
#pragma once

#include <memory>
#include <string_view>

#include "autograd/parameter.hpp"
#include "families/source_ids.hpp"
#include "families/text_encoder/model.hpp"
#include "layers/builder.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

class TextStates {
 public:
  virtual ~TextStates() = default;
  virtual const Tokenizer& tokenizer() const = 0;
  virtual void source_ids(std::string_view text, SourceIds& found) const = 0;  // replaces what it held
  virtual Index length() const = 0;  // tokens of a text that are read, special ones counted
  // To how many tokens a batch fills a sequence of so many words with padding; 0: it does not.
  virtual Index padded_length(Index /*words*/) const { return 0; }
  virtual Index layers() const = 0;  // blocks
  // D of the states after the first `layers` blocks.
  virtual Index width(Index layers) const = 0;
  // Tokens [T] -> [T, D]: the states after the first `layers` blocks, of all of them after the norm at the
  // end, too; 0: what the first block reads.
  virtual Variable states(const ForwardContext& context, const ClassBatch& batch, Index layers) const = 0;

  virtual const Parameters& parameters() const = 0;
  virtual std::string_view blocks() const = 0;  // how the names of the blocks' parameters begin: "encoder."

  // What the model itself does with the states of its last block: max | mean | first, and what follows it.
  virtual ops::Pooling pooling() const { return ops::Pooling::mean; }
  virtual Variable head(const ForwardContext& /*context*/, const Variable& pooled) const { return pooled; }
  virtual bool normalizes() const { return false; }
};

}  // namespace headwater
