// npy files: the head that is written, and files that are read.
#include "checkpoint/npy.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "error_text.hpp"

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

namespace {

// A file with this header, which is filled up as numpy does, and so many bytes of numbers.
std::string file_of(const std::string& header, std::size_t bytes, unsigned char version = 1) {
  std::string file("\x93NUMPY", 6);
  file.push_back(static_cast<char>(version));
  file.push_back('\0');
  for (std::size_t i = 0; i < (version == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<char>((header.size() + 1) >> 8 * i & 0xFF));
  return file + header + "\n" + std::string(bytes, '\0');
}

std::string error_of(const std::string& file) {
  return error_text([&] { read_npy(file, "f"); });
}

}  // namespace

TEST_CASE("npy: what numpy writes is read, in each version and order of keys") {
  const std::string head = npy_head(std::vector<std::int64_t>{2, 3}), numbers(24, '\1');
  const std::string file = head + numbers;
  const NpyArray array = read_npy(file, "f");
  CHECK(array.shape == std::vector<std::int64_t>{2, 3});
  CHECK(array.values == numbers);
  const std::string header = R"({"shape": (2,), 'fortran_order': False,'descr': '<f4'})";
  for (const unsigned char version : {1, 2, 3})
    CHECK(read_npy(file_of(header, 8, version), "f").shape == std::vector<std::int64_t>{2});
  CHECK(read_npy(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", 0), "f")
            .values.empty());
  CHECK(read_npy(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4), "f").shape.empty());
}

TEST_CASE("npy: what is no array of rows of float32 is refused in one line") {
  const auto described = [](const std::string& type, const std::string& order, const std::string& shape) {
    return "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  const std::string good = described("'<f4'", "False", "(2, 3)");
  CHECK_NOTHROW(read_npy(file_of(good, 24), "f"));
  CHECK(error_of(file_of(good, 23)) ==
        "f: 23 bytes of numbers, the header promises 24 (copy the file again)");
  CHECK(error_of(file_of(good, 25)).starts_with("f: 25 bytes of numbers"));
  CHECK(error_of(file_of(described("'<f4'", "False", "(9223372036854775807, 9223372036854775807)"), 4))
            .starts_with("f: 4 bytes of numbers, the header promises more than there can be"));
  CHECK(error_of(file_of(described("'<f4'", "False", "(4611686018427387905, 4)"), 4))
            .starts_with("f: 4 bytes of numbers, the header promises more"));
  CHECK(
      error_of(file_of(described("'>f4'", "False", "(2, 3)"), 24)).starts_with("f: numbers of type \">f4\""));
  CHECK(error_of(file_of(described("'<f4'", "True", "(2, 3)"), 24)).starts_with("f: columns one after"));
  for (const std::string& shape :
       std::vector<std::string>{"(-2, 3)", "(2 3)", "(2.0, 3)", "2, 3", "(99999999999999999999,)", "(2, 3"}) {
    INFO(shape);
    CHECK(
        error_of(file_of(described("'<f4'", "False", shape), 24)).starts_with("f: header of an npy file: "));
  }
  for (const std::string& header : std::vector<std::string>{
           std::string(), std::string("{"), std::string("[]"), good + "x", "{'x': 1, " + good,
           good.substr(0, 16) + "}", "{'descr': [('a', '<f4')]}", "{'descr': '<f4', 'descr': '<f4'}"}) {
    INFO(header);
    CHECK(error_of(file_of(header, 24)).starts_with("f: header of an npy file: "));
  }
  CHECK(error_of(file_of(good, 24, 4)) == "f: version 4 of npy, this program knows 1 to 3");
  const std::string file = file_of(good, 24);
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK(error_of(file.substr(0, size)).starts_with("f: "));
}
