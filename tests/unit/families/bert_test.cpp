// Classifiers that read special tokens around a text, and BERT's layout of them.
#include <doctest/doctest.h>

#include "error_text.hpp"
#include "families/classifier/directory.hpp"
#include "scratch_directory.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

// [PAD] [UNK] [CLS] [SEP] [MASK], then "a" 5, "b" 6.
Tokenizer tokenizer_of(TextTemplate text_template) {
  TokenizerLearner learner(WordTokenizerSettings{.text_template = text_template});
  learner.add("a a b\n");
  return learner.finish();
}

Json small_bert() {
  return Json::parse(R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"],
    "vocab_size": 7, "max_position_embeddings": 5, "hidden_size": 4, "num_hidden_layers": 1,
    "num_attention_heads": 2, "intermediate_size": 6, "type_vocab_size": 2,
    "id2label": {"0": "no", "1": "yes"}})",
                     "config.json");
}

}  // namespace

TEST_CASE("a template stands around the ids of a text, which are cut to the room between") {
  const Tokenizer tokenizer = tokenizer_of(TextTemplate::bert);
  const std::vector<std::int32_t> ids{5, 6, 5, 6};
  const auto with_template = [&](std::span<const std::int32_t> of, Index length) {
    std::vector<std::int32_t> all{9};
    add_template(tokenizer, 2, of, length, all);
    return all;
  };
  CHECK(with_template(ids, 0) == std::vector<std::int32_t>{2, 5, 6, 5, 6, 3});
  CHECK(with_template(ids, 6) == std::vector<std::int32_t>{2, 5, 6, 5, 6, 3});
  CHECK(with_template(ids, 5) == std::vector<std::int32_t>{2, 5, 6, 5, 3});
  CHECK(with_template({}, 5) == std::vector<std::int32_t>{2, 3});
}

TEST_CASE("tokens that take no position leave room for others, up to the longest text") {
  const Tokenizer tokenizer = tokenizer_of(TextTemplate::bert);  // a is 5, b is 6
  const auto read = [&](std::string_view text, Index length, Uncounted uncounted) {
    SourceIds found;
    find_source_ids(tokenizer, 2, length, text, found, uncounted);
    CHECK(found.is_truncated == (found.ids.size() < tokenizer.encode(text).size() + 2));
    return std::vector<std::int32_t>(found.ids.begin() + 1, found.ids.end() - 1);
  };
  CHECK(read("a b a b a b", 5, {}) == std::vector<std::int32_t>{5, 6, 5});
  CHECK(read("a b a b a b", 5, {6}) == std::vector<std::int32_t>{5, 6, 5, 6, 5, 6});
  CHECK(read("b b a a a a", 5, {6}) == std::vector<std::int32_t>{6, 6, 5, 5, 5});
  CHECK(read("a b a b a b", 5, {6, 7}) == std::vector<std::int32_t>{5, 6, 5, 6, 5});
  CHECK(read("a a a a b b", 5, {6}) == std::vector<std::int32_t>{5, 5, 5});
  SourceIds found;
  find_pair_ids(tokenizer, pair_template(tokenizer, 9, "m"), 6, "b b a\tb a a", found, {6});
  CHECK(found.ids == std::vector<std::int32_t>{2, 6, 6, 5, 3, 6, 5, 5, 3});
  find_pair_ids(tokenizer, pair_template(tokenizer, 9, "m"), 6, "b a a\tb a a", found, {6});
  CHECK(found.ids == std::vector<std::int32_t>{2, 6, 5, 3, 6, 5, 5, 3});
  CHECK(found.is_truncated);
}

TEST_CASE("a model that reads a template needs a tokenizer with one, and room for a text") {
  const Tokenizer plain = tokenizer_of(TextTemplate::none), bert = tokenizer_of(TextTemplate::bert);
  CHECK(tokens_around(bert, 3, "m") == 2);
  CHECK(tokens_around(bert, 0, "m") == 2);
  CHECK(error_text([&] { tokens_around(plain, 9, "m"); }).starts_with("m: its tokenizer puts no"));
  CHECK(error_text([&] { tokens_around(bert, 2, "m"); }) ==
        "m: model.length is 2, and 2 special tokens stand around a text (make it longer)");
}

