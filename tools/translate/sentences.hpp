// Lines that are translated sentence by sentence.
#pragma once

#include <string>
#include <vector>

#include "decoding/translate.hpp"
#include "tools/translate/required.hpp"

namespace headwater::translate {

class SentencesOfLines {
 public:
  // No sentence ends within what --keep finds.
  SentencesOfLines(const std::vector<std::string>& lines, const Required& required);
  const std::vector<std::string>& sentences() const { return sentences_; }
  std::size_t line_of(std::size_t sentence) const { return line_of_[sentence]; }
  // The best translations of all sentences -> one of each line, with what stood around its sentences.
  std::vector<Translations> joined(const std::vector<Translations>& of_sentences) const;

 private:
  std::vector<std::string> sentences_, before_, ends_;  // before_: each sentence; ends_: of each line
  std::vector<std::size_t> line_of_;
};

}  // namespace headwater::translate
