#include "data/token_stream.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

std::string file_of(const std::vector<std::uint32_t>& ids, std::int64_t vocabulary,
                    const std::string& hash = "abc") {
  const std::size_t id_bytes = token_stream_id_bytes(vocabulary);
  std::string bytes = token_stream_header(
      {.ids = static_cast<std::int64_t>(ids.size()), .vocabulary = vocabulary, .vocabulary_hash = hash});
  for (const std::uint32_t id : ids) {
    for (std::size_t byte = 0; byte < id_bytes; ++byte) bytes += static_cast<char>(id >> (8 * byte) & 255);
  }
  return bytes;
}

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

TokenStreamSettings settings(std::int64_t length, std::int64_t stride, std::int64_t vocabulary = 100) {
  return {.cut = {.length = length, .stride = stride}, .vocabulary = vocabulary, .vocabulary_hash = "abc"};
}

std::string fault(const std::string& bytes, std::int64_t vocabulary = 100) {
  return error_text([&] {
    TokenStream stream(settings(4, 4, vocabulary));
    stream.add(Safetensors(bytes, "f"));
    stream.finish("f", false);
  });
}

std::string fault_of_tensor(const TensorView& tensor) { return fault(to_safetensors({tensor})); }

}  // namespace

TEST_CASE("windows hold every id, each is predicted once where the stride is the length") {
  for (std::int64_t length = 1; length <= 6; ++length) {
    for (std::int64_t stride = 1; stride <= length; ++stride) {
      for (std::size_t count = 2; count < 40; ++count) {
        TokenStream stream(settings(length, stride));
        const std::string bytes = file_of(counting(count), 100);
        stream.add(Safetensors(bytes, "f"));
        std::vector<int> predicted(count);
        std::vector<std::int32_t> window;
        for (std::int64_t i = 0; i < stream.examples(); ++i) {
          const std::int64_t begin = stream.cut().begin(i);
          stream.read_window(begin, window);
          CHECK(window.size() >= 2);
          CHECK(static_cast<std::int64_t>(window.size()) <= length + 1);
          CHECK((i + 1 == stream.examples() || static_cast<std::int64_t>(window.size()) == length + 1));
          for (std::size_t k = 0; k < window.size(); ++k)
            CHECK(window[k] == begin + static_cast<std::int64_t>(k));
          for (std::size_t k = 1; k < window.size(); ++k) ++predicted[window[k]];
        }
        for (std::size_t id = 1; id < count; ++id)
          CHECK((stride == length ? predicted[id] == 1 : predicted[id] >= 1));
      }
    }
  }
}

TEST_CASE("a file of ids is mapped, whatever its width, and named by its ids") {
  const ScratchDirectory folder;
  write_file(folder / "narrow", file_of({5, 6, 7, 65535}, 65536));
  write_file(folder / "wide", file_of({5, 6, 7, 65536}, 65537));
  std::string hash;
  for (const auto& [name, last] : {std::pair{"narrow", 65535}, {"wide", 65536}}) {
    TokenStream stream(settings(9, 9, 70000));
    CHECK(!stream.reads_lines());
    stream.add_file(folder / name);
    stream.finish("f", false);
    CHECK(stream.ids() == 4);
    CHECK(stream.examples() == 1);
    std::vector<std::int32_t> window;
    stream.read_window(0, window);
    CHECK(window == std::vector<std::int32_t>{5, 6, 7, last});
    CHECK(stream.hash() != hash);
    hash = stream.hash();
  }
  CHECK(Safetensors(folder / "narrow").tensors().front().dtype == Dtype::u16);
}

TEST_CASE("a file whose hash is known is not read as a whole") {
  const std::string right = file_of({5, 6, 7, 8}, 100), wrong = file_of({5, 6, 200, 8}, 100);
  TokenStream read(settings(4, 4));
  read.add(Safetensors(right, "f"));
  for (const std::string& bytes : {right, wrong}) {
    TokenStream stream(settings(1, 1));
    stream.know_hash(read.hash());
    stream.add(Safetensors(bytes, "f"));
    CHECK(stream.hash() == read.hash());
    CHECK(stream.examples() == 3);
    std::vector<std::int32_t> window;
    stream.read_window(0, window);
    CHECK(window == std::vector<std::int32_t>{5, 6});
    // What is wrong is found where it is used.
    CHECK(error_text([&] { stream.read_window(1, window); }) ==
          (bytes == right
               ? "(no error)"
               : "a file of ids has changed while it was trained on (start again when it is whole)"));
  }
}

TEST_CASE("windows of a large file stay right while its memory is given back") {
  const ScratchDirectory folder;
  constexpr std::size_t kIds = std::size_t{1} << 20;
  write_file(folder / "large", file_of(counting(kIds), kIds));
  TokenStream stream(settings(64, 64, kIds));
  stream.add_file(folder / "large");
  std::vector<std::int32_t> window;
  bool is_right = true;
  for (std::int64_t i = 0; i < stream.examples(); ++i) {  // enough to give it back dozens of times
    stream.read_window(stream.cut().begin(i * 7919 % stream.examples()), window);
    is_right = is_right && window.front() == stream.cut().begin(i * 7919 % stream.examples());
  }
  CHECK(is_right);
}

TEST_CASE("files that are no ids, or not this vocabulary's, are refused in one line") {
  const std::string two("\1\0\2\0", 4);
  CHECK(fault(file_of({1, 2, 3}, 100)) == "(no error)");
  CHECK(fault(file_of({1, 2, 100, 3}, 200)) ==
        "f: id 100 at place 2 (from 0), but the vocabulary ends at 99 (use the tokenizer that the ids were "
        "made "
        "with)");
  CHECK(fault(file_of({1, 2}, 100, "other")) ==
        "f: its ids are of another vocabulary, \"other\", not of abc (vectorize again with the model's "
        "tokenizer)");
  CHECK(fault(file_of({1}, 100)) ==
        "f: no text of two ids or more (vectorize --output dataset makes files of ids)");
  CHECK(fault(file_of({}, 100)) == fault(file_of({1}, 100)));
  CHECK(fault_of_tensor({"id", Dtype::u16, {2}, two}) ==
        "f: tensor \"ids\" is missing (vectorize --output dataset makes files of ids)");
  CHECK(fault_of_tensor({"ids", Dtype::u8, {4}, two}) ==
        "f: tensor \"ids\" is U8 of 1 dimension instead of U16 [N] or U32 [N] (vectorize --output dataset "
        "makes "
        "files of ids)");
  CHECK(fault_of_tensor({"ids", Dtype::u16, {1, 2}, two}) ==
        "f: tensor \"ids\" is U16 of 2 dimensions instead of U16 [N] or U32 [N] (vectorize --output dataset "
        "makes "
        "files of ids)");
  CHECK(error_text([&] {
          TokenStream stream(settings(4, 4));
          const std::string bytes = file_of({1, 2}, 100);
          stream.add(Safetensors(bytes, "f"));
          stream.add(Safetensors(bytes, "f"));
        }) == "f: a second file of ids (make one of all texts)");
  const std::string whole = file_of({1, 2, 3}, 100);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7)
    CHECK(fault(whole.substr(0, bytes)) != "(no error)");
}
