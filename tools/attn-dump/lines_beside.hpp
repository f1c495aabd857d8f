// A line for each line of text: the targets that decoding is forced to, alignments that people made.
#pragma once

#include <memory>
#include <string>

#include "cli/lines.hpp"

namespace headwater::attn_dump {

class LinesBeside {
 public:
  enum class May { be_a_file, be_text_too };
  // The lines of a file, or where no file is called so and it may, the one line `lines` itself. `what`:
  // "target", whose option is --target. Throws Error where there is no such file.
  LinesBeside(std::string what, const std::string& lines, cli::LineReaderSettings settings, May may);
  // Throws Error, with the place of the line of text, where there is none.
  std::string next(const std::string& source_place);
  // After the last line of text; throws Error where one is left.
  void finish(std::int64_t sources, bool is_quiet);
  // That of the line returned last.
  std::string place() const { return reader_ ? reader_->place() : "--" + what_; }

 private:
  std::string described() const { return reader_ ? name_ : "--" + what_; }
  std::string what_, name_;
  std::unique_ptr<cli::LineReader> reader_;
  std::int64_t used_ = 0;
};

}  // namespace headwater::attn_dump
