// The words that a masked language model puts in the places of [MASK] in texts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "families/masked_lm/directory.hpp"
#include "layers/packed_weights.hpp"
#include "support/token_counts.hpp"
#include "tensor/arena.hpp"

namespace headwater {

struct MaskCandidate {
  std::int32_t id = 0;
  float probability = 0;
};

// One mask: the likeliest tokens, the likeliest first; of equals the one with the lower id.
using MaskCandidates = std::vector<MaskCandidate>;

class MaskFiller {
 public:
  struct Settings {
    std::int64_t top_k = 5;       // candidates of each mask; 0: all
    bool allows_unknown = false;  // whether the unknown token may be one; other special ones never are
    ComputeType compute_type = ComputeType::float32;  // of the blocks of the encoder
  };
  // A candidate's probability is the model's own, over all tokens of the vocabulary; several masks of a text
  // are each told by themselves.
  using Use = std::function<void(std::size_t line, std::span<const MaskCandidates> masks)>;

  MaskFiller(const LoadedMaskedLm& model, const Settings& settings);

  // use(line, ...) for each line, in their order. Any grouping of lines into calls gives the same bits. What
  // is longer than the model is cut off and the line counted. Throws LineError for a line without a mask, and
  // for one whose masks are cut off, after the lines before it.
  void fill(const std::vector<std::string>& lines, const Use& use);

  // Whether some of the line of use() was cut off.
  bool is_truncated(std::size_t line) const { return texts_[line].is_truncated; }
  const TruncatedLines& truncated_lines() const { return truncated_lines_; }
  const TokenCounts& tokens() const { return tokens_; }  // of the lines, without what was cut off

 private:
  void encode(const std::vector<std::string>& lines);
  void check(std::size_t line) const;
  // The lines from `begin` to `end`, which batch_ holds.
  void run_batch(std::size_t begin, std::size_t end, const Use& use);
  void choose(const Real* probabilities, MaskCandidates& best) const;

  const LoadedMaskedLm& model_;
  Settings settings_;
  std::unique_ptr<PackedWeights> packed_;  // of int8
  std::vector<std::int32_t> words_;        // ids that may be candidates
  std::vector<MaskedIds> texts_;           // of each line
  std::vector<MaskCandidates> found_;      // of each mask of a batch
  MaskedBatch batch_;
  Arena arena_;
  std::int64_t lines_ = 0;  // of the calls before
  TruncatedLines truncated_lines_;
  TokenCounts tokens_;
};

}  // namespace headwater
