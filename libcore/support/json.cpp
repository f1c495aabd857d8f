#include "support/json.hpp"

#include <charconv>
#include <cmath>

#include "support/utf8.hpp"

namespace headwater {

namespace {

std::string kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a string";
  return value.is_array() ? "an array" : "an object";
}

[[noreturn]] void wrong_kind(std::string_view expected, const Json& found) {
  throw Error("expected " + std::string(expected) + ", found " + kind_of(found));
}

void append_string(std::string& out, std::string_view text) {
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    throw Error("string " + quote(text) + " is not UTF-8 at byte " + std::to_string(bad));
  }
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[c >> 4];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value))
    throw Error("JSON has no " + std::string(std::isnan(value) ? "NaN" : "infinity"));
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view text(digits, static_cast<std::size_t>(result.ptr - digits));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// depth: of the value; indent < 0 writes one line.
void append_value(std::string& out, const Json& value, int indent, int depth) {
  const auto new_line = [&](int levels) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent * levels), ' ');
  };
  const auto append_items = [&](const auto& items, char opening, char closing, const auto& append_item) {
    out += opening;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out += ',';
      is_first = false;
      new_line(depth + 1);
      append_item(item);
    }
    if (!items.empty()) new_line(depth);
    out += closing;
  };
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_integer()) {
    out += std::to_string(value.as_integer());
  } else if (value.is_unsigned()) {
    out += std::to_string(value.as_unsigned());
  } else if (value.is_number()) {
    append_double(out, value.as_number());
  } else if (value.is_string()) {
    append_string(out, value.as_string());
  } else if (value.is_array()) {
    append_items(value.as_array(), '[', ']',
                 [&](const Json& item) { append_value(out, item, indent, depth + 1); });
  } else {
    append_items(value.as_object(), '{', '}', [&](const Json::Member& member) {
      append_string(out, member.first);
      out += indent < 0 ? ":" : ": ";
      append_value(out, member.second, indent, depth + 1);
    });
  }
}

}  // namespace

// Here and not in the header: a variant's copies and moves are long code, and every file that uses JSON has
// many.
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(Array value) : value_(std::move(value)) {}
Json::Json(Object value) : value_(std::move(value)) {}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json& other) { return *this = Json(other); }
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

// Not the variant's own constructor: in libstdc++ 12 a copy that runs out of memory destroys a value that is
// not there yet.
Json::Json(const Json& other) {
  std::visit(
      [this](const auto& value) {
        auto copy = value;
        value_ = std::move(copy);
      },
      other.value_);
}

bool Json::is_integer() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value <= std::uint64_t{INT64_MAX};
  return std::holds_alternative<std::int64_t>(value_);
}

bool Json::is_unsigned() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value >= 0;
  return std::holds_alternative<std::uint64_t>(value_);
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_) ||
         std::holds_alternative<double>(value_);
}

bool Json::as_bool() const {
  if (!is_bool()) wrong_kind("true or false", *this);
  return std::get<bool>(value_);
}

std::int64_t Json::as_integer() const {
  if (!is_integer()) wrong_kind("an integer", *this);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<std::int64_t>(*value);
  return std::get<std::int64_t>(value_);
}

std::uint64_t Json::as_unsigned() const {
  if (!is_unsigned()) wrong_kind("a non-negative integer", *this);
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<std::uint64_t>(*value);
  return std::get<std::uint64_t>(value_);
}

double Json::as_number() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (!is_number()) wrong_kind("a number", *this);
  return std::get<double>(value_);
}

const std::string& Json::as_string() const {
  if (!is_string()) wrong_kind("a string", *this);
  return std::get<std::string>(value_);
}

const Json::Array& Json::as_array() const {
  if (!is_array()) wrong_kind("an array", *this);
  return std::get<Array>(value_);
}

const Json::Object& Json::as_object() const {
  if (!is_object()) wrong_kind("an object", *this);
  return std::get<Object>(value_);
}

Json::Array& Json::as_array() {
  if (!is_array()) wrong_kind("an array", *this);
  return std::get<Array>(value_);
}

Json::Object& Json::as_object() {
  if (!is_object()) wrong_kind("an object", *this);
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view name) const {
  for (const Member& member : as_object()) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* value = find(name)) return *value;
  throw Error("member " + quote(name) + " is missing");
}

Json& Json::set(std::string_view name, Json value) {
  if (is_null()) value_ = Object{};
  for (Member& member : as_object()) {
    if (member.first == name) {
      member.second = std::move(value);
      return *this;
    }
  }
  as_object().emplace_back(std::string(name), std::move(value));
  return *this;
}

std::string Json::dump(int indent) const {
  std::string out;
  append_value(out, *this, indent, 0);
  return out;
}

}  // namespace headwater
