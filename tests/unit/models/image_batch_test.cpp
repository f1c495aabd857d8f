#include "families/vision/model.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE("images are cut into patches row by row, and edges that fill none are left out") {
  // 5 x 7 pixels of 2 channels; the value of a pixel says where it stands.
  std::vector<Real> image;
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      for (int c = 0; c < 2; ++c) image.push_back(static_cast<Real>(100 * y + 10 * x + c));
    }
  }
  const PatchGrid grid{.height = 5, .width = 7, .channels = 2, .patch_size = 2};
  REQUIRE(grid.patches() == 6);
  REQUIRE(grid.patch_values() == 8);
  ImageBatch batch;
  batch.clear();
  batch.add(image, grid);
  batch.add(image, grid);
  batch.finish(grid, true);
  REQUIRE(batch.pixels.size() == 2 * 6 * 8);
  const auto patch = [&](std::ptrdiff_t i) {
    return std::vector<Real>(batch.pixels.begin() + i * 8, batch.pixels.begin() + (i + 1) * 8);
  };
  CHECK(patch(0) == std::vector<Real>{0, 1, 10, 11, 100, 101, 110, 111});
  CHECK(patch(2) == std::vector<Real>{40, 41, 50, 51, 140, 141, 150, 151});
  CHECK(patch(3) == std::vector<Real>{200, 201, 210, 211, 300, 301, 310, 311});
  CHECK(patch(6) == patch(0));
  CHECK(batch.patches.offsets == std::vector<Index>{0, 6, 12});
  CHECK(batch.tokens.offsets == std::vector<Index>{0, 7, 14});
  CHECK(batch.tokens.position_of == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6});
  CHECK(batch.rows.offsets == std::vector<Index>{0, 1, 2});
  batch.finish(grid, false);
  CHECK(batch.tokens.offsets == batch.patches.offsets);
}
