#include "checkpoint/npy.hpp"

#include <bit>
#include <cstddef>

namespace headwater {

std::string npy_head(std::span<const std::int64_t> shape) {
  static_assert(std::endian::native == std::endian::little);
  std::string sizes;
  for (const std::int64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  if (shape.size() == 1) sizes += ",";
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // magic, version, length of the header
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kPreamble + header.size()) % kAlignment, ' ').push_back('\n');
  std::string head("\x93NUMPY\x01\x00", 8);
  head.push_back(static_cast<char>(header.size() & 0xFF));
  head.push_back(static_cast<char>(header.size() >> 8));
  return head + header;
}

}  // namespace headwater
