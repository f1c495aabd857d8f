// The checks of the reader, in the order in which they are made: the file's frame, the header's JSON, each
// entry, then all entries together.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>

#include "checkpoint/safetensors.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::uint64_t kFrame = 8;  // bytes of the header size
constexpr std::uint64_t kMaxNumber =
    (std::uint64_t{1} << 48) - 1;  // of a size or offset, as the format's schema says
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxMetadata = 65536;  // members, so that memory stays in proportion to the header
constexpr std::size_t kShortestEntry = 48;   // bytes of JSON that a tensor takes at least

struct Entry {
  std::string name;
  std::uint64_t at = 0;  // offset of the name in the header
  std::optional<Dtype> dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

[[noreturn]] void fail(std::string_view where, std::uint64_t byte, std::string_view what) {
  throw Error(std::string(where) + ": byte " + std::to_string(byte) + ": " + std::string(what));
}

[[noreturn]] void fail(std::string_view where, const Entry& entry, std::string_view what) {
  fail(where, kFrame + entry.at, "tensor " + quote(entry.name) + ": " + std::string(what));
}

std::string offsets_text(const Entry& entry) {
  return "data_offsets [" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
}

// Accepts exactly {"__metadata__": {string: string ...}, name: {"dtype": string, "shape": [...],
// "data_offsets": [b, e]} ...} with the members of an entry in any order, and builds nothing else, whatever
// the header holds.
class HeaderReader : public JsonEvents {
 public:
  HeaderReader(std::string_view where, std::vector<Entry>& entries, Metadata& metadata)
      : where_(where), entries_(entries), metadata_(metadata) {}

  void null(std::size_t at) override { unexpected(at, "null"); }
  void boolean(std::size_t at, bool) override { unexpected(at, "true or false"); }
  void integer(std::size_t at, std::int64_t) override { unexpected(at, "a negative number"); }
  void number(std::size_t at, double) override {
    unexpected(at, "a number that is no whole number of 64 bits");
  }

  void unsigned_integer(std::size_t at, std::uint64_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) unexpected(at, "a number");
    if (value > kMaxNumber)
      complain(at,
               std::to_string(value) + " in " + member_ + " is larger than " + std::to_string(kMaxNumber));
    Entry& entry = entries_.back();
    if (place_ == Place::shape) {
      if (entry.shape.size() == kMaxRank)
        complain(at, "shape has more than " + std::to_string(kMaxRank) + " sizes");
      entry.shape.push_back(static_cast<std::int64_t>(value));
    } else {
      if (offsets_ == 2) complain(at, "data_offsets has more than 2 numbers");
      (offsets_++ == 0 ? entry.begin : entry.end) = value;
    }
  }

  void string(std::size_t at, std::string value) override {
    if (place_ == Place::metadata) {
      metadata_.back().second = std::move(value);
      return;
    }
    if (place_ != Place::entry || member_ != "dtype") unexpected(at, "a string");
    Entry& entry = entries_.back();
    entry.dtype = find_dtype(value);
    if (entry.dtype) return;
    if (is_format_dtype(value)) {
      complain(at,
               "dtype " + quote(value) +
                   " is not supported (convert it to F32; supported: F32 F16 BF16 F64 I64 I32 I8 U8 BOOL)");
    }
    complain(at, "unknown dtype " + quote(value));
  }

