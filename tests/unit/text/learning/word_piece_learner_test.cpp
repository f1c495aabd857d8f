#include <doctest/doctest.h>

#include <algorithm>

#include "support/error.hpp"
#include "text/learning/bpe_learner.hpp"
#include "text/models/word_piece.hpp"

namespace headwater {

TEST_CASE("WordPiece learns merges of characters, with ## inside words") {
  WordTable counts;
  counts.value("hug") = 10;
  counts.value("pug") = 5;
  counts.value("pun") = 12;
  counts.value("bun") = 4;
  counts.value("hugs") = 5;
  const std::vector<std::string> surfaces = learn_word_piece(counts, {.size = 14});
  CHECK(surfaces.size() == 14);
  CHECK(surfaces[0] == "[UNK]");
  CHECK(std::find(surfaces.begin(), surfaces.end(), "##ug") != surfaces.end());
  CHECK(std::find(surfaces.begin(), surfaces.end(), "##un") != surfaces.end());
  const WordPiece model(surfaces, {});
  std::vector<std::int32_t> ids;
  model.encode("bugs", ids);
  for (const std::int32_t id : ids) CHECK(id > 0);
  ids.clear();
  model.encode("cat", ids);
  CHECK(ids == std::vector<std::int32_t>{0});
}

TEST_CASE("WordPiece refuses a piece of thousands of others, whose table would be its square") {
  const auto model_of = [](std::size_t length) {
    return WordPiece({"[UNK]", "x" + std::string(length, 'a'), "##a", "x"}, {.max_characters = 1u << 20});
  };
  std::vector<std::int32_t> ids;
  model_of(1000).encode("x" + std::string(1500, 'a'), ids);
  CHECK(ids.size() == 501);
  CHECK_THROWS_WITH_AS((void)model_of(8000),
                       "vocabulary: its long pieces take too many short ones for WordPiece", Error);
}

}  // namespace headwater
