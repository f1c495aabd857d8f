#include "pipeline/lines_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

class LinesCheck {
 public:
  LinesCheck(const fs::path& file, const std::vector<std::string>& columns, bool may_be_plain)
      : file_(file), columns_(columns), wanted_(columns.size()), may_be_plain_(may_be_plain) {}

  void take(std::string_view line);
  std::vector<std::string> end() const;

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what) const {
    throw Error(file_.string() + place + ": " + what);
  }
  [[noreturn]] void refuse_bytes(std::string_view line, std::size_t at) const;
  [[noreturn]] void refuse_columns() const;

  const fs::path& file_;
  const std::vector<std::string>& columns_;
  std::size_t wanted_;
  bool may_be_plain_;
  std::int64_t number_ = 0, returns_ = 0, bad_ = 0, first_bad_ = 0;
  std::size_t found_ = 0;  // columns of the first bad line
  bool has_mark_ = false, has_text_ = false, looks_like_csv_ = false;
};

void LinesCheck::take(std::string_view line) {
  if (++number_ == 1) {
    const std::string_view rest = without_byte_order_mark(line);
    has_mark_ = rest.size() < line.size();
    line = rest;
  }
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
    ++returns_;
  }
  const std::size_t invalid = std::min(find_invalid_utf8(line), line.find('\0'));
  if (invalid != line.npos) refuse_bytes(line, invalid);
  const std::size_t fields = line.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(line, '\t')) + 1;
  if (number_ == 1 && may_be_plain_ && fields == 1) wanted_ = 1;
  if (fields != wanted_ && !(fields == 0 && wanted_ == 1) && bad_++ == 0) {
    first_bad_ = number_;
    found_ = fields;
    looks_like_csv_ = fields == 1 && line.find_first_of(",;") != line.npos;
  }
  has_text_ = has_text_ || line.find_first_not_of(" \t") != line.npos;
}

// With the place in the user's own file.
void LinesCheck::refuse_bytes(std::string_view line, std::size_t at) const {
  const auto byte = static_cast<unsigned char>(line[at]);
  std::string cure = "convert it: iconv -f WINDOWS-1252 -t UTF-8, if that is what it is";
  if (number_ == 1 && at == 0 && byte >= 0xFE)
    cure = "it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it";
  if (number_ == 1 && at == 1 && byte == 0x8B) cure = "it looks packed: gzip -d unpacks it";
  std::array<char, 16> hexadecimal{};
  static_cast<void>(std::snprintf(hexadecimal.data(), hexadecimal.size(), "0x%02x", byte));
  refuse(":" + std::to_string(number_) + ":" + std::to_string(count_code_points(line.substr(0, at)) + 1),
         byte == 0 ? "a NUL byte (tr -d '\\000' removes such)"
                   : "invalid UTF-8 at byte " + std::string(hexadecimal.data()) + " (" + cure + ")");
}

void LinesCheck::refuse_columns() const {
  std::string names;
  for (std::size_t i = 0; i < std::max<std::size_t>(wanted_, 1); ++i)
    names += (i == 0 ? "" : ", ") + columns_[i];
  std::string cure = "set them apart by one TAB";
  if (looks_like_csv_) cure += ", or set data.csv_columns if this is a CSV file";
  if (found_ > wanted_) cure = "turn a TAB inside a text into a space";
  if (found_ == 0) cure = "remove it";
  const std::string wanted = wanted_ == 1 ? "1 is" : std::to_string(wanted_) + " are";
  refuse(":" + std::to_string(first_bad_),
         (found_ == 0 ? "an empty line" : counted(static_cast<std::int64_t>(found_), "column")) + " where " +
             wanted + " wanted (" + names + ")" +
             (bad_ > 1 ? ", and " + counted(bad_ - 1, "more line") + " like it" : "") + "; " + cure);
}

std::vector<std::string> LinesCheck::end() const {
  if (bad_ > 0) refuse_columns();
  if (!has_text_)
    refuse("", "there is nothing in it (take its key out of the recipe, or put lines into the file)");
  std::vector<std::string> notes;
  if (has_mark_) notes.push_back(file_.string() + " began with a byte-order mark; it was dropped");
  if (returns_ > 0)
    notes.push_back(file_.string() + ": " + counted(returns_, "line") +
                    " ended in CR LF; the CR was dropped");
  return notes;
}

}  // namespace

std::vector<std::string> check_lines(const fs::path& file, const std::vector<std::string>& columns,
                                     bool may_be_plain) {
  LinesCheck check(file, columns, may_be_plain);
  std::string begun;
  for_each_piece(file, [&](std::string_view piece) {
    for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
      if (begun.empty()) {
        check.take(piece.substr(0, end));
      } else {
        check.take(begun.append(piece, 0, end));
        begun.clear();
      }
      piece.remove_prefix(end + 1);
    }
    begun += piece;
  });
  if (!begun.empty()) check.take(begun);
  return check.end();
}

}  // namespace headwater
