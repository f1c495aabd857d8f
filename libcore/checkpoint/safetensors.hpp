// safetensors files (github.com/huggingface/safetensors, README "Format"): u64 little-endian header size,
// JSON header, tensors without holes. The reader trusts nothing in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/files.hpp"

namespace headwater {

// The number types of safetensors files that are read and written here.
enum class Dtype { f64, i64, f32, i32, f16, bf16, u8, boolean, u16, u32, i8 };

// As the format spells it: "F32".
std::string_view dtype_name(Dtype dtype);

// The bytes of one element; also its alignment.
std::size_t dtype_bytes(Dtype dtype);

// Nothing for a name of the format that is not supported, or for an unknown one.
std::optional<Dtype> find_dtype(std::string_view name);

// True for every name the format defines.
bool is_format_dtype(std::string_view name);

using Metadata = std::vector<std::pair<std::string, std::string>>;

// Takes the bytes of a file piece by piece.
using ByteSink = std::function<void(std::string_view)>;

// A tensor as it lies in a file. `bytes` may be unaligned; numbers are little-endian.
struct TensorView {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;  // at most 8 sizes; none: one number
  std::string_view bytes;
  // Of numbers that another file has in bytes: these in the same order, each to be multiplied by the unit.
  std::string_view int8 = {};
  float unit = 0;

  std::int64_t elements() const { return static_cast<std::int64_t>(bytes.size() / dtype_bytes(dtype)); }
};

// The numbers in order; out.size() must be elements(). Integers beyond 2^24 (float) or 2^53 (double) are
// rounded.
void read_numbers(const TensorView& tensor, std::span<float> out);
void read_numbers(const TensorView& tensor, std::span<double> out);
std::vector<float> read_floats(const TensorView& tensor);

// Reads tensors of whole numbers; throws Error on others.
std::vector<std::int64_t> read_integers(const TensorView& tensor);

// A whole file, checked before anything in it is used. Throws Error "path: byte N: tensor "name": what".
class Safetensors {
 public:
  // Maps the file; it must not be overwritten in place while this lives.
  explicit Safetensors(const fs::path& path);
  // The mapping of the file `path`.
  Safetensors(std::shared_ptr<MappedFile> file, const fs::path& path);
  // Reads bytes that the caller keeps; `where` names them in messages.
  Safetensors(std::string_view bytes, std::string where);
  // Tensors of distinct names that the reader of another form of file found; `owner` keeps their bytes.
  Safetensors(std::vector<TensorView> tensors, std::shared_ptr<const void> owner, std::string where);

  const std::vector<TensorView>& tensors() const { return tensors_; }  // in the order of the data
  const Metadata& metadata() const { return metadata_; }
  const std::string& where() const { return where_; }

  const TensorView* find(std::string_view name) const;
  // Throws Error naming the missing tensor.
  const TensorView& at(std::string_view name) const;
  // The data section: where all tensors are F32, the flat buffer of floats in the order of tensors().
  std::string_view data() const { return data_; }
  // The mapping, for who uses data() where it is; null where the bytes are the caller's.
  const std::shared_ptr<MappedFile>& file() const { return file_; }
  // Throws Error where that file is no longer as long as it was: reading its bytes would be a signal.
  void check_file_size() const { file_->check_size(path_); }

 private:
  void read(std::string_view bytes);
  void index_names();

  fs::path path_;
  std::string where_;
  std::shared_ptr<MappedFile> file_;
  std::shared_ptr<const void> owner_;
  std::string_view data_;
  std::vector<TensorView> tensors_;
  std::vector<std::uint32_t> by_name_;
  Metadata metadata_;
};

// The first bytes of a regular file; fewer where it has fewer, none where it is no such file.
std::string first_bytes(const fs::path& path, std::size_t count);
// Whether a regular file begins as a safetensors file does, or as a text does. Neither of a pipe, whose bytes
// come once.
bool begins_as_safetensors(const fs::path& path);
bool begins_as_text(const fs::path& path);

// A tensor to write; `bytes` stay the caller's.
TensorView float_tensor(std::string name, std::vector<std::int64_t> shape, const float* values);

// The order in which tensors of one type are written: bytewise by name. Who lays a flat buffer out in this
// order has the data section written in one piece.
std::vector<std::string> safetensors_order(std::vector<std::string> names);

// A tensor whose bytes come later.
struct TensorShape {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
};

// What stands before the data of a file of these tensors, whose bytes then follow in this order: the order of
// write_safetensors, for who writes more than memory holds.
std::string safetensors_head(std::span<const TensorShape> tensors, const Metadata& metadata);

// Tensors by alignment of their type descending, then by name; header padded with spaces to a multiple of 8.
// The metadata begin with "format": "pt", which transformers demands. Throws Error on duplicate names and
// wrong sizes.
void write_safetensors(std::vector<TensorView> tensors, const Metadata& metadata, const ByteSink& sink);
std::string to_safetensors(std::vector<TensorView> tensors, const Metadata& metadata = {});

}  // namespace headwater
