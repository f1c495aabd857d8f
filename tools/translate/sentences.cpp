#include "tools/translate/sentences.hpp"

#include <algorithm>
#include <string_view>

#include "support/error.hpp"
#include "text/unicode/sentences.hpp"

namespace headwater::translate {

SentencesOfLines::SentencesOfLines(const std::vector<std::string>& lines, const Required& required) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    std::vector<TextSpan> kept;
    try {
      kept = required.kept(line);
    } catch (const Error& error) {
      throw LineError(i, error.what());
    }
    std::vector<TextSpan> spans;
    for (const std::string_view sentence : sentences_of(line)) {
      const std::size_t begin = sentence.data() - line.data();
      const auto is_cut = [&](const TextSpan& k) {
        return !spans.empty() && k.begin < begin && spans.back().end < k.end;
      };
      if (std::ranges::any_of(kept, is_cut)) {
        spans.back().end = begin + sentence.size();
      } else {
        spans.push_back({begin, begin + sentence.size()});
      }
    }
    std::size_t end = 0;
    for (const TextSpan& span : spans) {
      before_.emplace_back(line.substr(end, span.begin - end));
      sentences_.emplace_back(line.substr(span.begin, span.end - span.begin));
      line_of_.push_back(i);
      end = span.end;
    }
    ends_.emplace_back(spans.empty() ? "" : line.substr(end));
  }
}

std::vector<Translations> SentencesOfLines::joined(const std::vector<Translations>& of_sentences) const {
  std::vector<Translations> lines(ends_.size(), Translations(1));
  for (std::size_t i = 0; i < of_sentences.size(); ++i) {
    Translation& line = lines[line_of_[i]].front();
    line.text += before_[i] + of_sentences[i].front().text;
    line.is_truncated |= of_sentences[i].front().is_truncated;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].front().text += ends_[i];
  return lines;
}

}  // namespace headwater::translate
