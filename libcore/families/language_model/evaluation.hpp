// Loss of a language model on texts that are not trained on, and the bits that it needs to write them down.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/token_stream.hpp"
#include "families/language_model/directory.hpp"
#include "metrics/loss_totals.hpp"
#include "support/token_counts.hpp"

namespace headwater {

// Loss and counts of a batch of texts; with a recording tape the gradients follow as of LanguageModel::loss.
LossTotals loss_of(const LanguageModel& model, const ForwardContext& context, const TokenBatch& batch,
                   double label_smoothing, double loss_scale);

struct LanguageModelFigures {
  LossTotals totals;
  TokenCounts tokens;                  // without what was cut off
  TruncatedLines truncated;            // texts cut to the model's length, by their lines
  std::int64_t texts = 0;              // of two tokens or more
  std::int64_t skipped = 0;            // pairs with an empty side
  std::int64_t ids = 0, left_out = 0;  // of these texts in all; of them cut off
  double text_loss = 0;                // of totals.loss: each token in the first window that predicts it
  // Characters of the raw text that the predicted tokens stand for; 0 where the data are ids.
  std::int64_t bytes = 0, characters = 0;

  double bits() const;  // of text_loss
};

// How a model was trained to read, by the recipe.yaml of its folder.
struct TrainedReading {
  bool is_stream = false;      // data.examples: blocks or random
  bool has_line_ends = false;  // of a stream: data.line_ends
  std::int64_t stride = 0;     // of a stream: data.stride
};
// One text a line where there is no recipe. Throws UsageError where it cannot be read.
TrainedReading trained_reading(const LoadedLanguageModel& model);

struct LanguageModelReading {
  // Texts longer than the model are read in windows that go on by so many tokens, each token predicted once;
  // 0: they are truncated, or cut as training cuts a stream.
  std::int64_t stride = 0;
  bool is_whole = false;             // nothing is truncated
  std::int64_t training_stride = 0;  // of that cut: data.stride; 0: the model's length
  bool has_start = false;  // the start token comes before each text, so that its first token is predicted too
  std::int64_t batch_sequences = 64;
  bool has_bits = true;  // bits() is wanted, which takes windows that overlap twice
};

// Texts one after the other, measured in batches.
class LanguageModelEvaluator {
 public:
  // Throws UsageError where the settings do not fit the model.
  LanguageModelEvaluator(const LoadedLanguageModel& model, const LanguageModelReading& settings);

  // A text; of a model with a delimiter text, TAB, how it goes on. Throws Error " what (fix)", to be put
  // after the line's place and a colon.
  void add_text(std::string_view line);
  // The ids of one, and of how it goes on: its end token is the last; empty without a delimiter.
  void add_ids(std::span<const std::int32_t> ids, std::span<const std::int32_t> continuation);
  // A line of the one long text that all these lines are, with its end or without, as vectorize --output
  // dataset joins them. It is measured at the end. Without a delimiter.
  void add_line_of_stream(std::string_view line, bool has_line_end);
  // Such a text as ids, cut as cut() says.
  void add_stream(const TokenStream& text);
  WindowCut cut() const;
  // After the last.
  const LanguageModelFigures& finish();

 private:
  // Ids that are read and predicted together: those from `predicted` on are predicted, and those from
  // `is_new` on by no sequence before.
  struct Sequence {
    std::vector<std::int32_t> ids;
    std::size_t predicted = 1, is_new = predicted;
  };
  std::vector<std::int32_t> with_start(std::span<const std::int32_t> ids) const;
  bool add_sequences(std::vector<std::int32_t> ids);
  template <class Read>
  void add_windows(std::int64_t ids, const Read& read);
  void add_windows(std::span<const std::int32_t> ids);
  bool add_pair(const DelimitedText& text);
  void push(Sequence sequence);
  void measure();
  LossTotals measure_from(std::size_t Sequence::*first);
  void count_text(std::string_view text, std::int64_t sign);

  const LoadedLanguageModel& model_;
  LanguageModelReading settings_;
  std::size_t max_ids_;  // that are read or predicted together
  LanguageModelFigures figures_;
  std::int64_t lines_ = 0;  // so far
  std::vector<Sequence> waiting_;
  std::vector<std::int32_t> stream_;  // the ids of the lines of one text
  TokenBatch batch_;
  Arena arena_;
};

}  // namespace headwater
