#include "data/token_stream.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr std::string_view kIds = "ids", kVocabularyHash = "vocabulary_hash",
                           kVocabularySize = "vocabulary_size";
constexpr const char* kMakes = " (vectorize --output dataset makes files of ids)";

static_assert(std::endian::native == std::endian::little, "files and hashes are of little-endian integers");

std::uint32_t stored_id(std::string_view bytes, std::size_t id_bytes, std::size_t place) {
  if (id_bytes == 2) {
    std::uint16_t id = 0;
    std::memcpy(&id, bytes.data() + place * 2, 2);
    return id;
  }
  std::uint32_t id = 0;
  std::memcpy(&id, bytes.data() + place * 4, 4);
  return id;
}

void check_metadata(const Safetensors& file, const TokenStreamSettings& settings) {
  for (const auto& [name, value] : file.metadata()) {
    if (name == kVocabularyHash && !settings.vocabulary_hash.empty() && value != settings.vocabulary_hash) {
      throw Error(file.where() + ": its ids are of another vocabulary, " + quote(value) + ", not of " +
                  settings.vocabulary_hash + " (vectorize again with the model's tokenizer)");
    }
  }
}

}  // namespace

void TokenStream::add_file(const std::filesystem::path& path) {
  if (begins_as_text(path))
    throw Error(
        shown(path) +
        ": a text, where a file of ids is wanted (data.examples: blocks and random learn from one; tokenize "
        "FILE | vectorize --output dataset -o IDS makes one, both with the model's tokenizer)");
  add(Safetensors(path));
}

void TokenStream::add(const Safetensors& file) {
  const std::string& where = file.where();
  if (ids_ > 0) throw Error(where + ": a second file of ids (make one of all texts)");
  const TensorView* tensor = file.find(kIds);
  if (tensor == nullptr) throw Error(where + ": tensor \"ids\" is missing" + kMakes);
  const bool is_right = tensor->dtype == Dtype::u16 || tensor->dtype == Dtype::u32;
  if (!is_right || tensor->shape.size() != 1) {
    throw Error(where + ": tensor \"ids\" is " + std::string(dtype_name(tensor->dtype)) + " of " +
                counted(static_cast<std::int64_t>(tensor->shape.size()), "dimension") +
                " instead of U16 [N] or U32 [N]" + kMakes);
  }
  check_metadata(file, settings_);
  const std::size_t id_bytes = dtype_bytes(tensor->dtype);
  const std::int64_t count = tensor->elements();
  if (settings_.cut.windows(count) > std::numeric_limits<std::uint32_t>::max())
    throw Error(where + ": more than 4,294,967,295 windows of " + std::to_string(settings_.cut.length) +
                " ids (choose a longer model or a larger stride)");
  const bool is_known = !hash_.empty();
  Hasher hasher;
  hasher.update({reinterpret_cast<const char*>(&count), sizeof count});
  // All of it once, piece by piece: an id that has no row is found before the training begins.
  constexpr std::int64_t kCheckedIds = std::int64_t{1} << 23;  // ids
  for (std::int64_t begin = 0; begin < count && !is_known; begin += kCheckedIds) {
    const std::size_t ids = std::min(kCheckedIds, count - begin);
    const std::string_view piece =
        tensor->bytes.substr(static_cast<std::size_t>(begin) * id_bytes, ids * id_bytes);
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < ids; ++i) largest = std::max(largest, stored_id(piece, id_bytes, i));
    if (static_cast<std::int64_t>(largest) >= settings_.vocabulary) {
      std::size_t at = 0;
      while (static_cast<std::int64_t>(stored_id(piece, id_bytes, at)) < settings_.vocabulary) ++at;
      throw Error(where + ": id " + std::to_string(stored_id(piece, id_bytes, at)) + " at place " +
                  std::to_string(begin + static_cast<std::int64_t>(at)) +
                  " (from 0), but the vocabulary ends at " + std::to_string(settings_.vocabulary - 1) +
                  " (use the tokenizer that the ids were made with)");
    }
    hasher.update(piece);
    if (file.file() != nullptr) file.file()->release();
  }
  reads_ = std::make_unique<MappedReads>(file.file());
  bytes_ = tensor->bytes;
  id_bytes_ = id_bytes;
  ids_ = count;
  if (!is_known) hash_ = hasher.digest();
}

void TokenStream::finish(std::string_view where, bool /*is_empty_allowed*/) {
  if (examples() == 0) throw Error(std::string(where) + ": no text of two ids or more" + kMakes);
}

std::int32_t TokenStream::id(std::int64_t place) const {
  return static_cast<std::int32_t>(stored_id(bytes_, id_bytes_, static_cast<std::size_t>(place)));
}

void TokenStream::read(std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& to) const {
  to.clear();
  if (count > 0) reads_->add(count * static_cast<std::int64_t>(id_bytes_));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t next = id(begin + i);
    if (next < 0 ||
        next >= settings_.vocabulary)  // written to since it was read, or another than its hash says
      throw Error("a file of ids has changed while it was trained on (start again when it is whole)");
    to.push_back(next);
  }
}

std::string token_stream_header(const TokenStreamHeader& header) {
  const std::size_t id_bytes = token_stream_id_bytes(header.vocabulary);
  Json::Object notes{{"format", "pt"}};
  notes.emplace_back(kVocabularyHash, header.vocabulary_hash);
  notes.emplace_back(kVocabularySize, std::to_string(header.vocabulary));
  const auto end = static_cast<std::uint64_t>(header.ids) * id_bytes;
  Json::Object all{{"__metadata__", std::move(notes)}};
  all.emplace_back(kIds, Json::Object{{"dtype", dtype_name(id_bytes == 2 ? Dtype::u16 : Dtype::u32)},
                                      {"shape", Json::Array{header.ids}},
                                      {"data_offsets", Json::Array{std::uint64_t{0}, end}}});
  std::string text = Json(std::move(all)).dump();
  const std::size_t size = kTokenStreamHeader - 8;
  if (text.size() > size) throw Error("a file of ids: its vocabulary has too long a name");
  text.append(size - text.size(), ' ');
  std::string frame;
  for (int shift = 0; shift < 64; shift += 8) frame += static_cast<char>(size >> shift & 255);
  return frame.append(text);
}

}  // namespace headwater
