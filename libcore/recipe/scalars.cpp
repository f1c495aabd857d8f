#include "recipe/scalars.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "support/error.hpp"

namespace headwater::scalars {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string wanted(std::string_view what, const Node& node) {
  std::string out = "wanted " + std::string(what) + ", not " + std::string(describe(node));
  if (node.kind == Node::Kind::scalar) out += " " + quote(node.text);
  return out;
}

// What stands where a number should; the fix is in words because the text may be anything.
std::string not_a_number(const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::scalar) return wanted(what, node);
  if (!node.is_plain) return wanted(what, node) + " (remove the quotes)";
  std::string_view digits = node.text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const std::string prefix = "wanted " + std::string(what) + ", not " + quote(node.text);
  if (node.text.starts_with('+')) return prefix + " (leave out the plus sign)";
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o' || digits[1] == 'b')) {
    return prefix + " (write it in decimal)";
  }
  if (digits.starts_with(".inf") || digits.starts_with(".nan") || digits == "inf" || digits == "nan") {
    return prefix + " (write a finite number)";
  }
  if (digits.find('_') != std::string_view::npos || digits.find(',') != std::string_view::npos) {
    return prefix + " (write the digits without separators)";
  }
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))
    return prefix + " (leave out the leading zeros)";
  if (digits.starts_with('.')) return prefix + " (write 0 before the point)";
  return prefix + " (write it in decimal digits)";
}

// -?(0|[1-9][0-9]*) and nothing else.
bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
  return std::all_of(text.begin(), text.end(), is_digit);
}

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? and nothing else.
bool is_decimal(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (power.empty() || !std::all_of(power.begin(), power.end(), is_digit)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), is_digit)) return false;
    text = text.substr(0, point);
  }
  return is_whole(text);
}

template <class Whole>
std::string read_whole(const Node& node, Whole& value, std::string_view what) {
  if (node.kind != Node::Kind::scalar || !node.is_plain || !is_whole(node.text)) {
    if (node.kind == Node::Kind::scalar && node.is_plain && is_decimal(node.text)) {
      return "wanted " + std::string(what) + ", not " + quote(node.text) +
             " (write it without point and exponent)";
    }
    return not_a_number(node, what);
  }
  const char* end = node.text.data() + node.text.size();
  const auto [stop, failed] = std::from_chars(node.text.data(), end, value);
  if (failed == std::errc() && stop == end) return {};
  const bool is_negative = node.text.starts_with('-');
  return quote(node.text) + (is_negative ? " is too small" : " is too large") + " (write " +
         std::string(what) + " of at most 64 bits)";
}

}  // namespace

std::string read(const Node& node, bool& value) {
  if (node.kind == Node::Kind::scalar && node.is_plain && (node.text == "true" || node.text == "false")) {
    value = node.text == "true";
    return {};
  }
  return wanted("true or false", node) + " (write true or false, without quotes)";
}

std::string read(const Node& node, std::int64_t& value) { return read_whole(node, value, "a whole number"); }

std::string read(const Node& node, std::uint64_t& value) {
  return read_whole(node, value, "a whole number from 0 up");
}

std::string read(const Node& node, double& value) {
  if (node.kind != Node::Kind::scalar || !node.is_plain || !is_decimal(node.text)) {
    return not_a_number(node, "a number");
  }
  const char* end = node.text.data() + node.text.size();
  const auto [stop, failed] = std::from_chars(node.text.data(), end, value);
  if (failed == std::errc() && stop == end && std::isfinite(value)) return {};
  return quote(node.text) + " is beyond what a double can hold (write a smaller exponent)";
}

std::string read(const Node& node, std::string& value) {
  if (node.kind != Node::Kind::scalar) return wanted("a text", node);
  if (node.is_plain && (is_decimal(node.text) || node.text == "true" || node.text == "false")) {
    return wanted("a text", node) + " (put it in quotes)";
  }
  for (const char c : node.text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte == '\n') return "a text of several lines (write it in one; >- reduces, > and | keep line ends)";
    if (byte < 0x20 || byte == 0x7F) return "a control character in a text (remove it)";
  }
  value = node.text;
  return {};
}

std::string print(bool value) { return value ? "true" : "false"; }
std::string print(std::int64_t value) { return std::to_string(value); }
std::string print(std::uint64_t value) { return std::to_string(value); }

std::string print(double value) {
  std::array<char, 32> out{};
  const auto [end, failed] = std::to_chars(out.data(), out.data() + out.size(), value);
  return failed == std::errc() ? std::string(out.data(), end) : "0";
}

std::string print(const std::string& value) {
  constexpr std::array<std::string_view, 9> kReserved = {"true", "false", "null", "yes", "no",
                                                         "on",   "off",   "y",    "n"};
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string lower = value;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool is_word =
      !value.empty() && is_letter(value[0]) && std::all_of(value.begin(), value.end(), [&](char c) {
        return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
      });
  if (is_word && std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end()) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string check_path(std::string_view path) {
  if (path.empty()) return {};
  const std::string quoted = quote(path);
  if (path.find("://") != std::string_view::npos)
    return quoted + " is a remote address (fetch it first; paths are below the data root)";
  if (path.front() == '/') return quoted + " is absolute (paths are below the data root)";
  if (path.front() == '~')
    return quoted + " begins with ~, which is not expanded (paths are below the data root)";
  if (path.find_first_of("$`|") != std::string_view::npos) {
    return quoted + " has a character of the shell, which is not expanded (write the path out)";
  }
  if (path.size() > 4096) return "a path of more than 4,096 bytes (shorten it)";
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == "..") return quoted + " leaves the data root (remove ..)";
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

}  // namespace headwater::scalars
