#include "tools/attn-dump/attn_dump.hpp"

#include <filesystem>

#include "cli/tool.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"

namespace headwater::attn_dump {

LinesBeside::LinesBeside(std::string what, const std::string& lines, cli::LineReaderSettings settings,
                         May may)
    : what_(std::move(what)), name_(lines) {
  settings = cli::beside(std::move(settings), "give one column of " + what_ + "s, with cut -f");
  if (may == May::be_a_file || lines == "-" || is_there(lines))
    reader_ = std::make_unique<cli::LineReader>(std::vector<std::string>{lines}, settings);
}

std::string LinesBeside::next(const std::string& source_place) {
  std::string_view line;
  const bool is_there = reader_ ? reader_->next(line) : used_ == 0;
  if (!is_there) {
    throw Error(source_place + ": no " + what_ + " for this line, " + described() + " has " +
                std::to_string(used_) + " (" +
                (reader_ ? "" : "no file is called " + quote(name_) + ", so it was read as the text; ") +
                "one line for each source line)");
  }
  ++used_;
  return reader_ ? std::string(line) : name_;
}

void LinesBeside::finish(std::int64_t sources, bool is_quiet) {
  if (!reader_) {
    if (!is_quiet && name_.find(' ') == std::string::npos)
      cli::note("no file is called " + quote(name_) + ", so it was read as the text");
    return;
  }
  if (std::string_view line; reader_->next(line)) {
    throw Error(reader_->place() + ": a " + what_ + " without a source, there are " +
                std::to_string(sources) + " (one line for each source line)");
  }
  if (!is_quiet) reader_->note_dropped();
}

}  // namespace headwater::attn_dump
