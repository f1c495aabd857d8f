// Tables of the members that files beside a model's weights may have (libcore/FORMATS.md, Published
// layouts): what each does here. A member that could change a result is read, or refused by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/json.hpp"

namespace headwater {

struct MemberRow {
  enum class Use {
    read,    // code beside the table reads it
    unused,  // it changes no result
    only,    // one value changes no result, and another value is refused
  };
  std::string_view file, member;
  Use use;
  std::string_view values = {};  // of `only`: JSON, " or " between several; null is always fine
  std::string_view advice = {};  // of `only`: what to do about another value
};

// Whether `value` is one of `values`: "1 or 2" has two.
bool is_one_of_values(std::string_view value, std::string_view values);

// Throws Error "where: "member" is X, expected Y (advice)" for the first member of `object` whose row of
// `file` asks for another value, and "where: expected an object" for anything else. A member without a row
// passes: most libraries ignore it, too.
void check_rows(std::span<const MemberRow> rows, std::string_view file, const Json& object,
                const std::string& where);

// Throws Error "where: unknown member "x" (...)" for the first member of `object` without a row of `file`: of
// the files whose library stops at one.
void check_members(std::span<const MemberRow> rows, std::string_view file, const Json& object,
                   const std::string& where);

}  // namespace headwater
