// Marian's weight files against what a naive writer put there.
#include "checkpoint/marian_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "checkpoint/npz.hpp"
#include "error_text.hpp"
#include "marian_bytes.hpp"
#include "scratch_directory.hpp"

using namespace headwater;
using namespace marian_bytes;

namespace {

// 2 rows, 3 columns, and the multiplier.
std::string byte_matrix(const std::vector<int>& values, float multiplier) {
  std::string data;
  for (const int value : values) data += static_cast<char>(value);
  return data + raw(multiplier);
}

const std::vector<float> kSix{1, -2, 3.5f, 0, 5, -6};

std::vector<Item> some_items() {
  return {float_item("decoder_b", {1, 6}, kSix), float_item("encoder_W", {2, 3}, kSix),
          text_item("special:model.yml", "type: transformer\n")};
}

std::string error_of(const std::string& file) {
  return error_text([&] { const MarianFile read(file, "m"); });
}

void check_some(const MarianFile& file) {
  CHECK(file.settings() == "type: transformer\n");
  REQUIRE(file.tensors().tensors().size() == 2);
  const TensorView& weight = file.tensors().at("encoder_W");
  CHECK(weight.shape == std::vector<std::int64_t>{2, 3});
  CHECK(read_floats(weight) == kSix);
  CHECK(file.tensors().at("decoder_b").shape == std::vector<std::int64_t>{1, 6});
}

}  // namespace

TEST_CASE("Marian's files: the binary form and npz say the same") {
  const std::string bytes = binary(some_items()), archive = npz(some_items());
  check_some(MarianFile(bytes, "m"));
  check_some(MarianFile(archive, "m"));
  const ScratchDirectory scratch;
  write_file(scratch / "model.bin", bytes);
  write_file(scratch / "model.npz", archive);
  check_some(MarianFile(scratch / "model.bin"));
  check_some(MarianFile(scratch / "model.npz"));
  CHECK(marian_form_of(scratch / "model.bin") == MarianForm::binary);
  CHECK(marian_form_of(scratch / "model.npz") == MarianForm::npz);
  CHECK(marian_form_of(scratch / "none") == MarianForm::none);
}

TEST_CASE("Marian's files: bytes are divided by their multiplier, products' turned round, tables' not") {
  for (const std::uint64_t type : {kBrowserBytes, kBytes}) {
    const std::string data = byte_matrix({1, -128, 127, 4, 5, -6}, 2);
    const std::string file = binary({{"encoder_l1_self_Wq", type, {2, 3}, data},
                                     {"Wemb", type, {2, 3}, data},
                                     {"encoder_l1_self_Wq_QuantMultA", kFloats, {1, 1}, raw(7.0f)},
                                     {"Wemb_QuantMultA", type, {1, 1}, byte_matrix({0}, 0)}});
    const MarianFile read(file, "m");
    CHECK(read.tensors().tensors().size() == 2);
    CHECK(read.settings().empty());
    CHECK(read_floats(read.tensors().at("Wemb")) == std::vector<float>{0.5f, -64, 63.5f, 2, 2.5f, -3});
    CHECK(read_floats(read.tensors().at("encoder_l1_self_Wq")) ==
          std::vector<float>{0.5f, 63.5f, 2.5f, -64, 2, -3});
  }
}

