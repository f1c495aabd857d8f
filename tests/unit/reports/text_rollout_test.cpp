// Rollout between the tokens of a text, by hand and by what must hold of it.
#include "reports/attention_map.hpp"

#include <doctest/doctest.h>

using namespace headwater;

namespace {

AttentionRecord record(std::int64_t layer, std::int64_t head, std::vector<float> weights,
                       AttentionKind kind = AttentionKind::encoder) {
  AttentionRecord made{.kind = kind, .layer = layer, .head = head};
  made.query_tokens = made.key_tokens = {"a", "b"};
  made.weights = std::move(weights);
  return made;
}

std::vector<AttentionRecord> rollout_of(const std::vector<AttentionRecord>& heads) {
  TextRollout rollout;
  for (const AttentionRecord& head : heads) {
    rollout.add(head, [&](const AttentionHeads::UseRows& use) {  // a row at a time
      for (std::size_t q = 0; q < head.queries(); ++q)
        use(q, std::span(head.weights).subspan(q * head.keys(), head.keys()));
    });
  }
  return rollout.finish();
}

}  // namespace

TEST_CASE("rollout of a text: the product of the layers, each with its residual") {
  // Means over heads: [[.5 .5] [.25 .75]] and [[0 1] [1 0]]; with the identity, halved: [[.75 .25] [.125
  // .875]] and [[.5 .5] [.5 .5]], whose product, the last on the left, has rows [.4375 .5625].
  const std::vector<AttentionRecord> records{record(0, 0, {1, 0, 0.5, 0.5}), record(0, 1, {0, 1, 0, 1}),
                                             record(1, 0, {0, 1, 1, 0}), record(1, 1, {0, 1, 1, 0})};
  const std::vector<AttentionRecord> all = rollout_of(records);
  REQUIRE(all.size() == 1);
  CHECK(all[0].layer == -1);
  CHECK(all[0].head == -1);
  CHECK(all[0].weights == std::vector<float>{0.4375F, 0.5625F, 0.4375F, 0.5625F});
}

TEST_CASE("rollout of a causal decoder looks at nothing later, and cross attention is left out") {
  const std::vector<AttentionRecord> records{record(0, 0, {1, 0, 0.5, 0.5}, AttentionKind::decoder),
                                             record(1, 0, {1, 0, 0.5, 0.5}, AttentionKind::decoder),
                                             record(0, 0, {0.5, 0.5, 0.5, 0.5}, AttentionKind::cross)};
  const std::vector<AttentionRecord> all = rollout_of(records);
  REQUIRE(all.size() == 1);
  CHECK(all[0].kind == AttentionKind::decoder);
  CHECK(all[0].weights == std::vector<float>{1, 0, 0.4375F, 0.5625F});
}

TEST_CASE("rollout leaves padding out that only asks") {
  AttentionRecord padded = record(0, 0, {0.5, 0.5, 0.5, 0.5, 1, 0});
  padded.query_tokens.emplace_back("[PAD]");
  const std::vector<AttentionRecord> all = rollout_of({padded});
  CHECK(all[0].queries() == 2);
  CHECK(all[0].weights == std::vector<float>{0.75F, 0.25F, 0.25F, 0.75F});
}