  void begin_object(std::size_t at) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top) {
      place_ = is_metadata_next_ ? Place::metadata : Place::entry;
      has_dtype_ = has_shape_ = has_offsets_ = false;
    } else {
      unexpected(at, "an object");
    }
  }

  void key(std::size_t at, std::string name) override {
    switch (place_) {
      case Place::top:
        is_metadata_next_ = name == "__metadata__";
        if (!is_metadata_next_) {
          entries_.emplace_back();
          entries_.back().name = std::move(name);
          entries_.back().at = at;
        } else if (has_metadata_) {
          fail(where_, kFrame + at, "\"__metadata__\" occurs twice");
        } else {
          has_metadata_ = true;
        }
        return;
      case Place::metadata:
        if (metadata_.size() == kMaxMetadata) {
          fail(where_, kFrame + at,
               "\"__metadata__\" has more than " + std::to_string(kMaxMetadata) + " members");
        }
        metadata_.emplace_back(std::move(name), std::string());
        metadata_offsets_.push_back(at);
        return;
      default:
        break;
    }
    bool* seen = name == "dtype"          ? &has_dtype_
                 : name == "shape"        ? &has_shape_
                 : name == "data_offsets" ? &has_offsets_
                                          : nullptr;
    if (seen == nullptr)
      complain(at, "unknown member " + quote(name) + " (expected dtype, shape and data_offsets)");
    if (*seen) complain(at, "member " + quote(name) + " occurs twice");
    *seen = true;
    member_ = std::move(name);
  }

  void end_object(std::size_t at) override {
    if (place_ == Place::entry) {
      const char* missing = !has_dtype_     ? "dtype"
                            : !has_shape_   ? "shape"
                            : !has_offsets_ ? "data_offsets"
                                            : nullptr;
      if (missing != nullptr) complain(at, std::string(missing) + " is missing");
      place_ = Place::top;
    } else if (place_ == Place::metadata) {
      check_metadata_names();
      place_ = Place::top;
      is_metadata_next_ = false;
    }
  }

  void begin_array(std::size_t at) override {
    if (place_ != Place::entry || member_ == "dtype") unexpected(at, "an array");
    place_ = member_ == "shape" ? Place::shape : Place::offsets;
    offsets_ = 0;
  }

  void end_array(std::size_t at) override {
    if (place_ == Place::offsets && offsets_ != 2) {
      complain(at, "data_offsets has " + std::to_string(offsets_) + " numbers instead of 2");
    }
    place_ = Place::entry;
  }

 private:
  enum class Place { outside, top, metadata, entry, shape, offsets };

  [[noreturn]] void complain(std::size_t at, const std::string& what) const {
    fail(where_, kFrame + at, "tensor " + quote(entries_.back().name) + ": " + what);
  }

  [[noreturn]] void unexpected(std::size_t at, const std::string& found) const {
    const auto expected = [&]() -> std::string {
      switch (place_) {
        case Place::shape:
        case Place::offsets:
          return member_ + " holds " + found + " where a non-negative whole number must stand";
        case Place::entry:
          return member_ + " is " + found + " instead of " +
                 (member_ == "dtype" ? "a string" : "an array of non-negative whole numbers");
        default:
          return "is " + found + " instead of an object";
      }
    };
    if (place_ == Place::metadata) {
      fail(where_, kFrame + at,
           "\"__metadata__\": " + quote(metadata_.back().first) + " is " + found + " instead of a string");
    }
    if (is_metadata_next_ && place_ == Place::top) {
      fail(where_, kFrame + at, "\"__metadata__\" is " + found + " instead of an object");
    }
    if (entries_.empty()) fail(where_, kFrame + at, "the header is " + found + " instead of an object");
    complain(at, expected());
  }

  void check_metadata_names() const {
    std::vector<std::size_t> order(metadata_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(metadata_[a].first, a) < std::tie(metadata_[b].first, b);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::string& name = metadata_[order[i]].first;
      if (name != metadata_[order[i - 1]].first) continue;
      fail(where_, kFrame + metadata_offsets_[order[i]],
           "\"__metadata__\": member " + quote(name) + " occurs twice");
    }
  }

  std::string_view where_;
  std::vector<Entry>& entries_;
  Metadata& metadata_;
  std::vector<std::size_t> metadata_offsets_;
  Place place_ = Place::outside;
  std::string member_;
  int offsets_ = 0;
  bool is_metadata_next_ = false, has_metadata_ = false;
  bool has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
};

// Whether the first bytes of a file are those of a text; its last character may be cut.
bool is_text(std::string_view head) {
  const bool has_control = std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 &&
           std::string_view("\t\n\f\r").find(c) == std::string_view::npos;
  });
  const std::size_t bad = find_invalid_utf8(head);
  const bool is_cut =
      bad != head.npos && bad + 3 >= head.size() && static_cast<unsigned char>(head[bad]) >= 0xC2;
  return !head.empty() && !has_control && (bad == head.npos || is_cut);
}

// What weights of other programs begin with.
std::string_view other_format_of(std::string_view bytes) {
  if (bytes.starts_with("GGUF")) return "a GGUF file";
  if (bytes.starts_with("PK\3\4") || bytes.starts_with('\x80')) return "a file of PyTorch";
  return bytes.starts_with("\x89HDF") ? "a file of Keras" : "";
}

// Checks the frame and gives the header's text.
std::string_view header_text(std::string_view bytes, std::string_view where) {
  if (bytes.size() < kFrame) {
    fail(where, 0,
         "the file has " + std::to_string(bytes.size()) +
             " bytes, a safetensors file at least 8 (copy it again)");
  }
  std::uint64_t size = 0;
  for (std::size_t i = kFrame; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes[i]);
  if (size == 0) fail(where, 0, "the header has 0 bytes");
  if (is_text(bytes.substr(0, kFrame))) throw Error(std::string(where) + ": a text, no safetensors file");
  if (size > kMaxHeader) {
    const std::string_view other = other_format_of(bytes);
    if (!other.empty())
      throw Error(std::string(where) + ": " + std::string(other) +
                  ", and only safetensors are read (load it in Python with transformers: "
                  "model.save_pretrained(DIR) writes them)");
    fail(where, 0,
         "the header has " + std::to_string(size) + " bytes, more than " + std::to_string(kMaxHeader) +
             " (is it a safetensors file?)");
  }
  if (size > bytes.size() - kFrame) {
    fail(where, 0,
         "the header has " + std::to_string(size) + " bytes, the file " + std::to_string(bytes.size()) +
             "; the file is truncated, copy it again");
  }
  const std::string_view header = bytes.substr(kFrame, size);
  if (header[0] != '{')
    fail(where, kFrame, "the header begins with " + quote(header.substr(0, 1)) + " instead of \"{\"");
  return header;
}

