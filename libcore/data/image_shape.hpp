// The sizes of images of bytes, and the limits that readers hold them to before they compute with them.
#pragma once

#include <cstdint>
#include <string>

namespace headwater {

constexpr std::int64_t kMaxImageSide = 8192;  // of height and width
constexpr std::int64_t kMaxImageChannels = 16;
constexpr std::int64_t kMaxImages = 0xFFFFFFFF;  // the numbers of a Subset have 32 bits
constexpr std::int64_t kMaxImageLabels = 65536;

// An image is height x width x channels bytes, row by row, channels last.
struct ImageShape {
  std::int64_t height = 0, width = 0, channels = 0;

  std::int64_t bytes() const { return height * width * channels; }
  std::string text() const {  // "28x28x1"
    return std::to_string(height) + "x" + std::to_string(width) + "x" + std::to_string(channels);
  }
  bool operator==(const ImageShape&) const = default;
};

}  // namespace headwater
