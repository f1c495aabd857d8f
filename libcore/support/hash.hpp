// XXH3 of bytes: for manifests and for naming data and streams of random numbers, not for security.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headwater {

// XXH3-128 as 32 lower-case hexadecimal digits.
std::string hash128(std::string_view bytes);
// XXH3-64.
std::uint64_t hash64(std::string_view bytes);

// hash128() over pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void update(std::string_view bytes);
  std::string digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headwater
