// Directories of sentence-transformers: what their files say, and what is refused.
#include <doctest/doctest.h>

#include "error_text.hpp"
#include "families/layouts/registry.hpp"
#include "families/text_encoder/directory.hpp"
#include "families/text_encoder/sentence_transformers.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

constexpr const char* kConfig = R"({"model_type": "bert", "architectures": ["BertModel"],
  "vocab_size": 7, "max_position_embeddings": 9, "hidden_size": 4, "num_hidden_layers": 1,
  "num_attention_heads": 2, "intermediate_size": 6, "type_vocab_size": 2})";

std::string modules_text(const std::string& path, const std::string& third = "") {
  return R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": ")" +
         path + R"(", "type": "sentence_transformers.models.Pooling"})" +
         (third.empty() ? "" : R"(, {"path": "2", "type": ")" + third + "\"}") + "]";
}

std::string said_pooling(const std::string& text) { return parse_sentence_pooling(text, "p", 4); }
std::string fault_of_pooling(const std::string& text) {
  return error_text([&] { said_pooling(text); });
}

}  // namespace

TEST_CASE("modules.json: an encoder, pooling, and perhaps normalization") {
  CHECK(parse_sentence_modules(modules_text("1_Pooling"), "m").pooling_folder == "1_Pooling");
  CHECK(parse_sentence_modules(modules_text("1_Pooling"), "m").normalize_folder.empty());
  for (const char* type :
       {"sentence_transformers.models.Normalize", "sentence_transformers.base.modules.normalize.Normalize"})
    CHECK(parse_sentence_modules(modules_text("p", type), "m").normalize_folder == "2");
  const auto fault = [](const std::string& text) {
    return error_text([&] { parse_sentence_modules(text, "m"); });
  };
  for (const char* path : {"", ".", "..", "../p", "/p", "a/b", "a\\\\b", "a\\u0000"})
    CHECK(fault(modules_text(path)).starts_with("m: \"path\" is "));
  CHECK(fault(modules_text("p", "sentence_transformers.models.Dense"))
            .starts_with("m: \"type\" is \"sentence_transformers.models.Dense\", expected Normalize"));
  CHECK(fault("[]").starts_with("m: has 0 modules"));
  CHECK(fault("{}").starts_with("m: "));
  CHECK(fault("[1, 2]").starts_with("m: "));
  CHECK(fault("[").starts_with("m:"));
}

