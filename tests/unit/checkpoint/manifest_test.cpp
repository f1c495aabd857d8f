#include <doctest/doctest.h>

#include "checkpoint/directory.hpp"
#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

const std::string kHash = "06b05ab6733a618578af5f94892f3950";

std::string entry(std::string_view file, std::string_view bytes = "3", std::string_view hash = kHash) {
  return "    {\n      \"file\": \"" + std::string(file) + "\",\n      \"bytes\": " + std::string(bytes) +
         ",\n      \"xxh3_128\": \"" + std::string(hash) + "\"\n    }";
}

std::string manifest(std::string_view entries, std::string_view version = "1") {
  return "{\n  \"version\": " + std::string(version) + ",\n  \"best\": false,\n  \"files\": [\n" +
         std::string(entries) + "\n  ]\n}\n";
}

std::string refusal(std::string_view text) {
  return error_text([&] { parse_manifest(text, "m"); });
}

// A checkpoint of three small files in a folder of its own, written by the protocol.
fs::path small_checkpoint(const fs::path& model) {
  const float values[] = {1, 2, 3, 4};
  CheckpointWriter writer(model, 40);
  writer.add_file("model.safetensors", to_safetensors({float_tensor("w", {2, 2}, values)}));
  writer.add_file("state.json", "{\"step\":40}\n");
  writer.add_file("empty", "");
  return writer.finish({.is_best = true});
}

// What a restored program would see: the contents of every file the manifest names.
std::vector<std::string> contents(const fs::path& checkpoint) {
  std::vector<std::string> out;
  for (const Manifest::File& file : verify_checkpoint(checkpoint).files)
    out.push_back(file.name + "=" + read_file(checkpoint / file.name));
  return out;
}

void overwrite(const fs::path& path, std::string_view bytes) {
  fs::remove(path);
  write_new_file(path, bytes);
}

}  // namespace

TEST_CASE("manifest: its text and back") {
  const Manifest written{.is_best = false,
                         .files = {{"a", 3, kHash}, {"b c.json", 18446744073709551615u, kHash}}};
  CHECK(manifest_text({.files = {{"a", 3, kHash}}}) == manifest(entry("a")));
  const Manifest read = parse_manifest(manifest_text(written), "m");
  REQUIRE(read.files.size() == 2);
  CHECK(read.files[1].name == "b c.json");
  CHECK(read.files[1].bytes == 18446744073709551615u);
  CHECK(read.files[1].xxh3_128 == kHash);
  CHECK_FALSE(read.is_best);
  CHECK(parse_manifest(manifest_text({.is_best = true, .files = {{"a", 3, kHash}}}), "m").is_best);
}

TEST_CASE("manifest: what it may not say") {
  CHECK(refusal(manifest(entry("../a"))) == "m: \"../a\" is no plain file name");
  CHECK(refusal(manifest(entry("/etc/passwd"))) == "m: \"/etc/passwd\" is no plain file name");
  CHECK(refusal(manifest(entry(".."))) == "m: \"..\" is no plain file name");
  CHECK(refusal(manifest(entry("."))) == "m: \".\" is no plain file name");
  CHECK(refusal(manifest(entry(""))) == "m: \"\" is no plain file name");
  CHECK(refusal(manifest(entry("a\\u0000b"))).ends_with("is no plain file name"));
  CHECK(refusal(manifest(entry("MANIFEST.json"))) == "m: \"MANIFEST.json\" is no plain file name");
  CHECK(refusal(manifest(entry(std::string(256, 'a')))).ends_with("is no plain file name"));
  CHECK(refusal(manifest(entry("a") + ",\n" + entry("a"))) == "m: \"a\" is listed twice");
  CHECK(refusal(manifest(entry("a", "-3"))) == "m: expected a non-negative integer, found a number");
  CHECK(refusal(manifest(entry("a", "3.0"))) == "m: expected a non-negative integer, found a number");
  CHECK(refusal(manifest(entry("a", "3", kHash.substr(1))))
            .ends_with("is not 32 lower-case hexadecimal digits"));
  CHECK(refusal(manifest(entry("a", "3", "06B05ab6733a618578af5f94892f3950")))
            .ends_with("is not 32 lower-case hexadecimal digits"));
  CHECK(refusal(manifest(entry("a"), "2")) == "m: version 2 is not 1 (use the release that wrote it)");
  CHECK(refusal("{\n  \"version\": 1,\n  \"best\": false,\n  \"files\": []\n}\n") == "m: lists no file");
  CHECK(refusal("{\"version\": 1}") == "m: member \"best\" is missing");
  CHECK(refusal("[]") == "m: expected an object, found an array");
  CHECK(refusal(manifest(entry("a")) + " ") == "m: is not written as this program writes it");
  CHECK(refusal("").starts_with("m:1:1: no valid JSON"));
}

