// Text to more text with a language model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoder.hpp"
#include "decoding/growing_text.hpp"
#include "decoding/sampling.hpp"
#include "families/language_model/directory.hpp"
#include "support/token_counts.hpp"

namespace headwater {

struct TextGeneratorSettings {
  // max_new_tokens 0: max_length of the model's files.
  GenerationSettings generation = {.search = {.max_new_tokens = 64}};
  std::optional<double> repetition_penalty = {};  // none: what the model's files say; 1: no penalty
  std::int64_t samples = 1;                       // continuations of a prompt; more than 1: of sampling
  std::vector<std::string> stop = {};             // a continuation ends before the first of these
  bool has_start = false;                         // the start token stands before each prompt
};

// What the model's files say, and so many new tokens where they say no length.
DecodingSettings decoding_of_files(const GenerationConfig& config);

// What may be generated with this model.
GenerationSettings generation_settings(const LoadedLanguageModel& model,
                                       const TextGeneratorSettings& settings);

enum class TextEnd {
  end,    // the end token
  stop,   // one of the stop texts
  length  // as many tokens as may be, or no other token may follow
};

struct Continuation {
  std::size_t line, sample;    // line: of those that were given; both from 0
  std::string text = {};       // put right after the prompt it gives the whole text
  Hypothesis hypothesis = {};  // the tokens that the text was made from
  TextEnd end = TextEnd::length;
  bool is_truncated = false;  // not every token of the prompt was read
};

// Hears of continuations while they are made.
class ContinuationListener {
 public:
  virtual ~ContinuationListener() = default;
  // Now and then; from any thread.
  virtual void works() {}
  // Called where texts are continued one by one: one begins; it grows by so much, whole characters.
  virtual void begins(std::size_t /*line*/) {}
  virtual void grows(std::string_view /*text*/) {}
};

class TextGenerator {
 public:
  TextGenerator(const LoadedLanguageModel& model, const TextGeneratorSettings& settings);

  // Calls use() for each continuation, in order: the samples of the first line, then those of the next. Any
  // grouping of lines into calls, and any `batch`, how many are made side by side, gives the same text.
  // Throws LineError where a line has no token and there is no start token, nor a line end, to begin with,
  // after the lines before it.
  void continue_lines(const std::vector<std::string>& lines, std::size_t batch,
                      ContinuationListener& listener, const std::function<void(const Continuation&)>& use);

  // Lines of which not every token was read: the end of each of a model that reads a delimiter after them,
  // else the beginning.
  const TruncatedLines& truncated_lines() const { return truncated_lines_; }
  const TokenCounts& prompt_tokens() const { return prompt_tokens_; }

 private:
  struct Prompt {
    std::vector<std::int32_t> ids;
    std::size_t context = 0;  // how many of its last ids the continuation follows as text
    bool is_truncated = false;
  };
  std::size_t max_prompt_ids() const;
  Prompt prompt_of(const std::string& line) const;
  void continue_rows(std::span<const Prompt> prompts, std::size_t first_row, std::size_t rows,
                     ContinuationListener& listener, const std::function<void(const Continuation&)>& use);

  const LoadedLanguageModel& model_;
  TextGeneratorSettings settings_;
  GenerationSettings generation_;
  StopTexts stops_;
  std::optional<Sampler> sampler_;
  Decoder decoder_;
  std::uint64_t lines_ = 0;  // given before: each draws its own random numbers
  TruncatedLines truncated_lines_;
  TokenCounts prompt_tokens_;
};

}  // namespace headwater
