#include "cli/json_text.hpp"

#include <optional>
#include <utility>

#include "support/json.hpp"
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

}  // namespace headwater::cli
