// Lines that are translated sentence by sentence.
#pragma once

#include <string>
#include <vector>

#include "decoding/translate.hpp"

namespace headwater::translate {

class SentencesOfLines {
 public:
  explicit SentencesOfLines(const std::vector<std::string>& lines);
  const std::vector<std::string>& sentences() const { return sentences_; }
  std::size_t line_of(std::size_t sentence) const { return line_of_[sentence]; }
  // The best translations of all sentences -> one of each line, with what stood between its sentences.
  std::vector<Translations> joined(const std::vector<Translations>& of_sentences) const;
  // What is required of each sentence -> of each line.
  std::vector<RequiredTexts> joined(const std::vector<RequiredTexts>& of_sentences) const;

 private:
  std::size_t lines_;
  std::vector<std::string> sentences_, before_;  // before_: what stood between a sentence and the last one
  std::vector<std::size_t> line_of_;
};

}  // namespace headwater::translate
