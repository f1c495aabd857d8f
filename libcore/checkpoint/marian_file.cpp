#include "checkpoint/marian_file.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkpoint/npy.hpp"
#include "checkpoint/npz.hpp"
#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 36, kVersion = 1, kMaxName = 1024, kMostSizes = 8;
constexpr std::string_view kSettings = "special:model.yml", kActivationMultiplier = "_QuantMultA";

// Values of Marian's src/common/types.h. intgemm8 has two: Marian's, and that of the fork in browsers.
enum ItemType : std::uint64_t {
  kText = 0x101,
  kFloat16 = 0x402,
  kFloat32 = 0x404,
  kIntgemm8 = 0x10001,
  kIntgemm8OfBrowsers = 0x4101
};

MarianForm form_of(std::string_view bytes) {
  if (begins_as_zip(bytes)) return MarianForm::npz;
  const bool is_binary =
      bytes.size() >= sizeof kVersion && std::memcmp(bytes.data(), &kVersion, sizeof kVersion) == 0;
  return is_binary ? MarianForm::binary : MarianForm::none;
}

// What tensors are views of.
struct Memory {
  std::shared_ptr<const std::string> file;  // null: the caller keeps it
  std::deque<std::vector<float>> made;
  std::deque<std::string> made_bytes;
};

// A number or a run of bytes after the other.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(std::string(where_) + ": byte " + std::to_string(at_) + ": " + what);
  }
  std::string_view take(std::uint64_t count, const char* what) {
    if (bytes_.size() - at_ < count)
      fail(std::string(what) + " of " + std::to_string(count) + " bytes, and " + std::to_string(left()) +
           " follow (copy the file again)");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::uint64_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_, where_;
  std::size_t at_ = 0;
};

struct Item {
  std::uint64_t name_bytes, type, rank, bytes;
  std::string name = {};
  std::vector<std::int64_t> shape = {};
  std::uint64_t elements = 1;
};

// Trailing NULs end texts there.
std::string text_of(std::string_view bytes) {
  const std::size_t end = bytes.find_last_not_of('\0');
  return std::string(bytes.substr(0, end == bytes.npos ? 0 : end + 1));
}

std::string_view bytes_of(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

// A matrix of bytes. Those of products are stored transposed, tables of embeddings as they are.
TensorView multiplied_out(const ByteReader& reader, const Item& item, std::string_view data, Memory& memory) {
  float multiplier;
  std::memcpy(&multiplier, data.data() + item.elements, sizeof multiplier);
  if (!std::isnormal(multiplier) || multiplier < 0)
    reader.fail("tensor " + quote(item.name) + ": the multiplier behind its bytes is no positive number");
  const float unit = 1 / multiplier;
  std::vector<float>& numbers = memory.made.emplace_back(item.elements);
  std::string& bytes = memory.made_bytes.emplace_back(item.elements, '\0');
  const bool is_table = item.name.find("Wemb") != item.name.npos;
  const auto rows = static_cast<std::size_t>(is_table ? 1 : item.shape[0]),
             columns = static_cast<std::size_t>(item.elements) / std::max<std::size_t>(rows, 1);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const char byte = data[c * rows + r];
      bytes[r * columns + c] = byte;
      numbers[r * columns + c] = unit * static_cast<float>(static_cast<signed char>(byte));
    }
  }
  return {item.name, Dtype::f32, item.shape, bytes_of(numbers), bytes, unit};
}

class BinaryReader {
 public:
  BinaryReader(std::string_view bytes, std::string_view where) : reader_(bytes, where) {}

  // Throws Error "where: byte N: what".
  void read(Memory& memory, std::string& settings, std::vector<TensorView>& tensors) {
    reader_.number<std::uint64_t>("the version");
    read_items();
    reader_.take(reader_.number<std::uint64_t>("the size of a gap"), "a gap");
    for (const Item& item : items_) {
      const std::string_view data = reader_.take(item.bytes, "a tensor");
      if (item.name == kSettings) {
        settings = text_of(data);
      } else if (!item.name.ends_with(kActivationMultiplier)) {
        tensors.push_back(tensor(item, data, memory));
      }
    }
    if (reader_.left() > 0)
      reader_.fail(std::to_string(reader_.left()) + " bytes behind the last tensor (copy the file again)");
  }