TEST_CASE("manifest: missing, longer, shorter, changed and strange files are found") {
  ScratchDirectory scratch;
  const fs::path checkpoint = small_checkpoint(scratch / "model");
  const auto verdict = [&] { return error_text([&] { verify_checkpoint(checkpoint); }); };
  const fs::path state = checkpoint / "state.json";
  CHECK(verdict() == "(no error)");
  overwrite(state, "{\"step\":40}");
  CHECK(verdict() == state.string() + ": has 11 bytes, the manifest says 12");
  overwrite(state, "{\"step\":40}\n\n");
  CHECK(verdict() == state.string() + ": has 13 bytes, the manifest says 12");
  overwrite(state, "{\"step\":41}\n");
  CHECK(verdict() ==
        state.string() + ": the bytes differ from what was saved (restore a copy or use another checkpoint)");
  fs::remove(state);
  CHECK(verdict() == state.string() + ": cannot open: no such file or directory");
  fs::create_directory(state);
  CHECK(verdict() == state.string() + ": not a regular file (it is a directory)");
  fs::remove(state);
  overwrite(checkpoint / "MANIFEST.json", std::string(2 << 20, ' '));
  CHECK(verdict().ends_with("MANIFEST.json: larger than 1048576 bytes"));
  fs::remove(checkpoint / "MANIFEST.json");
  CHECK(verdict().ends_with("MANIFEST.json: cannot open: no such file or directory"));
}

TEST_CASE("manifest: every single bit of every file of a checkpoint") {
  ScratchDirectory scratch;
  const fs::path checkpoint = small_checkpoint(scratch / "model");
  const std::vector<std::string> original = contents(checkpoint);
  int flips = 0;
  for (const char* name : {"model.safetensors", "state.json", "MANIFEST.json"}) {
    const std::string bytes = read_file(checkpoint / name);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
      // No fsync: thousands of files.
      {
        NewFile file(checkpoint / "flipped");
        file.write(flipped);
      }
      fs::rename(checkpoint / "flipped", checkpoint / name);
      CAPTURE(name);
      CAPTURE(bit);
      REQUIRE(error_text([&] { verify_checkpoint(checkpoint); }) != "(no error)");
      ++flips;
    }
    overwrite(checkpoint / name, bytes);
    REQUIRE(contents(checkpoint) == original);
  }
  MESSAGE(flips, " flips, all found");
  CHECK(flips > 4000);
}

TEST_CASE("manifest: 10,000 random flips in a larger file change its hash") {
  std::string bytes(100'000, '\0');
  const RandomStream stream{.seed = 5};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random_word(stream, i));
  const std::string hash = hash128(bytes);
  for (std::uint64_t trial = 0; trial < 10'000; ++trial) {
    const std::uint64_t bit = random_below({.seed = 6}, trial, bytes.size() * 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    REQUIRE(hash128(bytes) != hash);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
  }
  CHECK(hash128(bytes) == hash);
}
