// Beam search and the choice of the next token against Hugging Face's library on GPT-2's layout
// (reference/gpt2).
#include <doctest/doctest.h>

#include <cmath>

#include "decoding/decoder.hpp"
#include "decoding/sampling.hpp"
#include "gpt2.hpp"

using namespace headwater;

namespace {

struct Gpt2 {
  std::unique_ptr<LanguageModel> model = load_reference_gpt2();
  Safetensors expected{reference_path("gpt2/expected.safetensors")};
  Decoder decoder{*model};

  Prompts prompt(std::size_t tokens) const {
    const std::vector<std::int32_t> ids = read_ids(expected.at("ids"));
    Prompts prompts;
    prompts.clear();
    prompts.add({}, std::span(ids).first(tokens));
    prompts.finish();
    return prompts;
  }
};

}  // namespace

TEST_CASE_FIXTURE(Gpt2, "greedy decoding of GPT-2's layout is that of Hugging Face's library") {
  std::vector<std::int32_t> wanted = read_ids(expected.at("greedy"));
  wanted.erase(wanted.begin(), wanted.begin() + 4);
  GenerationSettings settings{.end_id = 0, .max_new_tokens = static_cast<std::int64_t>(wanted.size())};
  for (const bool wants_scores : {false, true}) {
    settings.wants_scores = wants_scores;
    CHECK(decoder.decode(prompt(4), settings)[0][0].ids == wanted);
  }
}

TEST_CASE_FIXTURE(Gpt2, "beams of GPT-2's layout have the sequences and scores of Hugging Face's library") {
  for (const std::int64_t beams : {3, 4}) {
    const std::string name = "beam" + std::to_string(beams);
    const std::vector<std::int32_t> sequences = read_ids(expected.at(name));
    const std::vector<float> scores = read_floats(expected.at(name + "_scores"));
    const GenerationSettings settings{.end_id = 0,
                                      .max_new_tokens = 12,
                                      .num_beams = beams,
                                      .length_penalty = beams == 3 ? 0.6 : 1.0,
                                      .n_best = beams};
    const Hypotheses found = decoder.decode(prompt(4), settings)[0];
    REQUIRE(found.size() == static_cast<std::size_t>(beams));
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO(name, ", number ", i);
      const auto begin = sequences.begin() + static_cast<std::ptrdiff_t>(16 * i);
      CHECK(found[i].ids == std::vector<std::int32_t>(begin + 4, begin + 16));
      CHECK(std::abs(found[i].score - static_cast<double>(scores[i])) <= 1e-4);
    }
  }
}

TEST_CASE_FIXTURE(Gpt2, "filtered probabilities of the next token are those of Hugging Face's library") {
  const std::vector<float> all = read_floats(expected.at("logits"));
  const std::size_t words = 98;
  const std::span<const float> last = std::span(all).last(words);
  const std::pair<const char*, SamplingSettings> cases[] = {
      {"temperature", {.temperature = 0.7}},
      {"top_k", {.top_k = 5}},
      {"top_p", {.top_p = 0.8}},
      {"min_p", {.min_p = 0.05}},
      {"all", {.temperature = 1.3, .top_k = 20, .top_p = 0.9}}};
  for (const auto& [name, settings] : cases) {
    INFO(std::string(name));
    std::vector<TokenProbability> found;
    token_probabilities(std::vector<Real>(last.begin(), last.end()), settings, found);
    std::vector<double> ours(words, 0);
    for (const TokenProbability& token : found) ours[static_cast<std::size_t>(token.id)] = token.probability;
    const std::vector<float> theirs = read_floats(expected.at("next_probabilities_" + std::string(name)));
    for (std::size_t id = 0; id < words; ++id) {
      CHECK(std::abs(ours[id] - static_cast<double>(theirs[id])) <= 1e-5);
      CHECK((ours[id] > 0) == (theirs[id] > 0));
    }
  }
}
