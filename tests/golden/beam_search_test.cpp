// Beam search and the choice of the next token against Hugging Face's library on GPT-2's layout
// (reference/gpt2). Sizes are read from the files.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "decoding/decoder.hpp"
#include "decoding/sampling.hpp"
#include "gpt2.hpp"

using namespace headwater;

namespace {

// The continuations are of so many ids (reference/README.md).
constexpr std::size_t kPrompt = 4;

struct Gpt2 {
  std::unique_ptr<LanguageModel> model = load_reference_gpt2();
  Safetensors expected{reference_path("gpt2/expected.safetensors")};
  Decoder decoder{*model};
  std::int32_t end = static_cast<std::int32_t>(reference_gpt2_config().at("eos_token_id").as_integer());

  Prompts prompt(std::size_t tokens) const {
    const std::vector<std::int32_t> ids = read_ids(expected.at("ids"));
    Prompts prompts;
    prompts.clear();
    prompts.add({}, std::span(ids).first(tokens));
    prompts.finish();
    return prompts;
  }
  // A row of theirs without its prompt, up to the end.
  std::vector<std::int32_t> continuation(std::span<const std::int32_t> row) const {
    const auto begin = row.begin() + kPrompt;
    return {begin, std::find(begin, row.end(), end)};
  }
};

}  // namespace

TEST_CASE_FIXTURE(Gpt2, "greedy decoding of GPT-2's layout is that of Hugging Face's library") {
  const std::vector<std::int32_t> row = read_ids(expected.at("greedy")), wanted = continuation(row);
  GenerationSettings settings{.search = {.max_new_tokens = static_cast<std::int64_t>(row.size() - kPrompt)},
                              .end_id = end};
  for (const bool wants_scores : {false, true}) {
    settings.wants_scores = wants_scores;
    CHECK(decoder.decode(prompt(kPrompt), settings)[0][0].ids == wanted);
  }
}

TEST_CASE_FIXTURE(Gpt2, "beams of GPT-2's layout have the sequences and scores of Hugging Face's library") {
  for (const std::int64_t beams : {3, 4}) {
    const std::string name = "beam" + std::to_string(beams);
    const std::vector<std::int32_t> sequences = read_ids(expected.at(name));
    const std::vector<float> scores = read_floats(expected.at(name + "_scores"));
    REQUIRE(scores.size() == static_cast<std::size_t>(beams));
    const std::size_t length = sequences.size() / scores.size();
    const GenerationSettings settings{
        .search = {.max_new_tokens = static_cast<std::int64_t>(length - kPrompt),
                   .num_beams = beams,
                   .length_penalty = beams == 3 ? 0.6 : 1.0},
        .n_best = beams,
        .end_id = end};
    const Hypotheses found = decoder.decode(prompt(kPrompt), settings)[0];
    REQUIRE(found.size() == static_cast<std::size_t>(beams));
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO(name, ", number ", i);
      CHECK(found[i].ids == continuation(std::span(sequences).subspan(length * i, length)));
      CHECK(std::abs(found[i].score - static_cast<double>(scores[i])) <= 1e-4);
    }
  }
}

TEST_CASE_FIXTURE(Gpt2, "filtered probabilities of the next token are those of Hugging Face's library") {
  const std::vector<float> all = read_floats(expected.at("logits"));
  const std::size_t words = model->vocabulary();
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
    for (const TokenProbability& token : found) ours[token.id] = token.probability;
    const std::vector<float> theirs = read_floats(expected.at("next_probabilities_" + std::string(name)));
    for (std::size_t id = 0; id < words; ++id) {
      CHECK(std::abs(ours[id] - static_cast<double>(theirs[id])) <= 1e-5);
      CHECK((ours[id] > 0) == (theirs[id] > 0));
    }
  }
}
