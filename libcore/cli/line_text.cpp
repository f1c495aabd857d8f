#include "cli/line_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/tool.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater::cli {

namespace {

constexpr std::string_view kWanted = R"({"text": "..."})";

// Keeps the member `text` of the outermost object.
class TextMember : public JsonEvents {
 public:
  TextMember(std::string_view line, const std::string& place) : line_(line), place_(place) {}

  void null(std::size_t at) override { other(at); }
  void boolean(std::size_t at, bool) override { other(at); }
  void integer(std::size_t at, std::int64_t) override { other(at); }
  void unsigned_integer(std::size_t at, std::uint64_t) override { other(at); }
  void number(std::size_t at, double) override { other(at); }
  void string(std::size_t at, std::string value) override {
    if (!is_text_) return other(at);
    text_ = std::move(value);
    is_text_ = false;
  }
  void begin_object(std::size_t at) override {
    if (depth_ > 0) other(at);
    ++depth_;
  }
  void key(std::size_t at, std::string name) override {
    is_text_ = depth_ == 1 && name == "text";
    if (is_text_ && text_) fail(at, "member \"text\" occurs twice");
  }
  void end_object(std::size_t) override { --depth_; }
  void begin_array(std::size_t at) override {
    other(at);
    ++depth_;
  }
  void end_array(std::size_t) override { --depth_; }

  std::string take() {
    if (!text_) fail(0, "no member \"text\"");
    return std::move(*text_);
  }

  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    throw Error(place_ + ":" + std::to_string(count_code_points(line_.substr(0, at)) + 1) + ": " +
                std::string(what) + " (each line is an object: " + std::string(kWanted) + ")");
  }

 private:
  // A value that is not the text.
  void other(std::size_t at) const {
    if (depth_ == 0) fail(at, "no object");
    if (is_text_) fail(at, "\"text\" is no string");
  }

  std::string_view line_;
  const std::string& place_;
  std::size_t depth_ = 0;
  bool is_text_ = false;  // the next value is
  std::optional<std::string> text_;
};

}  // namespace

std::string text_of_json(std::string_view line, const std::string& place) {
  TextMember member(line, place);
  if (line.empty()) member.fail(0, "an empty line");
  try {
    read_json(line, place, member);
  } catch (const JsonError& error) {
    member.fail(error.at, error.problem);
  }
  return member.take();
}

// ASCII eight bytes at a time.
std::size_t find_bad_byte(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = 0x8080808080808080u;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      if (((word | (word - kOnes)) & kHigh) != 0) break;  // a high bit, or a zero byte (it borrows)
      at += 8;
    }
    const std::size_t stop = std::min(text.size(), at + 8);
    while (at < stop) {
      const unsigned char byte = static_cast<unsigned char>(text[at]);
      const std::size_t length = byte < 0x80 ? (byte != 0 ? 1 : 0) : utf8_sequence_length(text.substr(at));
      if (length == 0) return at;
      at += length;
    }
  }
  return std::string_view::npos;
}

std::string name_of_bad_byte(char bad) {
  if (bad == '\0') return "a NUL byte";
  constexpr char kHex[] = "0123456789abcdef";
  const unsigned char byte = static_cast<unsigned char>(bad);
  std::string name = "invalid UTF-8 at byte 0x";
  name += kHex[byte >> 4];
  name += kHex[byte & 15];
  return name;
}

std::string_view cure_of_file(std::string_view first_line) {
  const bool is_utf16 = first_line.starts_with("\xFF\xFE") || first_line.starts_with("\xFE\xFF");
  return is_utf16 ? "it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it" : std::string_view();
}

std::string with_bad_bytes_replaced(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t bad = find_bad_byte(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    append_utf8(out, U'\uFFFD');
    text.remove_prefix(bad + 1);
  }
}

void LineNotes::say() const {
  for (const std::string& of_file : csv) note(of_file);
  if (!csv_like.empty()) warn(csv_like + "; " + csv_fix);
  if (!only_cr.empty())
    warn(only_cr + ": one line, with CRs inside; LF ends lines (tr '\\r' '\\n' makes such ends of CRs)");
  if (marked_files > 0) {
    const auto more = static_cast<std::int64_t>(marked_files) - 1;
    note(first_marked + (more > 0 ? " and " + counted(more, "other file") : "") +
         " began with a byte-order mark; it was dropped");
  }
  if (crlf_lines > 0)
    note(counted(static_cast<std::int64_t>(crlf_lines), "line") +
         (has_crlf_columns ? " with CR at the end of a column" : " ended in CR LF") + "; the CR was dropped");
}

}  // namespace headwater::cli
