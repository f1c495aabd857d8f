#include "tools/translate/prefixes.hpp"

#include "support/error.hpp"

namespace headwater::translate {

Prefixes::Prefixes(const std::string& path, cli::LineReaderSettings settings)
    : path_(path),
      reader_({path}, cli::beside(std::move(settings), "give one column of prefixes, with cut -f")) {}

const std::vector<std::string>& Prefixes::next(const cli::LineReader& texts, std::size_t lines) {
  lines_.clear();
  while (lines_.size() < lines) {
    std::string_view line;
    if (!reader_.next(line)) {
      throw Error(texts.place(lines_.size()) + ": no prefix for this line, " + path_ +
                  " ended before (one line for each line of text; an empty one for none)");
    }
    lines_.emplace_back(line);
  }
  return lines_;
}

void Prefixes::finish() {
  if (std::string_view line; reader_.next(line))
    throw Error(reader_.place() + ": a prefix without a text (one line for each line of text)");
}

}  // namespace headwater::translate
