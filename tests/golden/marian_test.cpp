// A translator in Marian's layout against transformers (reference/marian): logits, attention, greedy
// translations and beams. Sizes are read from the files.
#include "families/model_directory.hpp"
#include "families/translator/directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "decoding/decoder.hpp"
#include "reference_folder.hpp"
#include "start_prompts.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

constexpr double kLargest = 1e-4;

Json read_json(const std::string& name) {
  const fs::path path = reference_path(name);
  return Json::parse(read_file(path), path.string());
}

struct MarianReference {
  ModelFolder folder = open_model(reference_path("marian"));
  std::unique_ptr<EncoderDecoder> model = encoder_decoder_of_config(folder.config, "marian");
  TranslationIds ids{
      .pad = id("pad_token_id"), .start = id("decoder_start_token_id"), .end = id("eos_token_id")};
  Safetensors expected{reference_path("marian/expected.safetensors")};
  Arena arena;

  int examples = 0;

  MarianReference() {
    load_weights(folder, model->parameters());
    while (expected.find("source_" + std::to_string(examples)) != nullptr) ++examples;
    REQUIRE(examples > 0);
  }
  std::int32_t id(const char* name) const {
    return static_cast<std::int32_t>(folder.config.at(name).as_integer());
  }
  Prompts prompts() const {
    PackedTokens sources;
    sources.clear();
    for (int example = 0; example < examples; ++example) sources.add(ids_of("source", example));
    sources.finish();
    return start_prompts(sources, ids.start);
  }
  // Their length counts the start.
  GenerationSettings generation() const {
    const std::int64_t length = read_json("marian/generation_config.json").at("max_length").as_integer();
    GenerationSettings settings{
        .search = {.max_new_tokens = length - 1}, .start_id = ids.start, .end_id = ids.end};
    settings.suppress_tokens = {ids.pad};
    return settings;
  }
  // What follows the start, up to the end.
  std::vector<std::int32_t> ended(std::vector<std::int32_t> sequence) const {
    sequence.erase(sequence.begin());
    sequence.erase(std::find(sequence.begin(), sequence.end(), ids.end), sequence.end());
    return sequence;
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
  CHECK(model->settings().share_embeddings == SharedEmbeddings::all);
  for (int example = 0; example < examples; ++example) {
    INFO("example ", example);
    arena.reset();
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const PackedTokens source = one_sequence(ids_of("source", example)),
                       target = one_sequence(ids_of("target_in", example));
    std::vector<AttentionTrace> traces;
    const EncodedSource memory = model->encode(context, source, &traces);
    const Variable logits = model->logits(context, model->decode(context, target, memory, &traces));
    const std::string end = "_" + std::to_string(example);
    CHECK(distance(logits.value(), read_floats(expected.at("logits" + end))).absolute <= kLargest);
    CHECK(traces.size() == static_cast<std::size_t>(folder.config.at("encoder_layers").as_integer() +
                                                    2 * folder.config.at("decoder_layers").as_integer()));
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
      std::vector<Real> storage(size);
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
  const std::vector<Hypotheses> found = Decoder(*model).decode(prompts(), generation());
  for (int example = 0; example < examples; ++example)
    CHECK(found[example][0].ids == ended(ids_of("greedy", example)));
}

TEST_CASE_FIXTURE(MarianReference, "a translator of Marian's layout: beams and their scores are the same") {
  for (const std::int64_t beams : {4, 6}) {
    GenerationSettings settings = generation();
    settings.search.num_beams = settings.n_best = beams;
    settings.search.length_penalty = beams == 4 ? 1.0 : 0.6;
    const std::vector<Hypotheses> all = Decoder(*model).decode(prompts(), settings);
    for (int example = 0; example < examples; ++example) {
      const Hypotheses& found = all[example];
      const std::string name = "beam" + std::to_string(beams);
      const std::vector<std::int32_t> theirs = ids_of(name, example);
      const std::vector<float> scores =
          read_floats(expected.at(name + "_" + std::to_string(example) + "_scores"));
      REQUIRE(found.size() == scores.size());
      const std::size_t length = theirs.size() / found.size();
      for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(name, ", example ", example, ", number ", i);
        const auto begin = theirs.begin() + static_cast<std::ptrdiff_t>(length * i);
        CHECK(found[i].ids == ended({begin, begin + static_cast<std::ptrdiff_t>(length)}));
        CHECK(std::abs(found[i].score - static_cast<double>(scores[i])) <= kLargest);
      }
    }
  }
}
