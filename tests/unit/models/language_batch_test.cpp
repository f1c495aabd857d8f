#include "families/language_model/model.hpp"

#include <doctest/doctest.h>

using namespace headwater;

namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a language model reads all ids but the last and predicts all but the first") {
  TokenBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{2, 5, 6, 3});
  batch.add(std::vector<std::int32_t>{2, 3});
  batch.finish();
  CHECK(batch.tokens.ids == std::vector<std::int32_t>{2, 5, 6, 2});
  CHECK(batch.labels == std::vector<std::int32_t>{5, 6, 3, 3});
  CHECK(batch.tokens.offsets == std::vector<Index>{0, 3, 4});
}

TEST_CASE("of a delimited text the target is predicted alone, the delimiter read before it") {
  const Ids source{5, 6, 7}, target{8, 9, 3}, short_target{3};
  TokenBatch batch;
  batch.clear();
  batch.add(DelimitedText{source, target, 4});
  batch.add(DelimitedText{{}, short_target, 4});
  batch.finish();
  CHECK(batch.is_delimited());
  CHECK(batch.tokens.ids == Ids{5, 6, 7, 4, 8, 9, 4});
  CHECK(batch.tokens.offsets == std::vector<Index>{0, 6, 7});
  CHECK(batch.tokens.position_of == Ids{0, 1, 2, 3, 4, 5, 0});
  CHECK(batch.predicting.tokens == Ids{3, 4, 5, 6});
  CHECK(batch.predicting.offsets == std::vector<Index>{0, 3, 4});
  CHECK(batch.labels == Ids{8, 9, 3, 3});
  batch.clear();
  batch.skip(DelimitedText{source, target, 4});
  batch.add(source);
  CHECK(batch.tokens.first_token == 6);
  CHECK(batch.predicting.first_token == 3);
  CHECK(!batch.is_delimited());
}

TEST_CASE("a text that is filled up is the text with padding at its end") {
  constexpr Index kLength = 5;
  for (const Ids& text : {Ids{7}, Ids{7, 8}, Ids{7, 8, 9, 6}, Ids{7, 8, 9, 6, 5}, Ids{7, 8, 9, 6, 5, 4}}) {
    INFO(text.size());
    Ids padded = text;
    padded.resize(kLength + 1, 0);
    TokenBatch filled, written;
    for (TokenBatch* batch : {&filled, &written}) {
      batch->clear();
      batch->skip(Ids{2, 3, 4, 5, 6, 7});
    }
    filled.add(text, kLength);
    written.add(padded);
    filled.add(text);
    written.add(text);
    for (TokenBatch* batch : {&filled, &written}) batch->finish();
    CHECK(filled.tokens.ids == written.tokens.ids);
    CHECK(filled.tokens.position_of == written.tokens.position_of);
    CHECK(filled.tokens.offsets == written.tokens.offsets);
    CHECK(filled.labels == written.labels);
    CHECK(filled.padding == kLength + 1 - static_cast<Index>(text.size()));
    CHECK(written.padding == 0);
    filled.clear();
    filled.skip(text, kLength);
    CHECK(filled.tokens.first_token == kLength);
    CHECK(filled.padding == 0);
  }
}

TEST_CASE("where a delimited text has no room, its source is truncated before its target") {
  const Ids source{5, 6, 7}, target{8, 9, 3};
  const DelimitedText text{source, target, 4};
  CHECK(text.size() == 7);
  const std::size_t expected[][2] = {{0, 0}, {0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {3, 3}, {3, 3}};
  for (std::size_t most = 0; most < 9; ++most) {
    const DelimitedText kept = text.truncated(most);
    INFO(most);
    CHECK(kept.source.size() == expected[most][0]);
    CHECK(kept.target.size() == expected[most][1]);
    CHECK(kept.delimiter == 4);
    CHECK(kept.source.data() == source.data());
    CHECK(kept.target.data() == target.data());
  }
}

TEST_CASE("windows predict every id but the first once, after as many as they can") {
  CHECK(text_windows(5, 8, 3) == std::vector<TextWindow>{{0, 1, 5}});
  CHECK(text_windows(9, 8, 3) == std::vector<TextWindow>{{0, 1, 9}});
  CHECK(text_windows(14, 8, 3) == std::vector<TextWindow>{{0, 1, 9}, {3, 9, 12}, {5, 12, 14}});
  for (const std::size_t length : {1U, 2U, 7U}) {
    for (std::size_t stride = 1; stride <= length; ++stride) {
      for (std::size_t ids = 2; ids < 40; ++ids) {
        std::size_t next = 1;
        for (const TextWindow& window : text_windows(ids, length, stride)) {
          CHECK(window.predicted == next);
          CHECK(window.end > window.predicted);
          CHECK(window.end - 1 - window.begin <= length);
          if (window.begin > 0) CHECK(window.predicted - window.begin >= length - stride + 1);
          next = window.end;
        }
        CHECK(next == ids);
      }
    }
  }
}
