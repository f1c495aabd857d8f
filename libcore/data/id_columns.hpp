// Columns of id lists in one safetensors file that stays mapped and may be larger than memory
// (libcore/FORMATS.md, Columns of ids). Column c, from 0, has `ends.c` I64 [N], where each of N lists ends
// among the ids, `ids.c` I32 [T], and for weighted bags `values.c` F32 [T].
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"

namespace headwater {

// The most columns of a file: far more than any recipe has.
inline constexpr std::size_t kMaxIdColumns = 16;

// Where a column lies in a file of this form.
struct IdColumnView {
  std::span<const std::int64_t> ends;
  std::span<const std::int32_t> ids;
  std::span<const float> values;  // as many as ids, or none
  std::string
      vocabulary_hash;  // its first 16 digits or all of them, as header lines have them; empty: not said
  std::string vocabulary_size;
};

// The columns have as many lists each. What the numbers say is not looked at. Throws Error "path: what
// (fix)".
std::vector<IdColumnView> read_id_columns(const Safetensors& file);

// Whether a file begins as a safetensors file does and has columns of this form.
bool holds_id_columns(const fs::path& path);

// What a file of such columns has before its data, which follow in the order of `order`.
struct IdColumnsHead {
  struct Column {
    std::int64_t ids = 0;
    bool has_values = false;
    std::string vocabulary_hash, vocabulary_size;  // empty: not said
  };
  enum class Part { ends, ids, values };
  struct Place {
    Part part;
    std::size_t column;
  };
  std::string bytes;
  std::vector<Place> order;
};
IdColumnsHead id_columns_head(std::int64_t examples, std::span<const IdColumnsHead::Column> columns);

}  // namespace headwater
