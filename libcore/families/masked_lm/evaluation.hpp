// How well a masked language model tells hidden tokens of texts that are not trained on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "families/masked_lm/directory.hpp"
#include "metrics/loss_totals.hpp"
#include "recipe/recipe.hpp"
#include "support/token_counts.hpp"
#include "tensor/arena.hpp"

namespace headwater {

struct MaskedLmFigures {
  LossTotals totals;                   // of hidden tokens alone
  TokenCounts tokens;                  // without what was cut off
  TruncatedLines truncated;            // texts cut to the model's length, by their lines
  std::int64_t texts = 0;              // with a token
  std::int64_t ids = 0, left_out = 0;  // of these texts in all; of them cut off
};

// What is hidden from a model in its validation.
struct MaskedReading {
  MaskingSettings masking;
  std::uint64_t seed = 1;
};
// By the recipe.yaml of its folder; the default settings where there is none. Throws UsageError where it
// cannot be read.
MaskedReading masked_reading(const LoadedMaskedLm& model);

// Texts one after the other, measured in batches. On the validation file of a run, read as its recipe says,
// the figures are those of the run; of one that learned from pairs of sentences they are of texts alone, and
// of spans the loss is that of the tokens.
class MaskedLmEvaluator {
 public:
  // With masking.examples lines a text is cut to the model's length; otherwise it is read in pieces.
  MaskedLmEvaluator(const LoadedMaskedLm& model, const MaskedReading& reading, std::int64_t batch_sequences);

  // A text without a token is passed over.
  void add_text(std::string_view text);
  void add_ids(std::span<const std::int32_t> ids);  // without special tokens around them
  // After the last.
  const MaskedLmFigures& finish();

 private:
  void add_piece(std::span<const std::int32_t> ids);
  void measure();

  const LoadedMaskedLm& model_;
  MaskedReading reading_;
  Masking masking_;
  std::size_t room_;  // for ids of a text
  std::int64_t batch_sequences_;
  std::uint32_t pieces_ = 0;
  std::int64_t lines_ = 0;  // so far
  std::vector<std::int32_t> text_, whole_;
  MaskedText masked_;
  MaskedBatch batch_;
  Arena arena_;
  MaskedLmFigures figures_;
};

}  // namespace headwater
