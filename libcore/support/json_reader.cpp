// The reading half of json.hpp: nlohmann's event parser, made strict and given positions.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>  // IWYU pragma: keep
#include <numeric>
#include <string>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"

namespace headwater {

std::string text_position(std::string_view text, std::string_view where, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = 1 + count_code_points(before.substr(line_start));
  return std::string(where) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

namespace {

constexpr std::size_t kMaxDepth = 64;

[[noreturn]] void fail(std::string_view text, std::string_view where, std::size_t at, std::string_view what) {
  throw JsonError(text_position(text, where, at) + ": " + std::string(what), at, std::string(what));
}

// Hands the parser the bytes and tells how many it has taken: its events carry no positions of their own.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *taken_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** taken_;
};

// Turns the parser's events into ours: positions, depth, messages.
class Adapter : public nlohmann::json_sax<nlohmann::json> {
 public:
  Adapter(std::string_view text, std::string_view where, JsonEvents& events)
      : text_(text), where_(where), events_(events), taken_(text.data()) {}

  CountingIterator begin() { return {text_.data(), &taken_}; }
  CountingIterator end() { return {text_.data() + text_.size(), &taken_}; }

  bool null() override { return events_.null(donated() - 4), true; }
  bool boolean(bool value) override { return events_.boolean(donated() - (value ? 4 : 5), value), true; }
  bool number_integer(std::int64_t value) override {
    // Only a number with a minus comes here; an integer has no -0.
    if (value == 0) return events_.number(number_start(), -0.0), true;
    return events_.integer(number_start(), value), true;
  }
  bool number_unsigned(std::uint64_t value) override {
    return events_.unsigned_integer(number_start(), value), true;
  }
  bool number_float(double value, const std::string&) override {
    return events_.number(number_start(), value), true;
  }
  bool string(std::string& value) override { return events_.string(string_start(), std::move(value)), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return enter(), events_.begin_object(donated() - 1), true; }
  bool key(std::string& name) override { return events_.key(string_start(), std::move(name)), true; }
  bool end_object() override { return --depth_, events_.end_object(donated() - 1), true; }
  bool start_array(std::size_t) override { return enter(), events_.begin_array(donated() - 1), true; }
  bool end_array() override { return --depth_, events_.end_array(donated() - 1), true; }

  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& problem) override {
    constexpr int kNumberOverflow = 406;
    if (problem.id == kNumberOverflow)
      fail(text_, where_, number_start(), "a number beyond the range of a double");
    // "[...] parse error at line 1, column 2: syntax error while parsing value - WHAT; last read: '...'"
    std::string what = problem.what();
    if (const auto at = what.find(" - "); at != std::string::npos) what.erase(0, at + 3);
    if (const auto at = what.find("; last read: '"); at != std::string::npos) what.erase(at);
    // `position` bytes were taken; step back to where the token that was not expected begins.
    std::size_t back = 1;
    if (what.starts_with("unexpected end of input")) back = position - std::min(position, text_.size());
    if (what.starts_with("unexpected number") || what.starts_with("unexpected string"))
      back = last_token.size();
    if (what.starts_with("unexpected true") || what.starts_with("unexpected null")) back = 4;
    if (what.starts_with("unexpected false")) back = 5;
    const std::size_t at = position - std::min(position, back);
    fail(text_, where_, std::min(at, text_.size()), "no valid JSON: " + what);
  }

 private:
  std::size_t donated() const { return static_cast<std::size_t>(taken_ - text_.data()); }

  void enter() {
    if (++depth_ > kMaxDepth) {
      fail(text_, where_, donated() - 1, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
  }

  // The parser has taken the closing quote; inside, a quote stands after an odd number of backslashes.
  std::size_t string_start() const {
    std::size_t at = donated() - 1;
    while (at > 0) {
      if (text_[--at] != '"') continue;
      std::size_t first = at;
      while (first > 0 && text_[first - 1] == '\\') --first;
      if ((at - first) % 2 == 0) break;
    }
    return at;
  }

  // The parser has taken the character after the number too, unless the text ends with it.
  std::size_t number_start() const {
    const auto is_part = [](char c) {
      return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    };
    std::size_t at = donated();
    if (at > 0 && !is_part(text_[at - 1])) --at;
    while (at > 0 && is_part(text_[at - 1])) --at;
    return at;
  }

  std::string_view text_, where_;
  JsonEvents& events_;
  const char* taken_;
  std::size_t depth_ = 0;
};

// Builds the tree. Open containers lie on a stack; a value goes into the last one.
class TreeBuilder : public JsonEvents {
 public:
  TreeBuilder(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Json take() { return std::move(root_); }

  void null(std::size_t) override { add(Json()); }
  void boolean(std::size_t, bool value) override { add(Json(value)); }
  void integer(std::size_t, std::int64_t value) override { add(Json(value)); }
  void unsigned_integer(std::size_t, std::uint64_t value) override {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      add(Json(static_cast<std::int64_t>(value)));
    } else {
      add(Json(value));
    }
  }
  void number(std::size_t, double value) override { add(Json(value)); }
  void string(std::size_t, std::string value) override { add(Json(std::move(value))); }
  void begin_object(std::size_t) override { open_.push_back({Json(Json::Object{}), {}}); }
  void begin_array(std::size_t) override { open_.push_back({Json(Json::Array{}), {}}); }
  void key(std::size_t at, std::string name) override {
    open_.back().value.as_object().emplace_back(std::move(name), Json());
    open_.back().key_offsets.push_back(at);
  }
  void end_object(std::size_t) override {
    check_names(open_.back());
    close();
  }
  void end_array(std::size_t) override { close(); }

 private:
  struct Open {
    Json value;
    std::vector<std::size_t> key_offsets;
  };

  void add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Json& parent = open_.back().value; parent.is_object()) {
      parent.as_object().back().second = std::move(value);
    } else {
      parent.as_array().push_back(std::move(value));
    }
  }

  void close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(value));
  }

  void check_names(const Open& open) const {
    const Json::Object& members = open.value.as_object();
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int compared = members[a].first.compare(members[b].first);
      return compared != 0 ? compared < 0 : a < b;
    });
    std::size_t first = members.size();
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].first == members[order[i - 1]].first) first = std::min(first, order[i]);
    }
    if (first < members.size()) {
      fail(text_, where_, open.key_offsets[first], "member " + quote(members[first].first) + " occurs twice");
    }
  }

  std::string_view text_, where_;
  Json root_;
  std::vector<Open> open_;
};

}  // namespace

void read_json(std::string_view text, std::string_view where, JsonEvents& events) {
  // The parser would skip a byte order mark and take NUL for the end of the text.
  if (text.starts_with("\xEF\xBB\xBF")) fail(text, where, 0, "begins with a byte order mark (remove it)");
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
    fail(text, where, bad, "invalid UTF-8");
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    fail(text, where, nul, "a NUL byte");
  Adapter adapter(text, where, events);
  nlohmann::json::sax_parse(adapter.begin(), adapter.end(), &adapter);
}

Json Json::parse(std::string_view text, std::string_view where) {
  TreeBuilder builder(text, where);
  read_json(text, where, builder);
  return builder.take();
}

}  // namespace headwater
