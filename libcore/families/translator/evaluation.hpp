// Loss and accuracy of an encoder-decoder on pairs that are not trained on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/token_dataset.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "metrics/loss_totals.hpp"
#include "support/token_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The columns "source" and "target" of the model's ids.
std::vector<TokenColumnSettings> translation_columns(const Tokenizer& source, const Tokenizer& target,
                                                     std::int64_t length);

// Loss and counts of a batch with the measures of the report.
LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length);

struct IdPair {
  std::vector<std::int32_t> source;  // at most the model's length
  std::vector<std::int32_t> target;  // start token, words, end token; at most the model's length + 1
};
struct IdPairView {
  std::span<const std::int32_t> source, target;
};

// What a model is measured on: lines of text or of ids.
struct TranslationExamples {
  std::vector<IdPair> pairs;                            // what the loss is of: no side empty
  std::vector<std::size_t> lines;                       // of text: of each pair, its line from 0
  std::vector<std::vector<std::int32_t>> sources;       // of every line, for translation
  std::vector<std::string> raw_references, references;  // as they are; as the tokenizer sees them
  std::int64_t truncated = 0, skipped = 0;              // sides cut to the model's length; pairs without loss
  TruncatedLines truncated_lines;                       // of text: those with such a side

  TokenCounts source_tokens, target_tokens;  // without what was cut off

  // Source, TAB, target. Throws Error " what (fix)", to be put after the line's place and a colon.
  void add_text(std::string_view line, const LoadedTranslator& model);
  // Columns of translation_columns(), all lines of them: their counts, and, of lines to be translated,
  // sources and references. The loss is of the columns themselves.
  void add_ids(const TokenDataset& columns, const LoadedTranslator& model, bool is_translated);
};

// Totals over pairs 0 to count - 1, in batches of `batch_sequences` in their order. No pair has an empty
// source or a target of less than two ids.
LossTotals evaluate_pairs(const EncoderDecoder& model, Arena& arena, std::int64_t count,
                          const std::function<IdPairView(std::int64_t)>& pair_at,
                          std::int64_t batch_sequences,
                          const std::function<void(std::int64_t)>& after_batch = {});

// The sum of the log-probabilities of a target's tokens, the end token counted, with the bits of
// Hypothesis::log_probability.
struct TargetScore {
  double log_probability = 0;
  std::int64_t tokens = 0;
};
std::vector<TargetScore> score_targets(const EncoderDecoder& model, Arena& arena,
                                       std::span<const IdPair> pairs, std::int64_t batch_sequences,
                                       const std::function<void(std::int64_t)>& after_batch = {});

}  // namespace headwater
