// The lines of generate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "decoding/generate.hpp"

namespace headwater::generate {

struct OutputForm {
  bool has_prompts = false;    // the prompt before the continuation
  bool has_scores = false;     // log-probability of the text, and of its tokens, after it
  bool is_json = false;        // an object a line
  bool has_line_ends = false;  // those of a continuation stay
  bool is_streaming = false;   // each text is written while it grows
  std::string separator = {};  // between prompt and continuation, where they are texts of their own
};

class Output : public ContinuationListener {
 public:
  Output(const OutputForm& form, const Tokenizer& tokenizer) : form_(form), tokenizer_(tokenizer) {}
  // The prompts of what is written next; `first`: the number of the first line, from 0.
  void begin_lines(const std::vector<std::string>& lines, std::uint64_t first);
  void write(const Continuation& continuation);
  void flush() { writer_.flush(); }

  void works() override { cli::end_if_output_is_closed(); }
  void begins(std::size_t line) override;
  void grows(std::string_view text) override;

 private:
  std::string json_of(const Continuation& continuation) const;
  void add(std::string_view text);  // to text_, such that a line stays a line

  OutputForm form_;
  Tokenizer tokenizer_;
  cli::LineWriter writer_;
  const std::vector<std::string>* lines_ = nullptr;
  std::uint64_t first_ = 0;
  std::string text_;
};

}  // namespace headwater::generate
