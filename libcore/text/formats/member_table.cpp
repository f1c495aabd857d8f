#include "text/formats/member_table.hpp"

#include <algorithm>
#include <vector>

#include "support/error.hpp"

namespace headwater {

bool is_one_of_values(std::string_view value, std::string_view values) {
  while (!values.empty()) {
    const std::size_t end = std::min(values.find(" or "), values.size());
    if (values.substr(0, end) == value) return true;
    values.remove_prefix(std::min(end + 4, values.size()));
  }
  return false;
}

void check_rows(std::span<const MemberRow> rows, std::string_view file, const Json& object,
                const std::string& where) {
  constexpr std::size_t kMostShown = 80;  // bytes of a value
  if (!object.is_object()) throw Error(where + ": expected an object");
  for (const auto& [name, value] : object.as_object()) {
    const auto row = std::ranges::find_if(rows, [&, &member = name](const MemberRow& one) {
      return one.file == file && one.member == member && one.use == MemberRow::Use::only;
    });
    if (row == rows.end() || value.is_null()) continue;
    const std::string said = value.dump();
    if (is_one_of_values(said, row->values)) continue;
    throw Error(where + ": " + quote(name) + " is " + (said.size() > kMostShown ? "another value" : said) +
                ", expected " + std::string(row->values) +
                (row->advice.empty() ? "" : " (" + std::string(row->advice) + ")"));
  }
}

void check_members(std::span<const MemberRow> rows, std::string_view file, const Json& object,
                   const std::string& where) {
  if (!object.is_object()) throw Error(where + ": expected an object");
  std::vector<std::string_view> names;
  for (const MemberRow& row : rows) {
    if (row.file == file) names.push_back(row.member);
  }
  for (const auto& [name, value] : object.as_object()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string_view meant = nearest_word(name, names);
    throw Error(where + ": unknown member " + quote(name) +
                (meant.empty() ? " (remove it)" : " (did you mean " + quote(meant) + "?)"));
  }
}

}  // namespace headwater
