// Greedy decoding of models whose output layer is set by hand.
#include "decoding/next_token.hpp"

#include <doctest/doctest.h>

#include "decode_greedily.hpp"
#include "families/translator/model.hpp"
#include "start_prompts.hpp"
#include "support/parallel.hpp"

using namespace headwater;

namespace {

using Sequences = std::vector<std::vector<std::int32_t>>;

struct Fixed {
  EncoderDecoder model;
  PackedTokens source;

  Fixed() : model(settings(), 20, 12) {
    model.parameters().allocate(false);
    model.parameters().initialize(1);
    source.clear();
    for (const auto& ids : Sequences{{4}, {5, 6, 7, 8, 9}, {10, 4}}) source.add(ids);
    source.finish();
  }
  static EncoderDecoderSettings settings() {
    EncoderDecoderSettings s;
    s.transformer.width = 8;
    s.transformer.heads = 2;
    s.transformer.feed_forward_width = 12;
    s.transformer.length = 5;
    return s;
  }
  // The model prefers these ids whatever it reads, the first most.
  void prefer(const std::vector<std::int32_t>& ids) {
    Parameter* bias = model.parameters().find("head.bias");
    std::fill_n(bias->value.data, bias->size(), Real(0));
    Real liking = 1000;
    for (const std::int32_t id : ids) bias->value.data[id] = liking -= 100;
  }
  Sequences decode(const GenerationSettings& settings) {
    return decode_greedily(model, start_prompts(source, 2), settings);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixed, "without an end token decoding stops at the model's length, or at max_new_tokens") {
  prefer({7});
  CHECK(decode({}) == Sequences(3, std::vector<std::int32_t>(5, 7)));
  GenerationSettings settings;
  settings.search.max_new_tokens = 2;
  CHECK(decode(settings) == Sequences(3, std::vector<std::int32_t>(2, 7)));
  settings.search.max_new_tokens = 100;
  CHECK(decode(settings) == Sequences(3, std::vector<std::int32_t>(5, 7)));
}

TEST_CASE_FIXTURE(Fixed, "the end token ends a sequence and is no part of it") {
  prefer({3});
  CHECK(decode({}) == Sequences(3));
  GenerationSettings settings;
  settings.end_id = 9;
  CHECK(decode(settings) == Sequences(3, std::vector<std::int32_t>(5, 3)));
}

TEST_CASE_FIXTURE(Fixed, "ids that are never chosen, and rows without a token, are passed over") {
  prefer({1, 0, 11, 6});
  GenerationSettings settings;
  settings.suppress_tokens = {0, 1};
  CHECK(decode(settings) == Sequences(3, std::vector<std::int32_t>(5, 11)));
  settings.vocabulary_limit = 11;
  CHECK(decode(settings) == Sequences(3, std::vector<std::int32_t>(5, 6)));
}

TEST_CASE_FIXTURE(Fixed, "no sequences give no results") {
  source.clear();
  source.finish();
  CHECK(decode({}).empty());
}

TEST_CASE_FIXTURE(Fixed, "a decoder is used again and again") {
  for (Real& value : model.parameters().values()) value *= 8;
  Decoder decoder(model);
  const auto decoded = [&](const PackedTokens& batch) {
    Sequences best;
    for (const Hypotheses& found : decoder.decode(start_prompts(batch, 2), {}))
      best.push_back(found.front().ids);
    return best;
  };
  const Sequences expected = decoded(source);
  CHECK(decode({}) == expected);
  Sequences many, all;
  for (int i = 0; i < 50; ++i) {
    for (Index s = 0; s < source.sequences(); ++s) {
      many.emplace_back(source.sequence(s).begin(), source.sequence(s).end());
      all.push_back(expected[s]);
    }
  }
  PackedTokens batch;
  batch.clear();
  for (const auto& ids : many) batch.add(ids);
  batch.finish();
  CHECK(decoded(batch) == all);
  CHECK(decoded(source) == expected);
}

TEST_CASE_FIXTURE(Fixed,
                  "sequences end at their own places, and the result is the same on any number of threads") {
  // Weights large enough that the next token depends on the last ones.
  for (Real& value : model.parameters().values()) value *= 8;
  GenerationSettings settings;
  settings.suppress_tokens = {0, 1, 2};
  Sequences sources;
  for (std::int32_t i = 0; i < 40; ++i) sources.push_back({4 + i % 16, 4 + (i * 7) % 16, 4 + (i * 5) % 13});
  source.clear();
  for (const auto& ids : sources) source.add(ids);
  source.finish();
  const Sequences expected = decode(settings);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    source.clear();
    source.add(sources[s]);
    source.finish();
    CHECK(decode(settings)[0] == expected[s]);
  }
  source.clear();
  for (const auto& ids : sources) source.add(ids);
  source.finish();
  for (const int threads : {1, 3}) {
    Sequences found;
    ThreadPool(threads).run([&] { found = decode(settings); });
    CHECK(found == expected);
  }
  bool differ = false;
  for (const auto& sequence : expected) differ = differ || sequence != expected[0];
  CHECK(differ);
}
