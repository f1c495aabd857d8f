#include "recipe/scalars.hpp"

#include <algorithm>
#include <array>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::scalars {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string wanted(std::string_view what, const Node& node) {
  std::string out = "wanted " + std::string(what) + ", not " + std::string(describe(node));
  if (node.kind == Node::Kind::scalar) out += " " + quote(node.text);
  return out;
}

// By the rule of all numbers; a text in quotes is none.
template <class Number>
std::string read_plain(const Node& node, Number& value, std::string_view what) {
  if (node.kind != Node::Kind::scalar) return wanted(what, node);
  if (!node.is_plain) return wanted(what, node) + " (remove the quotes)";
  return read_number(node.text, value);
}

}  // namespace

std::string read(const Node& node, bool& value) {
  if (node.kind == Node::Kind::scalar && node.is_plain && (node.text == "true" || node.text == "false")) {
    value = node.text == "true";
    return {};
  }
  return wanted("true or false", node) + " (write true or false, without quotes)";
}

std::string read(const Node& node, std::int64_t& value) { return read_plain(node, value, "a whole number"); }

std::string read(const Node& node, std::uint64_t& value) {
  return read_plain(node, value, "a whole number from 0 up");
}

std::string read(const Node& node, double& value) { return read_plain(node, value, "a number"); }

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

std::string print(double value) { return shortest(value); }

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
