// JSON (RFC 8259): a strict reader and a writer with stable bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/error.hpp"

namespace headwater {

// What Json::parse and read_json throw: "where:line:column: problem", and its parts for callers that count
// bytes.
class JsonError : public Error {
 public:
  JsonError(const std::string& message, std::size_t offset, std::string what_is_wrong)
      : Error(message), at(offset), problem(std::move(what_is_wrong)) {}
  std::size_t at;  // byte offset in the text
  std::string problem;
};

// A JSON value. Objects keep the order of their members; a member name occurs once. Integers keep their sign
// and all 64 bits; other numbers are double.
//
// Not nlohmann::ordered_json: that one takes -1 for a size, 1.9 for 1 and the last of two equal names without
// a word, writes doubles in another form, and takes seconds to compile in every file that sees it.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char* value);
  Json(std::string value);
  Json(std::string_view value);
  Json(Array value);
  Json(Object value);

  Json(const Json& other);
  Json(Json&&) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&&) noexcept;
  ~Json();

  // Parses exactly one value. Rejects duplicate member names, invalid UTF-8, depth over 64, trailing text.
  // `where` begins the message: "where:line:column: what".
  static Json parse(std::string_view text, std::string_view where);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const;   // any integer that fits 64 bits signed
  bool is_unsigned() const;  // a non-negative integer
  bool is_number() const;
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Each throws Error "expected a string, found a number" on another type; the caller adds the place.
  bool as_bool() const;
  std::int64_t as_integer() const;
  std::uint64_t as_unsigned() const;
  double as_number() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  const Object& as_object() const;
  Array& as_array();
  Object& as_object();

  // Member of an object, or nullptr.
  const Json* find(std::string_view name) const;
  // Member of an object; throws Error naming the missing member.
  const Json& at(std::string_view name) const;
  // Sets or appends a member (a null becomes an object); returns this value, so that calls chain.
  Json& set(std::string_view name, Json value);

  // indent < 0: one line without spaces after separators; otherwise pretty. UTF-8 stays as it is; doubles are
  // the shortest text that reads back equal, as a double ("1.0", not "1"). Throws Error on NaN, infinity and
  // invalid UTF-8.
  std::string dump(int indent = -1) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

// What read_json reports, in the order of the text. `at` is the byte offset where the token begins. A handler
// ends the reading by throwing. For documents whose tree would be many times larger than the text.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void null(std::size_t at) = 0;
  virtual void boolean(std::size_t at, bool value) = 0;
  virtual void integer(std::size_t at, std::int64_t value) = 0;            // negative
  virtual void unsigned_integer(std::size_t at, std::uint64_t value) = 0;  // not negative
  virtual void number(std::size_t at,
                      double value) = 0;  // has a fraction or an exponent, is -0, or takes more than 64 bits
  virtual void string(std::size_t at, std::string value) = 0;
  virtual void begin_object(std::size_t at) = 0;
  virtual void key(std::size_t at, std::string name) = 0;  // duplicates are the handler's to find
  virtual void end_object(std::size_t at) = 0;
  virtual void begin_array(std::size_t at) = 0;
  virtual void end_array(std::size_t at) = 0;
};

// One pass over exactly one value, as strict as Json::parse but for duplicate names.
void read_json(std::string_view text, std::string_view where, JsonEvents& events);

// "where:line:column" of a byte offset; lines and columns count from 1, columns in code points.
std::string text_position(std::string_view text, std::string_view where, std::size_t at);

}  // namespace headwater
