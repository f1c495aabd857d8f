#include "tools/translate/sentences.hpp"

#include <string_view>

#include "text/unicode/sentences.hpp"

namespace headwater::translate {

SentencesOfLines::SentencesOfLines(const std::vector<std::string>& lines) : lines_(lines.size()) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char* end = nullptr;  // of the sentence before
    for (const std::string_view sentence : sentences_of(lines[i])) {
      before_.emplace_back(end == nullptr ? "" : std::string(end, sentence.data()));
      sentences_.emplace_back(sentence);
      line_of_.push_back(i);
      end = sentence.data() + sentence.size();
    }
  }
}

std::vector<Translations> SentencesOfLines::joined(const std::vector<Translations>& of_sentences) const {
  std::vector<Translations> lines(lines_, Translations(1));
  for (std::size_t i = 0; i < of_sentences.size(); ++i) {
    Translation& line = lines[line_of_[i]].front();
    line.text += before_[i] + of_sentences[i].front().text;
    line.is_truncated |= of_sentences[i].front().is_truncated;
  }
  return lines;
}

std::vector<RequiredTexts> SentencesOfLines::joined(const std::vector<RequiredTexts>& of_sentences) const {
  std::vector<RequiredTexts> lines(lines_);
  for (std::size_t i = 0; i < of_sentences.size(); ++i) {
    RequiredTexts& line = lines[line_of_[i]];
    line.insert(line.end(), of_sentences[i].begin(), of_sentences[i].end());
  }
  return lines;
}

}  // namespace headwater::translate
