#include "families/tokenizer_files.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "families/layouts/registry.hpp"
#include "scratch_directory.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

TEST_CASE("tokenizer_config.json is what AutoTokenizer of transformers reads") {
  const auto config = [](bool has_start_end, std::int64_t length) {
    TokenizerLearner learner({.size = 9, .has_start_end = has_start_end});
    learner.add("the red house\n");
    const DirectoryFile file = tokenizer_config_file(learner.finish(), length);
    CHECK(file.name == "tokenizer_config.json");
    CHECK(file.identity.empty());  // a run of an older version, whose checkpoints lack it, goes on
    return file.bytes;
  };
  CHECK(config(true, 20) ==
        R"({
  "tokenizer_class": "PreTrainedTokenizerFast",
  "model_input_names": [
    "input_ids",
    "attention_mask"
  ],
  "pad_token": "[PAD]",
  "unk_token": "[UNK]",
  "bos_token": "[START]",
  "eos_token": "[END]",
  "model_max_length": 20,
  "clean_up_tokenization_spaces": false
}
)");
  CHECK(config(false, 0) ==
        R"({
  "tokenizer_class": "PreTrainedTokenizerFast",
  "model_input_names": [
    "input_ids",
    "attention_mask"
  ],
  "pad_token": "[PAD]",
  "unk_token": "[UNK]",
  "clean_up_tokenization_spaces": false
}
)");
}

TEST_CASE("what tokenizer_config.json asks of a published model's texts") {
  const ScratchDirectory scratch;
  const auto settings = [&](const std::string& text) { write_file(scratch / "tokenizer_config.json", text); };
  const auto tokenizer = [&](const std::string& truncation, const std::string& post_processor = "null") {
    return Tokenizer::parse(R"({"added_tokens":[],"truncation":)" + truncation + R"(,"post_processor":)" +
                                post_processor +
                                R"(,"model":{"type":"WordLevel","vocab":{"a":0,"b":1},"unk_token":"a"}})",
                            "t.json");
  };
  const Layout* const layout = layout_of(Json::Object{{"model_type", "bert"}});
  const ModelFolder ours(scratch.path());
  // What is in it at each call.
  const auto folder = [&] {
    ModelFolder published(scratch.path());
    published.layout = layout;
    published.config = Json::Object();
    return published;
  };
  const Tokenizer plain = tokenizer("null");
  const Tokenizer left =
      tokenizer(R"({"direction":"Left","max_length":3,"strategy":"LongestFirst","stride":0})");
  const auto fault = [&](const Tokenizer& of) { return error_text([&] { text_length(folder(), of, 9); }); };

  CHECK(text_length(folder(), plain, 9) == 9);
  CHECK(
      fault(left).ends_with("tokenizer.json: truncation.direction is Left, expected right (the first tokens "
                            "of a long text are read)"));
  settings(R"({"model_max_length": 5, "truncation_side": "right"})");
  CHECK(text_length(folder(), plain, 9) == 5);
  CHECK(text_length(folder(), left, 9) == 5);
  CHECK(text_length(folder(), plain, 4) == 4);
  CHECK(text_length(ours, plain, 9) == 9);
  settings(R"({"truncation_side": "left"})");
  CHECK(fault(plain).ends_with(
      "tokenizer_config.json: \"truncation_side\" is \"left\", expected right (the first "
      "tokens of a long text are read)"));

  CHECK(fault_of_pairs(folder()).find("\"model_input_names\" has no \"token_type_ids\"") !=
        std::string::npos);
  CHECK(fault_of_pairs(ours).empty());
  for (const char* text : {R"({"tokenizer_class": "BertTokenizer"})",
                           R"({"model_input_names": ["input_ids", "token_type_ids"]})"}) {
    settings(text);
    CHECK(fault_of_pairs(folder()).empty());
  }

  settings(R"({"mask_token": "[M]"})");
  CHECK(error_text([&] {
          check_mask(folder(), "[MASK]");
        }).ends_with("tokenizer_config.json: \"mask_token\" is \"[M]\", expected \"[MASK]\""));
  check_mask(folder(), "[M]");

  settings(R"({"clean_up_tokenization_spaces": true})");
  CHECK(error_text([&] {
          check_prompts(folder(), plain);
        }).find("\"clean_up_tokenization_spaces\" is true, expected false") != std::string::npos);
  settings("{}");
  check_prompts(folder(), plain);
  const Tokenizer around = tokenizer("null", R"({"type":"BertProcessing","sep":["b",1],"cls":["a",0]})");
  CHECK(error_text([&] { check_prompts(folder(), around); }).find("puts 2 special tokens around a text") !=
        std::string::npos);

  // Tokens of padding's id in the template take no position.
  ModelFolder uncounted = folder();
  uncounted.config.set("uncounted_token", 1);
  CHECK(text_length(uncounted, plain, 9) == 9);
  CHECK(text_length(uncounted, around, 9) == 10);
  CHECK(text_length(uncounted, around, 9, Texts::pair) == 11);
}

TEST_CASE("special tokens of our own that have no role come from no text, after convert too") {
  TokenizerLearner learner({.size = 20, .more_special = {"<e1>", "[SEP]"}});
  learner.add("the red house <e1>\n");
  const Tokenizer ours = learner.finish();
  const ScratchDirectory scratch;
  write_file(scratch / "tokenizer.json", published_tokenizer_text(ours));
  CHECK(published_tokenizer_text(ours).find(R"("in_text": false)") != std::string::npos);
  CHECK(Tokenizer::load(scratch.path()).encode("the <e1>") == ours.encode("the <e1>"));
  CHECK(tokenizer_file(ours).bytes == ours.to_json());
  // Of a run, and of another program.
  write_file(scratch / "tokenizer.json", ours.to_json());
  CHECK(Tokenizer::load(scratch.path()).encode("<e1>") == std::vector{ours.special_id("<e1>")});
  CHECK(Tokenizer::load(scratch.path()).encode("[SEP]") == ours.encode("[SEP]"));
  const Tokenizer found = Tokenizer::load(scratch.path());
  CHECK(Tokenizer::parse(published_tokenizer_text(found), "t").encode("<e1>") == found.encode("<e1>"));
  write_file(scratch / "recipe.yaml", "");
  CHECK(Tokenizer::load(scratch.path()).encode("<e1>") == ours.encode("<e1>"));
}
