// generation_config.json: every member is used, changes nothing, or is an error that names it.
#include "families/generation_config.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"

using namespace headwater;

namespace {

GenerationConfig said(std::string_view text) { return generation_config_of_json(Json::parse(text, "f")); }
std::string fault_of(std::string_view text) {
  return error_text([&] { (void)said(text); });
}

}  // namespace

TEST_CASE("generation_config.json: ends, starts, lengths and forbidden tokens") {
  const GenerationConfig config = said(
      R"({"bos_token_id": 3, "eos_token_id": [1, 7], "pad_token_id": 0, "forced_bos_token_id": 4,
          "forced_eos_token_id": [7], "max_length": 9, "min_length": 2, "max_new_tokens": 5, "min_new_tokens": 1,
          "suppress_tokens": [5], "begin_suppress_tokens": [6, 2], "bad_words_ids": [[8], [9, 10]],
          "repetition_penalty": 1.5, "renormalize_logits": true, "num_beams": 4, "early_stopping": true})");
  using Ids = std::vector<std::int32_t>;
  CHECK(config.start_id == 3);
  CHECK(config.end_ids == Ids{1, 7});
  CHECK(config.forced_start_id == 4);
  CHECK(config.forced_end_id == 7);
  CHECK(config.max_length == 9);
  CHECK(config.min_length == 0);  // min_new_tokens overrides it
  CHECK(said(R"({"min_length": 2})").min_length == 2);
  CHECK(config.max_new_tokens == 5);
  CHECK(config.decoding.min_new_tokens == 1);
  CHECK(config.suppress_tokens == Ids{5});
  CHECK(config.begin_suppress_tokens == Ids{6, 2});
  CHECK(config.bad_words == std::vector<Ids>{{8}, {9, 10}});
  CHECK(config.repetition_penalty == 1.5);
  CHECK(config.renormalizes);
  CHECK(config.decoding.num_beams == 4);
  CHECK(config.decoding.early_stopping == BeamStopping::first);
  CHECK(said(R"({"bos_token_id": 3, "decoder_start_token_id": [5]})").start_id == 5);
  CHECK(said(R"({"eos_token_id": null})").end_ids.empty());
}

TEST_CASE("generation_config.json: what is not done is named, and usual values are not") {
  for (const char* const member :
       {R"("encoder_repetition_penalty": 1.2)", R"("encoder_no_repeat_ngram_size": 2)",
        R"("exponential_decay_length_penalty": [3, 1.1])", R"("sequence_bias": [[[5], -1.0]])",
        R"("guidance_scale": 1.5)", R"("watermarking_config": {"bias": 2.0})", R"("max_time": 1.0)",
        R"("stop_strings": ["a"])", R"("penalty_alpha": 0.5)", R"("num_beam_groups": 2)",
        R"("constraints": [1])", R"("force_words_ids": [[3]])", R"("dola_layers": "high")",
        R"("token_healing": true)"}) {
    const std::string text(member), name = text.substr(0, text.find(':'));
    const std::string fault = fault_of("{" + text + "}");
    INFO(fault);
    CHECK(fault.starts_with(name + " is "));
  }
  CHECK(fault_of(R"({"encoder_repetition_penalty": 1, "guidance_scale": 1.0, "constraints": null,
                     "penalty_alpha": 0, "num_beam_groups": 1, "stop_strings": [], "token_healing": false,
                     "use_cache": false, "output_scores": true, "diversity_penalty": 0.5})") == "(no error)");
  CHECK(fault_of(R"({"suppress_tokens": [-3]})") == "\"suppress_tokens\" is -3, expected a token id");
  CHECK(fault_of(R"({"forced_eos_token_id": 5, "eos_token_id": 1})") ==
        "\"forced_eos_token_id\" is 5, expected an id of \"eos_token_id\"");
  CHECK(fault_of(R"({"forced_bos_token_id": 5, "suppress_tokens": [4, 5]})") ==
        "\"forced_bos_token_id\" is 5, which \"suppress_tokens\" has, too");
  CHECK(fault_of(R"({"bad_words_ids": [[]]})").starts_with("\"bad_words_ids\" is "));
  for (const char* const name : {"max_length", "eos_token_id", "temperature", "bad_words_ids", "do_sample",
                                 "num_beams", "length_penalty", "min_new_tokens", "early_stopping"}) {
    const std::string fault = fault_of("{\"" + std::string(name) + "\": {}}");
    INFO(fault);
    CHECK(fault.starts_with("\"" + std::string(name) + "\""));
  }
  CHECK(fault_of(R"({"num_return_sequences": 0})").starts_with("\"num_return_sequences\" is 0"));
}

TEST_CASE("generation_config.json: members of sampling are an error where tokens are drawn alone") {
  for (const char* const member :
       {R"("typical_p": 0.5)", R"("top_h": 0.4)", R"("epsilon_cutoff": 0.1)", R"("eta_cutoff": 0.1)"}) {
    const std::string text(member);
    CHECK(said("{" + text + "}").not_sampled.starts_with(text.substr(0, text.find(':')) + " is "));
  }
  CHECK(said(R"({"typical_p": 1.0, "epsilon_cutoff": 0})").not_sampled.empty());
  CHECK(said(R"({"do_sample": true, "temperature": 0.5, "top_k": 3, "top_p": 0.9, "min_p": 0.1})").samples);
}
