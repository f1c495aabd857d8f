// The head of an npy file.
#include "checkpoint/npy.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace headwater;

TEST_CASE("npy: the head is a multiple of 64 bytes, and says the shape as Python does") {
  const std::string two = npy_head(std::vector<std::int64_t>{5, 384}),
                    one = npy_head(std::vector<std::int64_t>{7});
  for (const std::string& head : {two, one}) {
    CHECK(head.size() % 64 == 0);
    CHECK(head.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
    CHECK(static_cast<unsigned char>(head[8]) + 256U * static_cast<unsigned char>(head[9]) ==
          head.size() - 10);
    CHECK(head.back() == '\n');
  }
  CHECK(two.find("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 384), }") == 10);
  CHECK(one.find("'shape': (7,), }") != std::string::npos);
}
