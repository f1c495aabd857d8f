// Batches of images, cut into patches that a model reads like tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/packed_tokens.hpp"

namespace headwater {

// Square patches, row by row. Pixels at the right and lower edge that do not fill a patch are left out.
struct PatchGrid {
  Index height = 0, width = 0, channels = 0;  // of an image
  Index patch_size = 1;

  Index columns() const { return width / patch_size; }
  Index patches() const { return (height / patch_size) * columns(); }
  Index patch_values() const { return patch_size * patch_size * channels; }
};

// Sequences of one length without ids.
struct EqualSequences {
  std::vector<Index> offsets;  // as of PackedTokens
  std::vector<std::int32_t> position_of;
  ReductionTree plan;
  Index first_token = 0;  // in the global batch, of which this may be a part

  void assign(const BatchPart& part, Index length);  // reuses the vectors' memory
};

struct ImageBatch {
  std::vector<Real> pixels;  // [images·patches, patch_values]; a patch's values row by row, channels last
  EqualSequences patches;
  EqualSequences tokens;             // the same, one longer where a class token stands before the patches
  SequenceRows rows;                 // one row an image
  std::vector<std::int32_t> labels;  // one an image; empty where they are to be found

  void clear();
  // values: [height, width, channels]
  void add(std::span<const Real> values, const PatchGrid& grid);
  // After the last add, of the images of this part of the global batch.
  void finish(const PatchGrid& grid, bool has_class_token, const BatchPart& part);
  void finish(const PatchGrid& grid, bool has_class_token);  // of a whole batch
};

}  // namespace headwater
