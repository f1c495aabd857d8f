// A published sentence encoder, all-MiniLM-L6-v2, against transformers and sentence-transformers
// (reference/minilm): ids, states of the last block, attention weights and vectors. HEADWATER_MINILM names
// the model's directory; tests/cli/minilm_test.sh finds it where Python has it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "decoding/embed.hpp"
#include "families/attention_trace.hpp"
#include "families/hidden_states.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "reference_folder.hpp"

using namespace headwater;

namespace {

constexpr double kLargest = 1e-4;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Where the two are there.
struct MiniLm {
  fs::path model = std::getenv("HEADWATER_MINILM") != nullptr ? std::getenv("HEADWATER_MINILM") : "";
  fs::path sentences = reference_path("minilm/sentences.txt");
  bool is_there() const { return !model.empty() && fs::exists(sentences); }
};

}  // namespace

TEST_CASE("all-MiniLM-L6-v2: ids, states and vectors agree with sentence-transformers") {
  const MiniLm files;
  if (!files.is_there()) {
    MESSAGE("skipped: HEADWATER_MINILM and HEADWATER_REFERENCE name no model with its figures");
    return;
  }
  const ModelFolder folder = open_model(files.model);
  const std::unique_ptr<TextStates> states = folder.family->states(folder);
  const Safetensors expected{reference_path("minilm/expected.safetensors")};
  const std::vector<float> vectors = read_floats(expected.at("embeddings"));
  const std::vector<std::string> lines = lines_of(read_file(files.sentences));
  REQUIRE(lines.size() * static_cast<std::size_t>(states->width(states->layers())) == vectors.size());
  TextEmbeddings of_lines(*states, {}), of_tokens(*states, {.has_tokens = true});
  const LineVectors tokens = of_tokens.vectors(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    const Index begin = tokens.offsets[i], end = tokens.offsets[i + 1];
    const auto ids = tokens.ids.subspan(begin, static_cast<std::size_t>(end - begin));
    CHECK(std::ranges::equal(ids, read_ids(expected.at("ids_" + std::to_string(i)))));
    const TensorView* const hidden = expected.find("hidden_" + std::to_string(i));
    if (hidden == nullptr) continue;  // of some alone
    CHECK(distance(tokens.vectors.rows_between(begin, end), read_floats(*hidden)).absolute <= kLargest);
  }
  CHECK(distance(of_lines.vectors(lines).vectors, vectors).absolute <= kLargest);
}

TEST_CASE("all-MiniLM-L6-v2: attention weights agree with transformers") {
  const MiniLm files;
  if (!files.is_there()) return;
  const ModelFolder folder = open_model(files.model);
  const std::unique_ptr<AttentionTracer> tracer = folder.family->attention(folder);
  const Safetensors expected{reference_path("minilm/expected.safetensors")};
  Arena arena;
  for (int i = 0; expected.find("attention_" + std::to_string(i) + "_0") != nullptr; ++i) {
    AttentionExample example;
    example.source_ids = read_ids(expected.at("ids_" + std::to_string(i)));
    for (const std::int32_t id : example.source_ids)
      example.source_tokens.push_back(tracer->source_tokenizer().surface(id));
    for (const AttentionRecord& record : tracer->trace(arena, example, {})) {
      const std::string name = "attention_" + std::to_string(i) + "_" + std::to_string(record.layer);
      const std::vector<float> all = read_floats(expected.at(name));
      const auto size = static_cast<std::ptrdiff_t>(record.weights.size());
      const auto begin = all.begin() + record.head * size;
      std::vector<Real> weights(record.weights.begin(), record.weights.end());
      CHECK(distance({weights.data(), 1, static_cast<Index>(size)}, {begin, begin + size}).absolute <=
            kLargest);
    }
  }
}
