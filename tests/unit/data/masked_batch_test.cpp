#include "data/masked_batch.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE("masked tokens of a batch are counted from its first token") {
  MaskedBatch batch;
  batch.clear();
  const std::int32_t first[] = {2, 9, 4, 3}, second[] = {2, 4, 4, 8, 3};
  const std::int32_t places_of_first[] = {2}, were_in_first[] = {7};
  const std::int32_t places_of_second[] = {1, 2}, were_in_second[] = {5, 6};
  batch.add(first, places_of_first, were_in_first);
  batch.add(first, {}, {});
  batch.add(second, places_of_second, were_in_second);
  batch.finish();
  CHECK(batch.source.offsets == std::vector<Index>{0, 4, 8, 13});
  CHECK(batch.masked.tokens == std::vector<std::int32_t>{2, 9, 10});
  CHECK(batch.masked.offsets == std::vector<Index>{0, 1, 1, 3});
  CHECK(batch.labels == std::vector<std::int32_t>{7, 5, 6});
  CHECK(batch.masked.plan.rows == 3);
  CHECK(batch.rows.offsets == std::vector<Index>{0, 1, 2, 3});
}

TEST_CASE("a part of a masked batch knows how many tokens stand before it") {
  MaskedBatch batch;
  batch.clear();
  const std::int32_t ids[] = {2, 4, 3}, places[] = {1}, were[] = {7};
  batch.skip(3, 1);
  batch.add(ids, places, were);
  batch.finish(BatchPart{1, 2, 2});
  CHECK(batch.source.first_token == 3);
  CHECK(batch.masked.first_token == 1);
  CHECK(batch.rows.first_token == 1);
}
