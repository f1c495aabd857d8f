// What reading a header may cost (SECURITY.md). This file replaces the program's operator new.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "checkpoint/safetensors.hpp"
#include "error_text.hpp"
#include "safetensors_bytes.hpp"

namespace {

std::atomic<std::int64_t> live{0}, peak{0};

void* allocate(std::size_t bytes) {
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  const std::int64_t now = live.fetch_add(static_cast<std::int64_t>(::malloc_usable_size(p))) +
                           static_cast<std::int64_t>(::malloc_usable_size(p));
  std::int64_t before = peak.load();
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
  return p;
}

void release(void* p) {
  if (p != nullptr) live.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(p)));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }

using namespace headwater;

namespace {

// The most bytes that f() has beyond those it finds.
template <class F>
std::int64_t max_bytes(const F& f) {
  peak = live.load();
  const std::int64_t before = live.load();
  f();
  return peak.load() - before;
}

// Tensors of one float each, with names of so many letters and shapes of so many dimensions.
std::string header_of(int tensors, std::size_t letters, int rank) {
  std::string header = "{";
  for (int i = 0; i < tensors; ++i) {
    std::string number = std::to_string(i), shape;
    number.insert(0, letters - std::min(letters, number.size()), 'x');
    for (int d = 0; d < rank; ++d) shape += d == 0 ? "1" : ",1";
    header += (i == 0 ? "\"" : ",\"") + number + R"(":{"dtype":"F32","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(4 * i) + "," + std::to_string(4 * i + 4) + "]}";
  }
  return header + "}";
}

}  // namespace

TEST_CASE("safetensors: reading a header takes at most eight times its bytes") {
  for (const int tensors :
       {1000, 2049}) {  // and just above a power of two, where a doubled vector is emptiest
    for (const std::size_t letters : {5u, 14u, 17u, 40u, 200u}) {
      for (const int rank : {0, 1, 3, 8}) {
        const std::string header = header_of(tensors, letters, rank);
        const std::string file = framed(header, std::string(static_cast<std::size_t>(tensors) * 4, '\0'));
        const std::int64_t bytes = max_bytes([&] {
          const Safetensors read(file, "file");
          CHECK(read.tensors().size() == static_cast<std::size_t>(tensors));
        });
        INFO(tensors, " tensors, names of ", letters, " letters, rank ", rank, ": ", bytes,
             " bytes for a header of ", header.size());
        CHECK(bytes <= 8 * static_cast<std::int64_t>(header.size()));
      }
    }
  }
}

TEST_CASE("safetensors: no size that a file claims is allocated before it is checked") {
  const std::string claims[] = {
      framed("{}", "", 100'000'000),
      framed("{}", "", ~std::uint64_t{0}),
      framed(
          R"({"a":{"dtype":"F32","shape":[1000000000,1000000000],"data_offsets":[0,4000000000000000000]}})",
          "1234"),
      framed(R"({"a":{"dtype":"F32","shape":[25000000],"data_offsets":[0,100000000]}})", "1234"),
      framed(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[281474976710651,281474976710655]}})", "1234"),
  };
  for (const std::string& claim : claims) {
    std::string said;
    const std::int64_t bytes = max_bytes([&] { said = error_text([&] { Safetensors(claim, "file"); }); });
    INFO(said);
    CHECK(said != "(no error)");
    CHECK(bytes < 16384);
  }
}
