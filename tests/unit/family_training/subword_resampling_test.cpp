#include "families/translator/train_objective.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

namespace {

constexpr const char* kLetters =
    R"({"version":"1.0","added_tokens":[)"
    R"({"id":0,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},)"
    R"({"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},)"
    R"({"id":2,"content":"[START]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},)"
    R"({"id":3,"content":"[END]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
    R"("normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":{"type":"Fuse"},)"
    R"("model":{"type":"BPE","unk_token":"[UNK]","vocab":{"[PAD]":0,"[UNK]":1,"[START]":2,"[END]":3,"a":4,"b":5,"ab":6,)"
    R"("abab":7},"merges":[["a","b"],["ab","ab"]]}})";

using Ids = std::vector<std::int32_t>;

Ids drawn(const SubwordResampling& resampling, const Ids& ids, std::int64_t epoch, std::uint32_t example) {
  Ids sampled;
  const std::span<const std::int32_t> result = resampling.apply(ids, epoch, example, sampled);
  return {result.begin(), result.end()};
}

}  // namespace

TEST_CASE("an example is cut anew in each epoch, by its number, epoch and column") {
  const Tokenizer tokenizer = Tokenizer::parse(kLetters, "t.json");
  const SubwordResampling source(tokenizer, {.dropout = 0.5}, 9, 0, 30, "t.json"),
      target(tokenizer, {.dropout = 0.5}, 9, 1, 30, "t.json"),
      other(tokenizer, {.dropout = 0.5}, 10, 0, 30, "t.json");
  const Ids line = {2, 7, 7, 6, 4, 3};
  int different = 0, columns = 0, seeds = 0, examples = 0;
  for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
    const Ids ids = drawn(source, line, epoch, 5);
    CHECK(ids == drawn(source, line, epoch, 5));
    CHECK(ids.front() == 2);
    CHECK(ids.back() == 3);
    CHECK(tokenizer.decode(ids) == tokenizer.decode(line));
    different += ids != line ? 1 : 0;
    columns += ids != drawn(target, line, epoch, 5) ? 1 : 0;
    seeds += ids != drawn(other, line, epoch, 5) ? 1 : 0;
    examples += ids != drawn(source, line, epoch, 6) ? 1 : 0;
  }
  CHECK(different > 10);
  CHECK(columns > 10);
  CHECK(seeds > 10);
  CHECK(examples > 10);
}

TEST_CASE("ids stay as they are where a draw has no place, and where they are not the text's") {
  const Tokenizer tokenizer = Tokenizer::parse(kLetters, "t.json");
  const SubwordResampling narrow(tokenizer, {.dropout = 0.999}, 9, 0, 3, "t.json"),
      wide(tokenizer, {.dropout = 0.999}, 9, 0, 100, "t.json");
  CHECK(drawn(narrow, {2, 7, 3}, 0, 0) == Ids{2, 7, 3});
  CHECK(drawn(wide, {2, 7, 3}, 0, 0) == Ids{2, 4, 5, 4, 5, 3});
  CHECK(drawn(wide, {2, 6, 6, 3}, 0, 0) == Ids{2, 6, 6, 3});  // the text is one token
  CHECK(drawn(wide, {7, 1, 7}, 0, 0) == Ids{7, 1, 7});
  CHECK(drawn(wide, {2, 3}, 0, 0) == Ids{2, 3});
  CHECK(drawn(SubwordResampling(), {7}, 0, 0) == Ids{7});
  CHECK(drawn(SubwordResampling(tokenizer, {}, 9, 0, 100, "t.json"), {7}, 0, 0) == Ids{7});
}

TEST_CASE("a tokenizer without such choices is refused") {
  const Tokenizer tokenizer = Tokenizer::parse(kLetters, "t.json");
  CHECK_THROWS_WITH_AS(SubwordResampling(tokenizer, {.alpha = 0.2}, 9, 0, 30, "t.json"),
                       "training.subword_sampling.alpha: t.json is a BPE tokenizer, it is for Unigram",
                       UsageError);
}
