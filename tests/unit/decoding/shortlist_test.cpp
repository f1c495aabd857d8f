// Decoding with a shortlist against decoding with all other tokens forbidden.
#include <doctest/doctest.h>

#include <algorithm>

#include "decoding/decoder.hpp"
#include "decoding/sampling.hpp"
#include "families/translator/model.hpp"
#include "marian_bytes.hpp"
#include "start_prompts.hpp"

using namespace headwater;

namespace {

constexpr std::int64_t kSources = 20, kTargets = 60;
using Sequences = std::vector<std::vector<std::int32_t>>;
const Sequences kTexts{{4}, {5, 6, 7, 8, 9}, {10, 4}, {19, 0, 3}, {11}};

std::shared_ptr<const Shortlist> shortlist() {
  std::vector<std::vector<std::uint32_t>> lists;
  for (std::uint32_t token = 0; token < kSources; ++token)
    lists.push_back({(3 * token + 7) % 60, (7 * token + 1) % 60, (11 * token) % 60});
  return std::make_shared<const Shortlist>(
      read_shortlist(marian_bytes::shortlist(lists, 6), "lex", {kSources, kTargets}));
}

struct Model {
  EncoderDecoder model;
  explicit Model(SharedEmbeddings shared) : model(settings(shared), kSources, kTargets) {
    model.parameters().allocate(false);
    model.parameters().initialize(1);
    Parameter& weight = model.output_layer().weight();
    for (Index i = 0; i < weight.size(); ++i) weight.value.data[i] *= 8;
    Parameter& bias = *model.output_layer().bias();
    for (Index i = 0; i < bias.size(); ++i) bias.value.data[i] = static_cast<Real>(i % 7) / 8;
  }
  static EncoderDecoderSettings settings(SharedEmbeddings shared) {
    EncoderDecoderSettings s;
    s.transformer.width = 8;
    s.transformer.heads = 2;
    s.transformer.feed_forward_width = 12;
    s.transformer.length = 7;
    s.share_embeddings = shared;
    return s;
  }
  std::vector<Hypotheses> decode(const Sequences& sources, const GenerationSettings& search,
                                 std::span<const Phrases> phrases = {}, int copies = 1) {
    PackedTokens packed;
    packed.clear();
    for (const auto& ids : sources) packed.add(ids);
    packed.finish();
    DecodingModels models;
    for (int i = 0; i < copies; ++i)
      models.push_back(std::make_unique<const DecodingModel>(model, search.compute_type));
    Decoder decoder(std::move(models));
    const Prompts prompts = start_prompts(packed, search.start_id);
    if (!search.sampling) return decoder.decode(prompts, search, phrases);
    const Sampler sampler(*search.sampling);
    std::vector<std::uint64_t> numbers(sources.size(), 5);
    return decoder.decode(prompts, search, {.next_token = sampler, .numbers = numbers});
  }
};

}  // namespace

TEST_CASE("a shortlist gives what forbidding all other tokens gives, of each source alone and in a batch") {
  const std::shared_ptr<const Shortlist> list = shortlist();
  for (const SharedEmbeddings shared : {SharedEmbeddings::none, SharedEmbeddings::target_output}) {
    Model model(shared);
    for (const std::string how : {"greedy", "scores", "minimum", "beams", "penalty", "samples", "int8"}) {
      INFO(static_cast<int>(shared), ", ", how);
      GenerationSettings listed;
      listed.wants_scores = how != "greedy";
      if (how != "beams") listed.suppress_tokens = {0, 2};  // renormalized, they would not count
      if (how == "minimum") listed.search.min_new_tokens = 3;
      if (how == "beams" || how == "penalty") listed.search.num_beams = listed.n_best = 3;
      if (how == "penalty") listed.repetition_penalty = 1.5;
      if (how == "samples") listed.sampling = SamplingSettings{.seed = 3};
      if (how == "int8") listed.compute_type = ComputeType::int8;
      listed.shortlist = list;
      const std::vector<Hypotheses> batch = model.decode(kTexts, listed),
                                    ensemble = model.decode(kTexts, listed, {}, 3);
      for (std::size_t i = 0; i < kTexts.size(); ++i) {
        const std::vector<std::int32_t> allowed = list->tokens_for(kTexts[i]);
        REQUIRE(allowed.size() < 30);
        GenerationSettings forbidding = listed;
        forbidding.shortlist = nullptr;
        forbidding.renormalizes = listed.search.num_beams > 1;
        for (std::int32_t id = 0; id < kTargets; ++id) {
          if (!std::ranges::binary_search(allowed, id)) forbidding.suppress_tokens.push_back(id);
        }
        const Hypotheses alone = model.decode({kTexts[i]}, listed).front(),
                         wanted = model.decode({kTexts[i]}, forbidding).front();
        REQUIRE(alone.size() == batch[i].size());
        REQUIRE(alone.size() == wanted.size());
        for (std::size_t h = 0; h < alone.size(); ++h) {
          CHECK(alone[h].ids == batch[i][h].ids);
          CHECK(alone[h].score == batch[i][h].score);
          CHECK(ensemble.at(i).at(h).ids == batch[i][h].ids);
          if (how != "greedy") CHECK(ensemble[i][h].score == batch[i][h].score);
          // The penalty multiplies logarithms of probabilities, which are others before the rest is
          // forbidden.
          if (how != "penalty") CHECK(alone[h].ids == wanted[h].ids);
          for (const std::int32_t id : alone[h].ids) CHECK(std::ranges::binary_search(allowed, id));
        }
      }
    }
  }
}

TEST_CASE("a shortlist and what each source's phrases have besides") {
  const std::shared_ptr<const Shortlist> list = shortlist();
  Model model(SharedEmbeddings::none);
  GenerationSettings search;
  search.search.num_beams = 3;
  search.shortlist = list;
  const std::vector<std::int32_t> foreign{57, 58};
  std::vector<Phrases> phrases(kTexts.size());
  for (const std::size_t i : {0, 2, 3}) phrases[i] = Phrases({Phrase{{foreign}}});
  const std::vector<Hypotheses> batch = model.decode(kTexts, search, phrases);
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    std::vector<std::int32_t> allowed = list->tokens_for(kTexts[i]);
    const std::vector<std::int32_t>& ids = batch[i].front().ids;
    if (!phrases[i].empty()) {
      CHECK(std::ranges::search(ids, foreign).size() == 2);
      allowed.insert(allowed.end(), foreign.begin(), foreign.end());
    }
    for (const std::int32_t id : ids) CHECK(std::ranges::find(allowed, id) != allowed.end());
    const Hypothesis alone = model.decode({kTexts[i]}, search, {&phrases[i], 1}).front().front();
    CHECK(alone.ids == ids);
    CHECK(alone.score == batch[i].front().score);
  }
}
