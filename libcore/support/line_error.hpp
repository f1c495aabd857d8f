// An error of one of the lines that were given together.
#pragma once

#include <cstddef>
#include <string>

#include "support/error.hpp"

namespace headwater {

// `line` counts from 0 within what the call was given; who knows the file puts its place before the message.
class LineError : public Error {
 public:
  LineError(std::size_t of_line, const std::string& what) : Error(what), line(of_line) {}
  std::size_t line;
};

inline constexpr const char* kOutputNotFinite =
    "the model's output is not finite (its weights are damaged or far too large; take another checkpoint)";

}  // namespace headwater