TEST_CASE("Marian's files: what is damaged or of another kind is named with its byte") {
  const std::string good = binary(some_items());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    INFO(length);
    CHECK(error_of(good.substr(0, length)).starts_with("m: byte "));
  }
  CHECK(error_of(good + "x") ==
        "m: byte " + std::to_string(good.size()) + ": 1 bytes behind the last tensor (copy the file again)");
  CHECK(error_of("GGUF....") == "m: byte 0: neither an npz file nor Marian's binary form of version 1");
  const auto of_item = [](const Item& item) { return error_of(binary({item})); };
  CHECK(of_item({"W", 0x11801, {2, 3}, kSix.empty() ? "" : floats(kSix)})
            .find("tensor \"W\": is of type 71681, and only float32, float16 and intgemm8 are read (write "
                  "the file "
                  "with marian-conv --gemm-type intgemm8 or float32)") != std::string::npos);
  CHECK(of_item({"W", kFloats, {2, 0}, ""}).find("tensor \"W\": has the size 0") != std::string::npos);
  CHECK(of_item({"W", kFloats, {-1}, ""}).find("has the size -1") != std::string::npos);
  CHECK(of_item({"W", kFloats, {64, 64}, "abc"}).find("has 256 bytes, its shape needs 16384") !=
        std::string::npos);
  CHECK(of_item({"W", kFloats, {65536, 65536, 65536}, "abc"}).find("is too large") != std::string::npos);
  CHECK(of_item({"W", kFloats, std::vector<std::int32_t>(9, 1), "abcd"}).find("has 9 sizes") !=
        std::string::npos);
  CHECK(of_item({"W", kBytes, {6}, byte_matrix({1, 2, 3, 4, 5, 6}, 1)}).find("is of bytes and no matrix") !=
        std::string::npos);
  for (const float multiplier : {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")})
    CHECK(of_item({"W", kBytes, {2, 3}, byte_matrix({1, 2, 3, 4, 5, 6}, multiplier)})
              .find("the multiplier behind its bytes is no positive number") != std::string::npos);
  CHECK(of_item({"", kFloats, {1}, "abcd"}).find("a name that is empty or no text") != std::string::npos);
  CHECK(error_of(binary({some_items()[0], some_items()[0]})).find("tensor \"decoder_b\" occurs twice") !=
        std::string::npos);
  std::string many = raw(std::uint64_t{1}) + raw(~std::uint64_t{0});
  CHECK(error_of(many) == "m: byte 16: more tensors than the file has room for (copy it again)");
}

TEST_CASE("npz: members are found by the directory, also before a comment; others are refused by name") {
  const std::vector<Member> two{{"a.npy", "first"}, {"b/c.npy", ""}};
  std::string archive = zip(two);
  const auto check = [&] {
    const std::vector<NpzMember> found = read_npz(archive, "z");
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "a");
    CHECK(found[0].file == "first");
    CHECK(found[1].name == "b/c");
    CHECK(found[1].file.empty());
  };
  check();
  archive.replace(archive.size() - 2, 2, raw(std::uint16_t{7}));
  archive += "comment";
  check();
  const auto said = [](const std::string& file) { return error_text([&] { read_npz(file, "z"); }); };
  CHECK(said(zip(two, 8)) == "z: member \"a.npy\" is compressed (write the file with numpy.savez)");
  CHECK(said(zip({{"a.txt", ""}})) == "z: member \"a.txt\" is no array: its name does not end with .npy");
  CHECK(said(zip({{"a.npy", ""}, {"a.npy", ""}})) == "z: member \"a.npy\" occurs twice");
  CHECK(said("PK\3\4") == "z: no zip archive, or cut short: it has no directory at its end (copy it again)");
  const std::string good = zip(two);
  std::string flipped = good;
  flipped[flipped.find("first")] ^= 1;
  CHECK(said(flipped) == "z: member \"a.npy\" is damaged: its CRC-32 differs (copy the file again)");
  for (std::size_t length = 0; length < good.size(); ++length)
    CHECK(said(good.substr(0, length)) != "(no error)");
  for (std::size_t at = 0; at < good.size(); ++at) {  // any damage is an error or other names and bytes
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    said(bad);
  }
}

TEST_CASE("Marian's files: arrays of an npz must be float32, the settings bytes") {
  const std::string text = npy_text("x"), numbers = npy({1}, std::vector<float>{1});
  CHECK(error_of(zip({{"W.npy", text}})) ==
        "m: member \"W\": numbers of type \"|i1\", only 32-bit floats (<f4) are read (save "
        "x.astype('float32'))");
  CHECK(error_of(zip({{"special:model.yml.npy", numbers}})) ==
        "m: member \"special:model.yml\": numbers of type \"<f4\", expected bytes (|i1)");
}