 private:
  void read_items() {
    constexpr std::uint64_t kHeader = 4 * sizeof(std::uint64_t);
    const auto count = reader_.number<std::uint64_t>("the number of tensors");
    if (count > reader_.left() / kHeader)
      reader_.fail("more tensors than the file has room for (copy it again)");
    for (std::uint64_t i = 0; i < count; ++i) {
      Item item{};
      for (std::uint64_t* const member : {&item.name_bytes, &item.type, &item.rank, &item.bytes})
        *member = reader_.number<std::uint64_t>("the head of a tensor");
      items_.push_back(std::move(item));
    }
    std::set<std::string_view> names;
    for (Item& item : items_) {
      read_name(item);
      if (!names.insert(item.name).second) reader_.fail("tensor " + quote(item.name) + " occurs twice");
    }
    for (Item& item : items_) read_shape(item);
  }
  void read_name(Item& item) {
    if (item.name_bytes > kMaxName) reader_.fail("a name of " + std::to_string(item.name_bytes) + " bytes");
    item.name = text_of(reader_.take(item.name_bytes, "a name"));
    if (item.name.empty() || item.name.find('\0') != item.name.npos ||
        find_invalid_utf8(item.name) != item.name.npos)
      reader_.fail("a name that is empty or no text");
  }
  void read_shape(Item& item) {
    const auto fail = [&](const std::string& what) {
      reader_.fail("tensor " + quote(item.name) + ": " + what);
    };
    if (item.rank > kMostSizes) fail("has " + std::to_string(item.rank) + " sizes, at most 8 are read");
    for (std::uint64_t i = 0; i < item.rank; ++i) {
      const auto size = reader_.number<std::int32_t>("a shape");
      if (size <= 0) fail("has the size " + std::to_string(size));
      item.shape.push_back(size);
      if (item.elements > kMaxBytes / static_cast<std::uint64_t>(size)) fail("is too large");
      item.elements *= static_cast<std::uint64_t>(size);
    }
  }
  TensorView tensor(const Item& item, std::string_view data, Memory& memory) const {
    const auto fail = [&](const std::string& what) {
      reader_.fail("tensor " + quote(item.name) + ": " + what);
    };
    const auto needs = [&](std::uint64_t bytes) {
      if (data.size() < bytes)
        fail("has " + std::to_string(data.size()) + " bytes, its shape needs " + std::to_string(bytes));
      return data.substr(0, bytes);
    };
    switch (item.type) {
      case kFloat32:
        return {item.name, Dtype::f32, item.shape, needs(4 * item.elements)};
      case kFloat16:
        return {item.name, Dtype::f16, item.shape, needs(2 * item.elements)};
      case kIntgemm8:
      case kIntgemm8OfBrowsers:
        if (item.rank != 2) fail("is of bytes and no matrix");
        needs(item.elements + sizeof(float));
        return multiplied_out(reader_, item, data, memory);
      default:
        fail("is of type " + std::to_string(item.type) +
             ", and only float32, float16 and intgemm8 are read (write the file with marian-conv "
             "--gemm-type intgemm8 or float32)");
    }
    return {};
  }

  ByteReader reader_;
  std::vector<Item> items_;
};

void read_arrays(std::string_view bytes, const std::string& where, std::string& settings,
                 std::vector<TensorView>& tensors) {
  for (NpzMember& member : read_npz(bytes, where)) {
    const std::string place = where + ": member " + quote(member.name);
    if (member.name == kSettings) {
      settings = text_of(read_npy(member.file, place, NpyType::bytes).values);
      continue;
    }
    NpyArray array = read_npy(member.file, place);
    if (array.shape.size() > kMostSizes)
      throw Error(place + ": has " + std::to_string(array.shape.size()) + " sizes, at most 8 are read");
    tensors.push_back({std::move(member.name), Dtype::f32, std::move(array.shape), array.values});
  }
}

}  // namespace

struct MarianFile::Contents {
  std::string settings = {};
  std::vector<TensorView> tensors = {};
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();
  std::string where;
};

MarianFile::Contents MarianFile::read(std::string_view bytes, std::shared_ptr<const std::string> owner,
                                      std::string where) {
  Contents found{.where = std::move(where)};
  found.memory->file = std::move(owner);
  switch (form_of(bytes)) {
    case MarianForm::npz:
      read_arrays(bytes, found.where, found.settings, found.tensors);
      break;
    case MarianForm::binary:
      BinaryReader(bytes, found.where).read(*found.memory, found.settings, found.tensors);
      break;
    case MarianForm::none:
      throw Error(found.where + ": byte 0: " +
                  (bytes.empty() ? "an empty file, not Marian's weights (copy it again)"
                                 : "neither an npz file nor Marian's binary form of version 1"));
  }
  return found;
}

MarianFile::MarianFile(Contents contents)
    : settings_(std::move(contents.settings)),
      tensors_(std::move(contents.tensors), std::move(contents.memory), std::move(contents.where)) {}

MarianFile::MarianFile(const std::shared_ptr<const std::string>& file, std::string where)
    : MarianFile(read(*file, file, std::move(where))) {}

MarianFile::MarianFile(const fs::path& path)
    : MarianFile(std::make_shared<const std::string>(read_file(path, kMaxBytes)), shown(path)) {}

MarianFile::MarianFile(std::string_view bytes, std::string where)
    : MarianFile(read(bytes, nullptr, std::move(where))) {}

MarianForm marian_form_of(const fs::path& path) { return form_of(first_bytes(path, sizeof kVersion)); }

}  // namespace headwater
