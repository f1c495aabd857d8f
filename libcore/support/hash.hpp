// XXH3-128 of bytes, as 32 lower-case hexadecimal digits: for manifests and for naming data, not for
// security.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace headwater {

std::string hash128(std::string_view bytes);

// The same over pieces.
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
