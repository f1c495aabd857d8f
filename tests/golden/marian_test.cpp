// A translator in Marian's layout against transformers (reference/marian): logits, attention and greedy
// translations.
#include "tasks/marian.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "decoding/greedy.hpp"
#include "reference_folder.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

constexpr double kLargest = 1e-4;
constexpr int kExamples = 3;

Json read_json(const std::string& name) {
  const fs::path path = reference_path(name);
  return Json::parse(read_file(path), path.string());
}

struct MarianReference {
  Json config = read_json("marian/config.json");
  std::unique_ptr<EncoderDecoder> model = marian_of_config(config);
  TranslationIds ids = marian_ids(config);
  Safetensors expected{reference_path("marian/expected.safetensors")};
  Arena arena;

  MarianReference() {
    read_marian_parameters(reference_path("marian/model.safetensors"), model->parameters());
  }
  std::vector<std::int32_t> ids_of(const std::string& name, int example) const {
    return read_ids(expected.at(name + "_" + std::to_string(example)));
  }
};

PackedTokens one_sequence(const std::vector<std::int32_t>& ids) {
  PackedTokens tokens;
  tokens.clear();
  tokens.add(ids);
  tokens.finish();
  return tokens;
}

}  // namespace

TEST_CASE_FIXTURE(MarianReference, "a translator of Marian's layout: logits and attention agree") {
  CHECK(model->settings().share_embeddings == "all");
  for (int example = 0; example < kExamples; ++example) {
    INFO("example ", example);
    arena.reset();
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const PackedTokens source = one_sequence(ids_of("source", example)),
                       target = one_sequence(ids_of("target_in", example));
    std::vector<AttentionTrace> traces;
    const Variable memory = model->encode(context, source, &traces);
    const Variable logits = model->logits(context, model->decode(context, target, memory, &traces));
    const std::string end = "_" + std::to_string(example);
    CHECK(distance(logits.value(), read_floats(expected.at("logits" + end))).absolute <= kLargest);
    CHECK(traces.size() == 6);
    const Index heads = model->settings().transformer.heads;
    for (const AttentionTrace& trace : traces) {
      const std::string name = trace.kind == AttentionKind::encoder   ? "encoder_self"
                               : trace.kind == AttentionKind::decoder ? "decoder_self"
                                                                      : "decoder_cross";
      const std::vector<float> theirs =
          read_floats(expected.at(name + end + "_" + std::to_string(trace.layer)));
      const Variable q = trace.attention.queries, k = trace.attention.keys;
      const kernels::AttentionShape shape{
          .query_offsets = q.packing().offsets,
          .key_offsets = k.packing().offsets,
          .heads = heads,
          .head_width = q.cols() / heads,
          .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(q.cols() / heads))),
          .is_causal = trace.attention.causality == Causality::causal};
      const Index size = q.rows() * k.rows();
      std::vector<Real> storage(static_cast<std::size_t>(size));
      const Matrix weights(storage.data(), q.rows(), k.rows());
      for (Index head = 0; head < heads; ++head) {
        kernels::attention_weights(q.value(), k.value(), shape, 0, head, weights);
        const auto first = theirs.begin() + head * size;
        CHECK(distance(weights, {first, first + size}).absolute <= kLargest);
      }
    }
  }
}

TEST_CASE_FIXTURE(MarianReference, "a translator of Marian's layout: greedy translations are the same") {
  GenerationSettings settings{.start_id = ids.start, .end_id = ids.end, .max_new_tokens = 23};
  settings.suppress_tokens = {ids.pad};
  PackedTokens sources;
  sources.clear();
  for (int example = 0; example < kExamples; ++example) sources.add(ids_of("source", example));
  sources.finish();
  const auto translated = decode_greedily(*model, start_prompts(sources, ids.start), settings);
  for (int example = 0; example < kExamples; ++example) {
    std::vector<std::int32_t> theirs = ids_of("greedy", example);
    theirs.erase(theirs.begin());  // the start
    if (const auto end = std::find(theirs.begin(), theirs.end(), ids.end); end != theirs.end())
      theirs.erase(end, theirs.end());
    CHECK(translated[static_cast<std::size_t>(example)] == theirs);
  }
}
