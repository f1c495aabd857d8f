// Words in the places of masks: what is read of a text, and that candidates are the model's own.
#include "decoding/fill_mask.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

constexpr Index kLength = 16;

LoadedMaskedLm random_model(Index length = kLength) {
  TokenizerLearner learner({.split = SplitKind::word, .size = 20, .text_template = TextTemplate::bert});
  learner.add("the quick brown fox jumps over the lazy dog . , again\n");
  Tokenizer tokenizer = learner.finish();
  MaskedLmSettings settings;
  settings.transformer.width = 16;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 24;
  settings.transformer.length = length;
  settings.segments = 2;
  auto model = std::make_unique<MaskedLanguageModel>(settings, tokenizer.vocabulary_size());
  model->parameters().allocate(false);
  model->parameters().initialize(1);
  for (Real& value : model->parameters().values()) value *= 6;
  const std::int32_t mask_id = mask_id_of(tokenizer, "here");
  return {"nowhere", tokenizer, std::move(model), 2, mask_id, false, length};
}

// 600 lines of 1 to 3 masks among 0 to 12 words.
std::vector<std::string> some_lines() {
  const std::string words[] = {"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 600; ++i) {
    std::string line = "[MASK]";
    for (std::size_t w = 0; w < i % 12; ++w)
      line += ' ' + (w % 5 == 4 ? std::string("[MASK]") : words[(i * 3 + w * (1 + i % 7)) % 8]);
    lines.push_back(line);
  }
  return lines;
}

using Filled = std::vector<std::vector<MaskCandidates>>;

Filled filled(const LoadedMaskedLm& files, const std::vector<std::string>& lines, std::size_t batch,
              const MaskFiller::Settings& settings) {
  MaskFiller filler(files, settings);
  Filled all;
  for (std::size_t begin = 0; begin < lines.size(); begin += batch) {
    const std::size_t end = std::min(begin + batch, lines.size());
    filler.fill({lines.begin() + static_cast<std::ptrdiff_t>(begin),
                 lines.begin() + static_cast<std::ptrdiff_t>(end)},
                [&](std::size_t line, std::span<const MaskCandidates> masks) {
                  CHECK(begin + line == all.size());
                  all.emplace_back(masks.begin(), masks.end());
                });
  }
  return all;
}

bool are_same(const Filled& a, const Filled& b) {
  const auto same = [](const MaskCandidate& x, const MaskCandidate& y) {
    return x.id == y.id && x.probability == y.probability;
  };
  return std::ranges::equal(a, b, [&](const auto& x, const auto& y) {
    return std::ranges::equal(x, y,
                              [&](const auto& v, const auto& w) { return std::ranges::equal(v, w, same); });
  });
}

}  // namespace

TEST_CASE("[MASK] in a text becomes its token, and nothing else does") {
  const LoadedMaskedLm files = random_model();
  MaskedIds found;
  const auto id = [&](const char* word) { return files.tokenizer.id_of_token(word); };
  const std::int32_t begin = files.tokenizer.start_id(), end = files.tokenizer.end_id(), mask = files.mask_id;
  files.masked_ids("the [MASK]over fox[MASK][MASK]", found);
  const std::vector<std::int32_t> expected{begin, id("the"), mask, id("over"), id("fox"), mask, mask, end};
  CHECK(found.ids == expected);
  CHECK(found.places == std::vector<std::int32_t>{2, 5, 6});
  CHECK(found.masks == 3);
  CHECK(!found.is_truncated);
  for (const char* text : {"", "the fox", "[mask] [MASK MASK] [PAD]"}) {
    files.masked_ids(text, found);
    CHECK(found.masks == 0);
    CHECK(found.places.empty());
    CHECK(std::ranges::count(found.ids, mask) == 0);
  }
}

TEST_CASE("masks beyond the model's length are counted and not read") {
  const LoadedMaskedLm files = random_model(6);
  MaskedIds found;
  files.masked_ids("the [MASK] fox jumps [MASK]", found);
  CHECK(found.ids.size() == 6);
  CHECK(found.is_truncated);
  CHECK(found.masks == 2);
  CHECK(found.places == std::vector<std::int32_t>{2});
}

