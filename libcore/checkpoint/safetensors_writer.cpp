#include <algorithm>

#include "checkpoint/safetensors.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace headwater {

namespace {

// The bytes of a tensor of this type and shape.
std::uint64_t bytes_of(const TensorShape& tensor) {
  std::uint64_t size = dtype_bytes(tensor.dtype);
  for (const std::int64_t length : tensor.shape) {
    if (length < 0 || __builtin_mul_overflow(size, static_cast<std::uint64_t>(length), &size)) {
      throw Error("tensor " + quote(tensor.name) + ": no valid shape");
    }
  }
  if (tensor.name == "__metadata__") throw Error("tensor \"__metadata__\": the name is reserved");
  return size;
}

void check_names(std::span<const TensorShape> tensors) {
  std::vector<std::string_view> names;
  for (const TensorShape& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw Error("tensor " + quote(*twice) + ": the name occurs twice");
}

}  // namespace

TensorView float_tensor(std::string name, std::vector<std::int64_t> shape, const float* values) {
  std::uint64_t size = sizeof(float);
  for (const std::int64_t length : shape) size *= static_cast<std::uint64_t>(length);
  return {std::move(name), Dtype::f32, std::move(shape), {reinterpret_cast<const char*>(values), size}};
}

std::vector<std::string> safetensors_order(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());  // std::string compares as unsigned bytes
  return names;
}

std::string safetensors_head(std::span<const TensorShape> tensors, const Metadata& metadata) {
  check_names(tensors);
  Json::Object notes{{"format", "pt"}};
  for (const auto& [name, value] : metadata) {
    if (Json(notes).find(name) != nullptr) throw Error("metadata " + quote(name) + ": occurs twice");
    notes.emplace_back(name, value);
  }
  Json::Object header{{"__metadata__", std::move(notes)}};
  std::uint64_t begin = 0;
  for (const TensorShape& tensor : tensors) {
    const std::uint64_t end = begin + bytes_of(tensor);
    Json::Array shape(tensor.shape.begin(), tensor.shape.end());
    Json::Array offsets{begin, end};
    header.emplace_back(tensor.name, Json::Object{{"dtype", dtype_name(tensor.dtype)},
                                                  {"shape", std::move(shape)},
                                                  {"data_offsets", std::move(offsets)}});
    begin = end;
  }
  std::string text = Json(std::move(header)).dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string frame;
  for (int shift = 0; shift < 64; shift += 8) frame += static_cast<char>(text.size() >> shift & 255);
  return frame + text;
}

void write_safetensors(std::vector<TensorView> tensors, const Metadata& metadata, const ByteSink& sink) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    const std::size_t a_bytes = dtype_bytes(a.dtype), b_bytes = dtype_bytes(b.dtype);
    return a_bytes != b_bytes ? a_bytes > b_bytes : a.name < b.name;
  });
  std::vector<TensorShape> shapes;
  for (const TensorView& tensor : tensors) {
    shapes.push_back({tensor.name, tensor.dtype, tensor.shape});
    const std::uint64_t size = bytes_of(shapes.back());
    if (tensor.bytes.size() == size) continue;
    throw Error("tensor " + quote(tensor.name) + ": has " + std::to_string(tensor.bytes.size()) +
                " bytes, shape and dtype need " + std::to_string(size));
  }
  sink(safetensors_head(shapes, metadata));
  // Neighbours in memory go out together.
  std::string_view run;
  for (const TensorView& tensor : tensors) {
    if (tensor.bytes.empty()) continue;
    if (!run.empty() && run.data() + run.size() == tensor.bytes.data()) {
      run = {run.data(), run.size() + tensor.bytes.size()};
    } else {
      if (!run.empty()) sink(run);
      run = tensor.bytes;
    }
  }
  if (!run.empty()) sink(run);
}

std::string to_safetensors(std::vector<TensorView> tensors, const Metadata& metadata) {
  std::string out;
  write_safetensors(std::move(tensors), metadata, [&](std::string_view bytes) { out += bytes; });
  return out;
}

}  // namespace headwater
