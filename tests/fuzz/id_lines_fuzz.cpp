// Any bytes as id lines: refused with the place, or every id in range and every example whole.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "data/token_dataset.hpp"
#include "support/error.hpp"

namespace {

using namespace headwater;

// The same bytes as one column of ids with values: refused, or a finite value for each id.
void read_values(std::string_view text) {
  TokenDataset columns({{.name = "source", .vocabulary = 1000, .max_length = 20, .has_values = true}});
  try {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      columns.add_line(text.substr(0, end), "-:1");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("-:")) std::abort();
  }
  for (std::int64_t example = 0; example < columns.examples(); ++example) {
    if (columns.ids(0, example).size() != columns.values(0, example).size()) std::abort();
    for (const float value : columns.values(0, example)) {
      if (!std::isfinite(value)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  read_values(text);
  TokenDataset columns(
      {{.name = "source", .vocabulary = 1000, .max_length = 20, .vocabulary_hash = "0123456789abcdef"},
       {.name = "target", .vocabulary = 1000, .max_length = 21, .min_length = 2}});
  try {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      columns.add_line(text.substr(0, end), "-:1");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    columns.finish("-", true);
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("-:")) std::abort();
    return 0;
  }
  std::int64_t total[2] = {0, 0};
  for (std::int64_t example = 0; example < columns.examples(); ++example) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto ids = columns.ids(c, example);
      if (ids.size() < c + 1 || ids.size() > 20 + c) std::abort();
      for (const std::int32_t id : ids) {
        if (id < 0 || id >= 1000) std::abort();
      }
      total[c] += static_cast<std::int64_t>(ids.size());
    }
  }
  if (total[0] != columns.total_ids(0) || total[1] != columns.total_ids(1)) std::abort();
  if (columns.examples() + columns.skipped() != columns.lines()) std::abort();
  if (columns.hash().size() != 32) std::abort();
  return 0;
}
