// What happens to values when memory runs out. This file replaces the program's operator new.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>

#include "support/json.hpp"

namespace {

thread_local int allocations_left = -1;  // negative: no limit

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

using namespace headwater;

TEST_CASE("json: a copy for which there is no memory leaves nothing behind") {
  const Json original = Json::parse(
      R"({"a name that is longer than a short string": ["a text that is longer than a short string", 1.5, null],
          "b": {"c": [[], {}, -1, 18446744073709551615, true]}})",
      "text");
  const std::string text = original.dump();
  int needed = 0;
  for (bool is_done = false; !is_done; ++needed) {
    REQUIRE(needed < 1000);
    allocations_left = needed;
    try {
      const Json copy = original;
      is_done = true;
      allocations_left = -1;
      CHECK(copy.dump() == text);
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
  }
  CHECK(needed > 5);
  CHECK(original.dump() == text);
}
