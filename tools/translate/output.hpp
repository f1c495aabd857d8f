// The lines of translate.
#pragma once

#include "cli/lines.hpp"
#include "decoding/translate.hpp"

namespace headwater::translate {

struct OutputColumns {
  bool has_numbers = false;     // number of the line, from 1, and score, before the text
  bool has_scores = false;      // log-probability of the text, and of its tokens, after it
  bool has_alignments = false;  // "0-0 2-1": source and target token, from 0
};

class Output {
 public:
  explicit Output(const OutputColumns& columns) : columns_(columns) {}
  // Those of the next line.
  void write(const Translations& translations);
  void flush() { writer_.flush(); }

 private:
  OutputColumns columns_;
  cli::LineWriter writer_;
  std::int64_t line_ = 0;
  std::string text_;
};

}  // namespace headwater::translate
