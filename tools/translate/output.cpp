#include "tools/translate/output.hpp"

#include "support/numbers.hpp"

namespace headwater::translate {

void Output::write(const Translations& translations) {
  constexpr int kDigits = 6;
  ++line_;
  for (const Translation& t : translations) {
    text_.clear();
    if (columns_.has_numbers)
      text_ += std::to_string(line_) + '\t' + format_fixed(t.hypothesis.score, kDigits) + '\t';
    for (const char c : t.text) text_ += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    if (columns_.has_scores) {
      text_ += '\t' + format_fixed(t.hypothesis.log_probability, kDigits);
      char separator = '\t';
      if (t.hypothesis.token_log_probabilities.empty()) text_ += separator;
      for (const double of_token : t.hypothesis.token_log_probabilities) {
        text_ += separator + format_fixed(of_token, kDigits);
        separator = ' ';
      }
    }
    if (columns_.has_alignments) {
      text_ += '\t';
      for (std::size_t i = 0; i < t.source_of.size(); ++i)
        text_ += (i == 0 ? "" : " ") + std::to_string(t.source_of[i]) + '-' + std::to_string(i);
    }
    writer_.line(text_);
  }
}

}  // namespace headwater::translate