TEST_CASE("a pair is cut from its longer text, and each has a half where both are longer") {
  const auto cut = [](std::size_t first, std::size_t second, std::size_t room) {
    return cut_longest_first({first, second}, room);
  };
  CHECK(cut(3, 4, 7) == PairLengths{3, 4});
  CHECK(cut(2, 9, 7) == PairLengths{2, 5});
  CHECK(cut(9, 2, 7) == PairLengths{5, 2});
  CHECK(cut(9, 8, 7) == PairLengths{4, 3});
  CHECK(cut(8, 9, 7) == PairLengths{3, 4});
  CHECK(cut(8, 8, 7) == PairLengths{3, 4});
  CHECK(cut(8, 0, 7) == PairLengths{7, 0});
}

TEST_CASE("a template joins the texts of a pair, and says where the second begins") {
  const Tokenizer tokenizer = tokenizer_of(TextTemplate::bert);
  const PairTemplate pair = pair_template(tokenizer, 9, "m");
  CHECK(pair.around == 3);
  CHECK(pair.before_second == 2);
  CHECK(error_text([&] { pair_template(tokenizer, 3, "m"); }) ==
        "m: model.length is 3, and 3 special tokens stand around a pair (make it longer)");
  SourceIds found;
  find_pair_ids(tokenizer, pair, 0, "a b\tb", found);
  CHECK(found.ids == std::vector<std::int32_t>{2, 5, 6, 3, 6, 3});
  CHECK(found.first == TokenRange{1, 3});
  CHECK(found.second == TokenRange{4, 5});
  CHECK_FALSE(found.is_truncated);
  find_pair_ids(tokenizer, pair, 5, "a b\tb", found);
  CHECK(found.ids == std::vector<std::int32_t>{2, 5, 3, 6, 3});
  CHECK(found.first == TokenRange{1, 2});
  CHECK(found.second == TokenRange{3, 4});
  CHECK(found.is_truncated);
  CHECK(fault_of_texts(Texts::pair, "a\tb").empty());
  CHECK(fault_of_texts(Texts::either, "a").empty());
  CHECK(fault_of_texts(Texts::pair, "a").starts_with("no pair: 1 column where 2 are wanted"));
  CHECK(fault_of_texts(Texts::either, "a\tb\tc").starts_with("no pair: 3 columns where 2 are wanted"));
}

TEST_CASE("BERT's layout: what a config.json says, and what is not computed") {
  const ScratchDirectory scratch;
  const auto settings_of = [&](const Json& config) {
    write_file(scratch / "config.json", config.dump());
    const ModelFolder folder = open_model(scratch.path());
    return folder.family->section_of_config(folder.config).as<ClassifierSettings>();
  };
  const ClassifierSettings s = settings_of(small_bert());
  CHECK(s.segments == 2);
  CHECK(s.embedding_norm);
  CHECK(s.pooler);
  CHECK(s.pooling == ops::Pooling::first);
  CHECK(s.special_tokens == SpecialTokens::template_);
  CHECK(s.head.head == HeadType::softmax);
  CHECK(s.transformer.norm == NormPlacement::post);
  CHECK(s.transformer.norm_epsilon == 1e-12);
  CHECK(s.transformer.output_dropout == 0.1);
  Json config = small_bert();
  CHECK(settings_of(config.set("classifier_dropout", 0.3)).transformer.output_dropout == 0.3);
  CHECK(settings_of(config.set("classifier_dropout", nullptr).set("hidden_dropout_prob", 0.2))
            .transformer.output_dropout == 0.2);
  CHECK(settings_of(small_bert().set("type_vocab_size", 1)).segments == 1);
  CHECK(settings_of(small_bert().set("hidden_act", "relu")).transformer.activation == ops::Activation::relu);
  CHECK(settings_of(small_bert().set("hidden_act", "gelu_python")).transformer.activation ==
        ops::Activation::gelu);
  const auto refused = [&](const char* key, Json value) {
    return error_text([&] { settings_of(small_bert().set(key, std::move(value))); });
  };
  CHECK(refused("problem_type", "regression").find("\"problem_type\"") != std::string::npos);
  CHECK(refused("position_embedding_type", "relative_key").find("\"position_embedding_type\"") !=
        std::string::npos);
  CHECK(refused("is_decoder", true).find("\"is_decoder\"") != std::string::npos);
  CHECK(refused("architectures", Json::Array{Json("BertForTokenClassification")})
            .find("BertForSequenceClassification") != std::string::npos);
}
