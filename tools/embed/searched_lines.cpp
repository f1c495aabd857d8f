// The lines that are searched: read, embedded, and what was found as text.
#include <algorithm>
#include <optional>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/embed/embed.hpp"

namespace headwater::embed {
namespace {

// Field `column` of the line, from 1.
std::string field_of(const std::string& line, std::int64_t column, const std::string& place) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < column; ++i) {
    const std::size_t tab = line.find('\t', begin);
    if (tab == line.npos) {
      throw Error(place + ": " + counted(i, "column") + ", --nearest-column reads column " +
                  std::to_string(column) + " (columns are separated by one TAB)");
    }
    begin = tab + 1;
  }
  return line.substr(begin, line.find('\t', begin) - begin);
}

}  // namespace

SearchedLines::SearchedLines(const Options& o, TextEmbeddings& embeddings)
    : o_(o), search_(embeddings.width()) {
  std::optional<SavedVectors> saved;
  if (!o.vectors.empty()) saved.emplace(o, embeddings.width());
  const bool is_of_input = o.nearest.empty();
  cli::LineReaderSettings settings = o.reader;
  if (!is_of_input) settings = cli::beside(o.reader, "say --nearest-column N, or turn TABs into spaces");
  if (o.nearest_column > 0) {
    settings.refuses_tabs = false;
    settings.has_columns = true;
  }
  cli::LineReader reader(is_of_input ? o.inputs : std::vector{o.nearest.string()}, settings);
  reader.for_each_batch(o.batch, [&](const std::vector<std::string>& lines) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < lines.size() && o.nearest_column > 0; ++i)
      texts.push_back(field_of(lines[i], o.nearest_column, reader.place(i)));
    const std::vector<std::string>& searched = o.nearest_column > 0 ? texts : lines;
    if (!saved) search_.add(embeddings.vectors(searched).vectors);
    for (std::size_t i = 0; saved && i < searched.size(); ++i) {
      if (saved->compares(count_ + static_cast<std::int64_t>(i))) saved->add(searched[i], reader.place(i));
    }
    if (!o.has_ids) lines_.insert(lines_.end(), lines.begin(), lines.end());
    count_ += std::ssize(lines);
  });
  if (count_ == 0 && !is_of_input) throw Error(shown(o.nearest) + ": has no lines (give one at least)");
  if (saved) saved->read(count_, embeddings, search_);
  if (is_of_input && !o.is_quiet) reader.note_dropped();
}

void SearchedLines::append(std::string& out, std::int64_t line, const VectorSearch::Match& match) const {
  out += std::to_string(line) + "\t" + (o_.has_ids ? shortest(match.cosine) : format_fixed(match.cosine, 4)) +
         "\t" + std::to_string(match.row + 1);
}

std::string SearchedLines::nearest(ConstMatrix vectors, std::int64_t lines_before) const {
  std::string out;
  const std::vector<std::vector<VectorSearch::Match>> found = search_.nearest(vectors, o_.top_k);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const VectorSearch::Match& match : found[i]) {
      append(out, lines_before + static_cast<std::int64_t>(i) + 1, match);
      if (!o_.has_ids) out += "\t" + lines_[match.row];
      out.push_back('\n');
    }
  }
  return out;
}

void SearchedLines::for_each_duplicates(const std::function<void(std::string_view)>& take) const {
  constexpr Index kLinesAtOnce = 64;  // each may have as many as there are lines
  for (Index begin = 0; begin < search_.size(); begin += kLinesAtOnce) {
    const Index end = std::min(search_.size(), begin + kLinesAtOnce);
    const auto pairs = search_.pairs(begin, end, *o_.duplicates);
    for (Index line = begin; line < end; ++line) {
      std::string out;
      for (const VectorSearch::Match& match : pairs[line - begin]) {
        append(out, line + 1, match);
        if (!o_.has_ids) {
          out += "\t" + lines_[line] + "\t" + lines_[match.row];
        }
        out.push_back('\n');
      }
      take(out);
    }
  }
}

}  // namespace headwater::embed
