// Attention weights of a model for one example, read from the forward pass that computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/packed_tokens.hpp"
#include "families/source_ids.hpp"
#include "layers/transformer_stack.hpp"
#include "tensor/arena.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct LoadedTranslator;

// The weights of one head of one layer for one example. Numbers count from 0.
struct AttentionRecord {
  std::int64_t example = 0;
  AttentionKind kind = AttentionKind::encoder;
  std::int64_t layer = 0, head = 0;
  std::vector<std::string> query_tokens = {};  // q texts; of a decoder the tokens put in
  std::vector<std::string> key_tokens = {};    // k texts
  std::vector<std::string> predicts = {};      // q texts: the tokens that came out; empty in encoders
  std::vector<float> weights = {};  // [q, k] row-major; a key that may not be looked at has weight 0
  bool is_truncated = false;        // the text has more tokens, which the model did not read
  std::int64_t window = 0;          // a query may look at keys that are less than so far away; 0: at all

  std::size_t queries() const { return query_tokens.size(); }
  std::size_t keys() const { return key_tokens.size(); }
};

// What is wanted; nothing said: all.
struct AttentionSelection {
  std::optional<std::int64_t> layer = {}, head = {};
  std::optional<AttentionKind> kind = {};
  bool has_predictions = true;  // `predicts` of decoders, for which the output layer is computed
};

// A source, and what the decoder reads: the start token and the tokens after it. Both sides at most the
// model's length and not empty.
struct AttentionExample {
  std::int64_t number = 0;
  std::vector<std::int32_t> source_ids;
  std::vector<std::string> source_tokens;  // surfaces, one an id
  Index source_second = 0;                 // of a pair of texts: where its second text begins
  std::vector<std::int32_t> target_ids;
  std::vector<std::string> target_tokens;
  // Ids that decoding does not choose; `predicts` is the best of the others at each position.
  std::vector<std::int32_t> suppress_tokens;
};

// The selected heads of one example, by kind, layer and head. Weights are computed when they are asked for,
// so that no more than some rows of one head need be in memory. Valid as long as the forward pass is.
class AttentionHeads {
 public:
  // The heads of the sequence `sequence` of a forward pass. Refers to all that it is given.
  AttentionHeads(const std::vector<AttentionTrace>& traces, Index heads, Arena& arena,
                 const AttentionExample& example, const AttentionSelection& selection,
                 const std::vector<std::string>& predicts, Index sequence = 0);
  std::size_t size() const { return chosen_.size(); }
  std::size_t queries(std::size_t i) const;
  std::size_t keys(std::size_t i) const;
  AttentionRecord record(std::size_t i) const;
  AttentionRecord record_without_weights(std::size_t i) const;
  std::vector<AttentionRecord> records() const;
  // use(query, weights) for some rows at once, from the first query on; `query` is that of the first row.
  using UseRows = std::function<void(std::size_t query, std::span<const float> weights)>;
  void for_each_rows(std::size_t i, const UseRows& use) const;
  // Whether each weight of each head is a number.
  bool are_finite() const;

 private:
  struct Chosen {
    const AttentionTrace* trace;
    Index head;
  };
  const Variable& queries_of(const Chosen& chosen) const { return chosen.trace->attention.queries; }
  const Variable& keys_of(const Chosen& chosen) const { return chosen.trace->attention.keys; }
  // Rows [begin, end) of a head.
  void compute(const Chosen& chosen, Index begin, Index end, Matrix weights) const;

  Index heads_, sequence_;
  Arena& arena_;
  const AttentionExample& example_;
  const std::vector<std::string>& predicts_;
  std::vector<Chosen> chosen_;
};

class AttentionTracer {
 public:
  virtual ~AttentionTracer() = default;
  virtual const Tokenizer& source_tokenizer() const = 0;
  // The tokens of a text as the model reads it, with the special tokens around it, at most length().
  virtual SourceIds source(std::string_view text) const = 0;
  // How many texts a line holds, with a TAB between two.
  virtual Texts texts() const { return Texts::one; }
  virtual std::int64_t length() const = 0;  // positions of the model
  // Set where the model's decoder reads a translation; else null, and an example has a source alone.
  virtual const LoadedTranslator* translator() const { return nullptr; }
  // Throws UsageError where the model has no such layer, head or kind.
  virtual void check(const AttentionSelection& selection) const = 0;
  // use(i, heads) for each example in order, of forward passes over some or all of them at once; an example
  // has the weights that it has alone.
  using UseHeads = std::function<void(std::size_t example, const AttentionHeads& heads)>;
  virtual void visit(Arena& arena, std::span<const AttentionExample> examples,
                     const AttentionSelection& selection, const UseHeads& use) const = 0;
  std::vector<AttentionRecord> trace(Arena& arena, const AttentionExample& example,
                                     const AttentionSelection& selection) const;
};

// --- For tracers -------------------------------------------------------------------------------------------

// Throws UsageError "--what value: the model has ..." where value is not in [0, count).
void check_below(std::string_view what, std::int64_t value, std::int64_t count);
// The token that each row of logits stands for, but for the suppressed ones; an output layer may have room
// for more tokens than the tokenizer has.
std::vector<std::string> likeliest_tokens(const Matrix& logits, const Tokenizer& tokenizer,
                                          const std::vector<std::int32_t>& suppress_tokens = {});
// A sequence an example: the ids that `member` names.
PackedTokens packed(std::span<const AttentionExample> examples,
                    std::vector<std::int32_t> AttentionExample::*member);

}  // namespace headwater
