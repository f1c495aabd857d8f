// What an image file leaves open: what lies beneath its transparent pixels, and whether it is turned as its
// tag of orientation says.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

struct Background {
  // A pixel has the colour that the file says, however transparent it is.
  bool drops_transparency = true;
  std::array<std::uint8_t, 3> color{};  // otherwise: what transparent pixels are laid on

  bool is_grey() const { return color[0] == color[1] && color[1] == color[2]; }
  // As background_of reads it.
  std::string name() const;
  bool operator==(const Background&) const = default;
};

// "white", "black", "#ff8000" (red, green, blue) or "drop". Throws Error "what" for another word.
Background background_of(std::string_view word);

struct ImageReading {
  Background background = {};
  bool applies_orientation = false;
  bool operator==(const ImageReading&) const = default;
};

// The tag of orientation in EXIF data, which are a TIFF file: 1 .. 8, and 1, as the pixels lie, where there
// is none or the data are damaged.
int orientation_of_exif(std::string_view tiff);
// Whether an image of this orientation is turned onto its side.
constexpr bool swaps_sides(int orientation) { return orientation >= 5; }

}  // namespace headwater