void read_header(std::string_view header, std::string_view where, std::vector<Entry>& entries,
                 Metadata& metadata) {
  HeaderReader reader(where, entries, metadata);
  try {
    read_json(header, where, reader);
  } catch (const JsonError& error) {
    fail(where, kFrame + error.at, "header: " + error.problem);
  }
  const std::size_t last = header.find_last_not_of(' ');
  if (header[last] != '}')
    fail(where, kFrame + last,
         "header: only spaces may follow the JSON, found " + quote(header.substr(last, 1)));
}

void check_names(const std::vector<Entry>& entries, std::string_view where) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(entries[a].name, entries[a].at) < std::tie(entries[b].name, entries[b].at);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (entries[order[i]].name == entries[order[i - 1]].name)
      fail(where, entries[order[i]], "the name occurs twice");
  }
}

// The shape's product, in bytes, must be the distance of the offsets.
void check_size(const Entry& entry, std::string_view where) {
  std::uint64_t size = dtype_bytes(*entry.dtype);
  for (const std::int64_t length : entry.shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(length), &size))
      fail(where, entry, "the shape's product takes more than 64 bits");
  }
  if (entry.end < entry.begin) fail(where, entry, offsets_text(entry) + " end before they begin");
  if (entry.end - entry.begin != size) {
    fail(where, entry,
         offsets_text(entry) + " hold " + std::to_string(entry.end - entry.begin) +
             " bytes, shape and dtype need " + std::to_string(size));
  }
}

// Sorts by place and checks that the entries fill the data section exactly.
void check_places(std::vector<Entry>& entries, std::string_view where, std::uint64_t header_size,
                  std::uint64_t data_size) {
  const std::uint64_t file_size = kFrame + header_size + data_size;
  for (const Entry& entry : entries) {
    if (entry.end > data_size) {
      fail(where, entry,
           "data_offsets end " + std::to_string(entry.end) + " is past the end of the data (" +
               std::to_string(data_size) + " bytes of a file of " + std::to_string(file_size) +
               "); the file is truncated, copy it again");
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t filled = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != filled) {
      fail(
          where, entry,
          offsets_text(entry) +
              (entry.begin < filled ? " overlap the tensor before, which ends at " : " leave a hole after ") +
              std::to_string(filled));
    }
    filled = entry.end;
  }
  if (filled != data_size) {
    fail(where, kFrame + header_size + filled,
         std::to_string(data_size - filled) + " bytes follow the last tensor");
  }
}

}  // namespace

std::string first_bytes(const fs::path& path, std::size_t count) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string bytes(count, ' ');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(std::max<std::streamsize>(file.gcount(), 0));
  return bytes;
}

bool begins_as_safetensors(const fs::path& path) {
  const std::string head = first_bytes(path, kFrame + 1);
  return head.size() > kFrame && !is_text(head) && head[kFrame] == '{';
}

bool begins_as_text(const fs::path& path) { return is_text(first_bytes(path, kFrame)); }

Safetensors::Safetensors(const fs::path& path) : Safetensors(std::make_shared<MappedFile>(path), path) {}

Safetensors::Safetensors(std::shared_ptr<MappedFile> file, const fs::path& path)
    : path_(path), where_(shown(path)), file_(std::move(file)) {
  read(file_->bytes());
}

Safetensors::Safetensors(std::string_view bytes, std::string where) : where_(std::move(where)) {
  read(bytes);
}

Safetensors::Safetensors(std::vector<TensorView> tensors, std::shared_ptr<const void> owner,
                         std::string where)
    : where_(std::move(where)), owner_(std::move(owner)), tensors_(std::move(tensors)) {
  index_names();
}

void Safetensors::read(std::string_view bytes) {
  const std::string_view header = header_text(bytes, where_);
  std::vector<Entry> entries;
  entries.reserve(header.size() / kShortestEntry + 1);
  read_header(header, where_, entries, metadata_);
  check_names(entries, where_);
  for (const Entry& entry : entries) check_size(entry, where_);
  data_ = bytes.substr(kFrame + header.size());
  check_places(entries, where_, header.size(), data_.size());

  tensors_.reserve(entries.size());
  for (Entry& entry : entries) {
    tensors_.push_back({std::move(entry.name), *entry.dtype, std::move(entry.shape),
                        data_.substr(entry.begin, entry.end - entry.begin)});
  }
  index_names();
}

void Safetensors::index_names() {
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::uint32_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return tensors_[a].name < tensors_[b].name; });
}

const TensorView* Safetensors::find(std::string_view name) const {
  const auto found =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](std::uint32_t index, std::string_view key) { return tensors_[index].name < key; });
  return found != by_name_.end() && tensors_[*found].name == name ? &tensors_[*found] : nullptr;
}

const TensorView& Safetensors::at(std::string_view name) const {
  if (const TensorView* tensor = find(name)) return *tensor;
  throw Error(where_ + ": tensor " + quote(name) + " is missing (of " + std::to_string(tensors_.size()) +
              " tensors)");
}

}  // namespace headwater
