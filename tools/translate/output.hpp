// The lines of translate, and what the translation of each begins with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "decoding/translate.hpp"

namespace headwater::translate {

struct OutputForm {
  bool has_numbers = false;     // number of the line, from 1, and score, before the text
  bool has_scores = false;      // log-probability of the text, and of its tokens, after it
  bool has_alignments = false;  // "0-0 2-1": source and target token, from 0
  bool is_json = false;         // an object a line
};

class Output {
 public:
  Output(const OutputForm& form, const LoadedTranslator& model) : form_(form), model_(model) {}
  // Those of the next line, which is `source`.
  void write(const Translations& translations, const std::string& source);
  void flush() { writer_.flush(); }

 private:
  std::string json_of(const Translation& translation, std::size_t rank, const std::string& source) const;
  void add_columns(const Translation& translation);  // to text_

  OutputForm form_;
  const LoadedTranslator& model_;
  cli::LineWriter writer_;
  std::int64_t line_ = 0;
  std::string text_;
};

// A line for each line of text.
class Prefixes {
 public:
  Prefixes(const std::string& path, cli::LineReaderSettings settings);
  // The prefixes of the lines that `texts` gave last. Throws Error at the first that has none.
  const std::vector<std::string>& next(const cli::LineReader& texts, std::size_t lines);
  // Throws Error where one is left.
  void finish();

 private:
  std::string path_;
  cli::LineReader reader_;
  std::vector<std::string> lines_;
};

}  // namespace headwater::translate