TEST_CASE("the pooling's config.json, in the old form and the new") {
  CHECK(said_pooling("{}") == "mean");
  CHECK(said_pooling(R"({"word_embedding_dimension": 4, "pooling_mode_cls_token": true})") == "first");
  CHECK(said_pooling(R"({"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": false})") == "max");
  CHECK(said_pooling(R"({"embedding_dimension": 4, "pooling_mode": "cls"})") == "first");
  CHECK(said_pooling(R"({"pooling_mode": "mean"})") == "mean");
  CHECK(said_pooling(R"({"pooling_mode": ["max"]})") == "max");
  const std::string way_out = " (make these vectors with sentence-transformers)";
  CHECK(fault_of_pooling(R"({"pooling_mode": ["cls", "mean"]})") ==
        "p: \"pooling_mode\" is [\"cls\",\"mean\"], expected one of cls, mean, max" + way_out);
  for (const char* name : {"pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens"}) {
    CHECK(fault_of_pooling(std::string(R"({")") + name + R"(": true})") ==
          "p: \"" + std::string(name) + "\" is true, expected false" + way_out);
    CHECK(said_pooling(std::string(R"({")") + name + R"(": false})") == "mean");
  }
  CHECK(fault_of_pooling(R"({"pooling_mode_median": false})") ==
        "p: unknown member \"pooling_mode_median\" (remove it)");
  CHECK(fault_of_pooling(R"({"poling_mode": "cls"})") ==
        "p: unknown member \"poling_mode\" (did you mean \"pooling_mode\"?)");
  CHECK(fault_of_pooling(R"({"pooling_mode": "lasttoken"})") ==
        "p: \"pooling_mode\" is \"lasttoken\", expected one of cls, mean, max" + way_out);
  CHECK(fault_of_pooling(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})") ==
        "p: \"pooling_mode_mean_tokens\" is true beside another mode, expected one mode" + way_out);
  CHECK(fault_of_pooling(R"({"pooling_mode_lasttoken": true})").starts_with("p: \"pooling_mode_lasttoken\""));
  CHECK(fault_of_pooling(R"({"word_embedding_dimension": 5})") ==
        "p: \"word_embedding_dimension\" is 5, expected 4, the encoder's (take the folder of this model)");
  CHECK(fault_of_pooling(R"({"pooling_mode_mean_tokens": 1})").starts_with("p: "));
}

TEST_CASE("the longest text, and prompts that nobody would put before a text") {
  const auto length = [](const std::string& text) { return parse_sentence_length(text, "s"); };
  CHECK(length(R"({"max_seq_length": 8, "do_lower_case": false})") == 8);
  CHECK(length(R"({"max_seq_length": null})") == 0);
  CHECK(error_text([&] { length(R"({"max_seq_length": 8, "frob": null})"); }) ==
        "s: unknown member \"frob\" (remove it)");
  CHECK(error_text([&] { length(R"({"max_seq_len": 8})"); }) ==
        "s: unknown member \"max_seq_len\" (remove it)");
  CHECK(error_text([&] { length(R"({"max_seq_lenght": 8})"); }) ==
        "s: unknown member \"max_seq_lenght\" (did you mean \"max_seq_length\"?)");
  CHECK(error_text([&] { length(R"({"max_seq_length": 0})"); }).starts_with("s: \"max_seq_length\" is 0"));
  CHECK(
      error_text([&] { length(R"({"do_lower_case": true})"); }).starts_with("s: \"do_lower_case\" is true"));
  CHECK(length(R"({"max_seq_length": 9, "processing_kwargs": {"text": {"max_length": 7}}})") == 7);
  for (const char* text :
       {R"({"processing_kwargs": {"text": {"truncation": false}}})",
        R"({"processing_kwargs": {"common": {"padding": 1}}})", R"({"transformer_task": "fill-mask"})",
        R"({"module_output_name": "sentence_embedding"})", R"({"tokenizer_args": {"do_lower_case": true}})",
        R"({"model_kwargs": {"dtype": "float16"}})", R"({"config_args": {"output_hidden_states": true}})",
        R"({"tokenizer_name_or_path": "elsewhere"})"}) {
    CAPTURE(text);
    CHECK(error_text([&] { length(text); }).find(", expected ") != std::string::npos);
  }
  CHECK(error_text([&] { length(R"({"tokenizer_args": {"do_lower_case": true}})"); }) ==
        "s: \"tokenizer_args.do_lower_case\" is true, expected what tokenizer_config.json says (write it "
        "there)");
  // What changes no vector.
  for (
      const char* text :
      {R"({"max_seq_length": 9, "model_args": {}, "tokenizer_args": {}, "config_args": {}})",
       R"({"max_seq_length": 9, "model_args": {"attn_implementation": "sdpa", "torch_dtype": "float32", "revision": null}})",
       R"({"max_seq_length": 9, "tokenizer_args": {"use_fast": true, "do_lower_case": false, "strip_accents": null}})",
       R"({"max_seq_length": 9, "processing_kwargs": {"common": {}, "image": {"do_resize": false}, "text": null}})",
       R"({"max_seq_length": 9, "processing_kwargs": {"text": {"padding": true, "truncation": true, "max_length": null}}})"}) {
    CAPTURE(text);
    CHECK(parse_sentence_length(text, "s", Json::Object{{"do_lower_case", false}}) == 9);
  }
  CHECK(length(R"({"max_seq_length": 9, "tokenizer_args": {"model_max_length": 5}})") == 5);
  CHECK(error_text([] { check_sentence_prompts(R"({"model_type": "SparseEncoder"})", "c"); }) ==
        "c: \"model_type\" is \"SparseEncoder\", expected \"SentenceTransformer\" (make these vectors with "
        "sentence-transformers)");
  check_sentence_normalization(R"({"module_input_name": "sentence_embedding", "module_output_name": null})",
                               "n");
  CHECK(error_text([] {
          check_sentence_normalization(R"({"module_input_name": "token_embeddings"})", "n");
        }).starts_with("n: \"module_input_name\" is \"token_embeddings\", expected "));
  check_sentence_prompts(R"({"prompts": {"query": ""}, "default_prompt_name": "query"})", "c");
  check_sentence_prompts(R"({"prompts": {"query": "q: "}, "default_prompt_name": null})", "c");
  CHECK(error_text([] {
          check_sentence_prompts(R"({"prompts": {"query": "q: "}, "default_prompt_name": "query"})", "c");
        }).starts_with("c: \"default_prompt_name\" is \"query\", expected null"));
}

TEST_CASE("a directory: the files beside config.json are read, and written back") {
  const ScratchDirectory scratch;
  write_file(scratch / "config.json", kConfig);
  const auto settings = [&] {
    const ModelFolder folder = open_model(scratch.path());
    return folder.family->section_of_config(folder.config).as<TextEmbedderSettings>();
  };
  CHECK(settings().pooling == ops::Pooling::mean);
  CHECK_FALSE(settings().normalize);
  CHECK_FALSE(settings().pooler);
  TextEmbedderSettings wanted = settings();
  wanted.pooling = ops::Pooling::max;
  wanted.normalize = true;
  wanted.max_tokens = 5;
  for (const DirectoryFile& file : sentence_modules(wanted)) {
    fs::create_directories((scratch / file.name).parent_path());
    write_file(scratch / file.name, file.bytes);
  }
  const TextEmbedderSettings read = settings();
  CHECK(read.pooling == ops::Pooling::max);
  CHECK(read.normalize);
  CHECK(read.max_tokens == 5);
  CHECK(TextEmbedder(read, 7).length() == 5);
  // Without a length of its own the encoder takes the tokenizer's.
  write_file(scratch / "tokenizer_config.json", R"({"model_max_length": 6})");
  CHECK(settings().max_tokens == 5);
  write_file(scratch / "sentence_bert_config.json", R"({"max_seq_length": null})");
  CHECK(settings().max_tokens == 6);
  fs::remove(scratch / "sentence_bert_config.json");
  CHECK(settings().max_tokens == 6);
  write_file(scratch / "sentence_roberta_config.json", R"({"max_seq_length": 4})");
  CHECK(settings().max_tokens == 4);
  write_file(scratch / "tokenizer_config.json", R"({"model_max_length": 0})");
  CHECK(error_text(settings).ends_with(
      "tokenizer_config.json: \"model_max_length\" is 0, expected a whole number from 1"));
  fs::remove(scratch / "tokenizer_config.json");
  fs::remove(scratch / "1_Pooling/config.json");
  CHECK(error_text(settings).find("1_Pooling/config.json") != std::string::npos);
  fs::remove(scratch / "config.json");
  CHECK(error_text(settings).find("has modules.json and no config.json") != std::string::npos);
}
