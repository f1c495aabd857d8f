#include "data/image_batch.hpp"

#include <numeric>

namespace headwater {

void EqualSequences::assign(const BatchPart& part, Index length) {
  const Index sequences = part.end() - part.begin();
  first_token = part.begin() * length;
  offsets.resize(static_cast<std::size_t>(sequences) + 1);
  position_of.resize(static_cast<std::size_t>(sequences * length));
  for (Index s = 0; s <= sequences; ++s) offsets[static_cast<std::size_t>(s)] = s * length;
  for (Index s = 0; s < sequences; ++s) {
    const auto begin = position_of.begin() + s * length;
    std::iota(begin, begin + length, 0);
  }
  plan.assign(offsets, part);
}

void ImageBatch::clear() {
  pixels.clear();
  labels.clear();
}

void ImageBatch::add(std::span<const Real> values, const PatchGrid& grid) {
  const Index size = grid.patch_size, row = grid.width * grid.channels, patch_row = size * grid.channels;
  for (Index y = 0; y + size <= grid.height; y += size) {
    for (Index x = 0; x + size <= grid.width; x += size) {
      for (Index line = y; line < y + size; ++line) {
        const auto begin = values.begin() + line * row + x * grid.channels;
        pixels.insert(pixels.end(), begin, begin + patch_row);
      }
    }
  }
}

void ImageBatch::finish(const PatchGrid& grid, bool has_class_token, const BatchPart& part) {
  patches.assign(part, grid.patches());
  tokens.assign(part, grid.patches() + (has_class_token ? 1 : 0));
  rows.assign(part);
}

void ImageBatch::finish(const PatchGrid& grid, bool has_class_token) {
  const Index values = grid.patches() * grid.patch_values();
  finish(grid, has_class_token, BatchPart::whole(static_cast<Index>(pixels.size()) / values));
}

}  // namespace headwater
