// Positions of an encoder that has a token without one, as RoBERTa has.
#include "families/text_encoder/model.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE(
    "a token that is not counted has the first row of the positions, and the others count on without it") {
  TextEmbedderSettings settings;
  settings.transformer.width = 2;
  settings.transformer.heads = 1;
  settings.transformer.length = 4;
  settings.encoder_layers = 0;
  settings.uncounted_token = 3;
  TextEmbedder model(settings, 7);
  model.parameters().allocate(false);
  const Parameter& positions = *model.parameters().find("embedding.positions");
  REQUIRE(positions.value.rows == 5);
  for (Real& value : model.parameters().values()) value = 0;
  for (Index row = 0; row < 5; ++row) positions.value.data[2 * row] = static_cast<Real>(row);

  PackedTokens tokens;
  tokens.clear();
  tokens.add(std::vector<std::int32_t>{5, 3, 6, 3});
  tokens.add(std::vector<std::int32_t>{3, 4});
  tokens.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const Matrix x = model.encoder().embed({tape}, tokens, {}).value();
  std::vector<Real> rows;
  for (Index token = 0; token < x.rows; ++token) rows.push_back(x.row(token)[0]);
  CHECK(rows == std::vector<Real>{1, 0, 2, 0, 0, 1});
}
