// The number types of safetensors files that are read and written here.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace headwater {

enum class Dtype { f64, i64, f32, i32, f16, bf16, u8, boolean, u16, u32 };

// As the format spells it: "F32".
std::string_view dtype_name(Dtype dtype);

// The bytes of one element; also its alignment.
std::size_t dtype_bytes(Dtype dtype);

// Nothing for a name of the format that is not supported, or for an unknown one.
std::optional<Dtype> find_dtype(std::string_view name);

// True for every name the format defines.
bool is_format_dtype(std::string_view name);

}  // namespace headwater
