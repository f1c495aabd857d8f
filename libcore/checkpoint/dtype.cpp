#include "checkpoint/dtype.hpp"

#include <algorithm>
#include <iterator>

namespace headwater {

namespace {

struct Row {
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enumeration.
constexpr Row kRows[] = {{"F64", 8},  {"I64", 8}, {"F32", 4},  {"I32", 4}, {"F16", 2},
                         {"BF16", 2}, {"U8", 1},  {"BOOL", 1}, {"U16", 2}, {"U32", 4}};

constexpr std::string_view kUnsupported[] = {"I8",          "F8_E5M2",     "F8_E4M3", "F8_E8M0",
                                             "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I16",     "C64",
                                             "U64",         "F4",          "F6_E2M3", "F6_E3M2"};

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype)].name; }

std::size_t dtype_bytes(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype)].bytes; }

std::optional<Dtype> find_dtype(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
  if (row == std::end(kRows)) return std::nullopt;
  return static_cast<Dtype>(row - std::begin(kRows));
}

bool is_format_dtype(std::string_view name) {
  return find_dtype(name).has_value() ||
         std::find(std::begin(kUnsupported), std::end(kUnsupported), name) != std::end(kUnsupported);
}

}  // namespace headwater
