// The choice of the next token, which stands after the model, and which tokens it may not be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/generation_settings.hpp"
#include "decoding/step_output.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

// The rows of a step, one a sequence.
struct StepRows {
  const StepOutput& output;
  kernels::BannedColumns banned;  // what may not be chosen
  RowCandidates candidates = {};
  std::span<const std::uint64_t> numbers;  // whose random numbers each row draws
  // What each row has read, prompt and all; empty where reads_texts() is false.
  std::span<const std::span<const std::int32_t>> texts = {};
  std::int64_t new_tokens = 0;  // generated before this step
};

// What was chosen for a row: -1 where nothing may be. The log-probability is 0 where the choice knows none.
struct Chosen {
  std::int32_t id = -1;
  double log_probability = 0;
};

class NextToken {
 public:
  virtual ~NextToken() = default;
  virtual bool reads_texts() const { return false; }
  // One for each row. From any thread.
  virtual void choose(const StepRows& rows, std::span<Chosen> chosen) const = 0;
};

// Hears of each token as soon as it is chosen.
class TokenListener {
 public:
  virtual ~TokenListener() = default;
  // `ids`: what follows prompt number `prompt` so far; the last one is new and not the end token. False: the
  // text ends here. From any thread, one at a time for a prompt.
  virtual bool goes_on(std::size_t prompt, std::span<const std::int32_t> ids) = 0;
};

// How texts are continued token by token.
struct TokenByToken {
  const NextToken& next_token;
  std::span<const std::uint64_t> numbers = {};  // of each prompt, whose random numbers it draws; or none
  TokenListener* listener = nullptr;            // or none
};

// The most likely token at each step.
class Greedy : public NextToken {
 public:
  // The first of equal logits wins.
  explicit Greedy(bool wants_scores) : wants_scores_(wants_scores) {}
  void choose(const StepRows& rows, std::span<Chosen> chosen) const override;

 private:
  bool wants_scores_;
};

// The tokens that a step's rows may not choose: clear(), then add() each row's text in order, then columns().
// Its memory is kept.
class TokenBans {
 public:
  explicit TokenBans(const GenerationSettings& settings);

  bool reads_texts() const;
  // For rows that have `new_tokens` generated ones.
  void clear(std::int64_t new_tokens);
  // `text`: what the row has read, prompt and all; may be empty where texts are not read. `others`: what it
  // may not choose besides.
  void add(std::span<const std::int32_t> text, std::span<const std::int32_t> others = {});
  // Valid until the next call.
  kernels::BannedColumns columns() const;

 private:
  void add_repeated(std::span<const std::int32_t> text);
  void add_sequences(std::span<const std::int32_t> text);

  const GenerationSettings& settings_;
  std::int64_t new_tokens_ = 0;
  std::vector<std::int32_t> ends_, suppressed_, suppressed_with_end_;
  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
};

}  // namespace headwater
