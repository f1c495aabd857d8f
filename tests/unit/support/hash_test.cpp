#include "support/hash.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE("hash: XXH3-128 as xxh128sum prints it") {
  CHECK(hash128("") == "99aa06d3014798d86001c324468d497f");
  CHECK(hash128("abc") == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("hash: XXH3-64 as xxh64sum's XXH3 prints it") {
  CHECK(hash64("") == 0x2d06800538d394c2u);
  CHECK(hash64("abc") == 0x78af5f94892f3950u);
}

TEST_CASE("hash: pieces give the hash of the whole") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(i * 37 + i / 251);
  const std::string whole = hash128(text);
  for (const std::size_t piece : {1, 7, 64, 240, 1024, 4999}) {
    Hasher hasher;
    for (std::size_t at = 0; at < text.size(); at += piece)
      hasher.update(std::string_view(text).substr(at, piece));
    CHECK(hasher.digest() == whole);
  }
  Hasher hasher;
  hasher.update({});
  CHECK(hasher.digest() == hash128(""));
  Hasher moved = std::move(hasher);
  moved.update("abc");
  CHECK(moved.digest() == hash128("abc"));
}