TEST_CASE("a mask takes the space before it where words have it in their tokens") {
  const char* const json =
      R"({"added_tokens":[{"id":0,"content":"<s>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},{"id":1,"content":"</s>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},{"id":2,"content":"<mask>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":true},"post_processor":null,"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","unk_token":null,"vocab":{"<s>":0,"</s>":1,"<mask>":2,"a":3,"b":4,"\u0120":5,"\u0120b":6},"merges":["\u0120 b"]}})";
  LoadedMaskedLm files = random_model();
  files.tokenizer = Tokenizer::parse(json, "bytes");
  files.mask_id = mask_id_of(files.tokenizer, "bytes");
  REQUIRE(files.mask_id == 2);
  MaskedIds found;
  for (const bool takes_space : {false, true}) {
    files.takes_space = takes_space;
    files.around = 0;
    files.masked_ids("a <mask> b", found);
    CHECK(found.ids ==
          (takes_space ? std::vector<std::int32_t>{3, 2, 6} : std::vector<std::int32_t>{3, 5, 2, 6}));
  }
  // Of another program: as its flags say, whatever other words do.
  files.published_mask = AddedTokens({{.content = "<mask>", .id = 2}});
  files.masked_ids("a <mask> b", found);
  CHECK(found.ids == std::vector<std::int32_t>{3, 5, 2, 6});
  files.published_mask =
      AddedTokens({{.content = "<mask>", .id = 2, .takes_left = true, .takes_right = true}});
  files.masked_ids("a  <mask> b<mask>", found);
  CHECK(found.ids == std::vector<std::int32_t>{3, 2, 4, 2});
  CHECK(found.masks == 2);
}

TEST_CASE("candidates are the likeliest words, with the model's probabilities") {
  const LoadedMaskedLm files = random_model();
  const std::string line = "the [MASK] fox [MASK]";
  MaskedIds text;
  files.masked_ids(line, text);
  MaskedBatch batch;
  batch.clear();
  batch.add(text.ids, text.places, std::vector<std::int32_t>{0, 0});
  batch.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  const MaskedLanguageModel& model = *files.model;
  const ConstMatrix logits =
      model.logits(context, model.masked_features(context, model.encode(context, batch), batch)).value();
  const Filled all = filled(files, {line}, 1, {.top_k = 0, .allows_unknown = true});
  REQUIRE(all.front().size() == 2);
  for (Index m = 0; m < 2; ++m) {
    double sum = 0;
    for (Index id = 0; id < logits.cols; ++id) sum += std::exp(static_cast<double>(logits.row(m)[id]));
    const MaskCandidates& mask = all.front()[m];
    // All but [PAD], [CLS], [SEP] and [MASK].
    CHECK(mask.size() == static_cast<std::size_t>(logits.cols) - 4);
    CHECK(std::ranges::is_sorted(mask, std::ranges::greater{}, &MaskCandidate::probability));
    for (const MaskCandidate& c : mask) {
      const double expected = std::exp(static_cast<double>(logits.row(m)[c.id])) / sum;
      CHECK(static_cast<double>(c.probability) == doctest::Approx(expected).epsilon(1e-5));
    }
  }
  const Filled three = filled(files, {line}, 1, {.top_k = 3});
  const std::int32_t unknown = files.tokenizer.unknown_id();
  for (std::size_t m = 0; m < 2; ++m) {
    MaskCandidates expected = all.front()[m];
    std::erase_if(expected, [&](const MaskCandidate& c) { return c.id == unknown; });
    expected.resize(3);
    CHECK(are_same({{expected}}, {{three.front()[m]}}));
  }
}

TEST_CASE("the same words in any batch, on any threads, with any code path") {
  const LoadedMaskedLm files = random_model();
  const std::vector<std::string> lines = some_lines();
  const Filled expected = filled(files, lines, lines.size(), {.top_k = 4});
  REQUIRE(expected.size() == lines.size());
  CHECK(are_same(filled(files, lines, 1, {.top_k = 4}), expected));
  CHECK(are_same(filled(files, lines, 17, {.top_k = 4}), expected));
  ThreadPool pool(3);
  pool.run([&] { CHECK(are_same(filled(files, lines, 100, {.top_k = 4}), expected)); });
  const kernels::Isa isa = kernels::active_isa();
  kernels::set_isa(kernels::isa_of_name("portable"));
  CHECK(are_same(filled(files, lines, 100, {.top_k = 4}), expected));
  kernels::set_isa(isa);
}

TEST_CASE("a line without a mask is an error after the lines before it") {
  const LoadedMaskedLm files = random_model(6);
  for (const std::string& bad :
       {std::string(), std::string("the fox"), std::string("a fox jumps over [MASK]")}) {
    MaskFiller filler(files, {});
    std::vector<std::size_t> done;
    try {
      filler.fill({"[MASK]", "the [MASK]", bad, "[MASK]"},
                  [&](std::size_t line, std::span<const MaskCandidates>) { done.push_back(line); });
      FAIL("no error");
    } catch (const LineError& error) {
      CHECK(error.line == 2);
    }
    CHECK(done == std::vector<std::size_t>{0, 1});
  }
}

TEST_CASE("weights that make no numbers are told with their line") {
  const LoadedMaskedLm files = random_model();
  files.model->parameters().find("lm_head.bias")->value.data[3] = std::numeric_limits<Real>::quiet_NaN();
  MaskFiller filler(files, {});
  CHECK_THROWS_WITH_AS(filler.fill({"[MASK]"}, [](std::size_t, std::span<const MaskCandidates>) {}),
                       kOutputNotFinite, LineError);
}
