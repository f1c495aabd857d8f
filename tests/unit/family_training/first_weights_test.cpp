// The first weights of a run from a trained model: what goes where, and what is refused.
#include "families/bag_of_words/model.hpp"
#include "families/train_first_weights.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "checkpoint/safetensors.hpp"
#include "data/ngram_vocabulary.hpp"
#include "error_text.hpp"
#include "families/classifier/directory.hpp"
#include "families/language_model/directory.hpp"
#include "families/registry.hpp"
#include "families/train_task.hpp"
#include "families/translator/directory.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

using Words = std::vector<std::string>;

// A model with files of its own below a folder.
struct Made {
  Recipe recipe;
  ScratchDirectory scratch;
  TaskFiles given;
  std::unique_ptr<TaskModel> model;

  const Family& family() const { return family_of(recipe.model); }
  Parameters& parameters() { return model->parameters(); }
  std::span<Real> values(const char* name) {
    Parameter* const p = parameters().find(name);
    REQUIRE(p != nullptr);
    return {p->value.data, static_cast<std::size_t>(p->size())};
  }
  Real at(const char* name, Index row, Index column) {
    return parameters().find(name)->value.row(row)[column];
  }
  // Draws the parameters; then a model directory is written where `saves`.
  void finish(std::uint64_t seed, bool saves) {
    model = prepare(recipe, given);
    parameters().allocate(true);
    parameters().initialize(seed);
    if (saves) save();
  }
  void save() {
    std::vector<TensorView> tensors;
    for (const auto& p : parameters().all()) {
      tensors.push_back(float_tensor(p->name, p->shape, reinterpret_cast<const float*>(p->value.data)));
    }
    write_file(path() / "model.safetensors", to_safetensors(tensors));
    for (const DirectoryFile& file : model->files()) write_file(path() / file.name, file.bytes);
  }
  fs::path path() const { return scratch.path(); }

  FirstWeights take(const Made& from, const Words& drop = {}) {
    return take_first_weights(from.path(), drop, family(), *model);
  }
  std::string problem(const Made& from, const Words& drop = {}) {
    std::string message = error_text([&] { take(from, drop); });
    const std::string place = (from.path() / "model.safetensors").string() + ": ";
    return message.starts_with(place) ? message.substr(place.size()) : message;
  }
};

// Ids in the order of the words, behind [PAD] and [UNK] (and [START] and [END]).
std::string tokenizer_file(const fs::path& path, const Words& words, bool has_ends = false) {
  TokenizerLearner learner(
      {.size = static_cast<std::int64_t>(words.size()) + (has_ends ? 4 : 2), .has_start_end = has_ends});
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string line;
    for (std::size_t times = 0; times < words.size() - i; ++times) line += words[i] + " ";
    learner.add(line + "\n");
  }
  write_file(path, learner.finish().to_json());
  return path.string();
}

TransformerSettings small(std::int64_t length = 5) {
  TransformerSettings settings;
  settings.width = 6;
  settings.heads = 2;
  settings.head_width = 3;
  settings.feed_forward_width = 4;
  settings.length = length;
  return settings;
}

void make_language_model(Made& made, const Words& words, std::uint64_t seed, bool saves,
                         std::int64_t size = 0, std::int64_t length = 5) {
  made.recipe.model = model_section(LanguageModelSettings{.transformer = small(length), .layers = 1});
  made.recipe.data.columns = {"source"};
  made.recipe.source_tokenizer.size = size > 0 ? size : static_cast<std::int64_t>(words.size()) + 2;
  made.given.source_tokenizer = tokenizer_file(made.path() / "learned.json", words);
  made.finish(seed, saves);
}

void make_classifier(Made& made, const std::string& labels, std::uint64_t seed, bool saves) {
  ClassifierSettings settings;
  settings.transformer = small();
  settings.head = {HeadType::softmax,
                   static_cast<std::int64_t>(std::count(labels.begin(), labels.end(), '\n'))};
  made.recipe.model = model_section(settings);
  made.recipe.data.columns = {"source", "label"};
  made.recipe.source_tokenizer.size = 4;
  made.given.source_tokenizer = tokenizer_file(made.path() / "learned.json", {"a", "b"});
  made.given.labels = (made.path() / "labels.txt").string();
  write_file(made.given.labels, labels);
  made.finish(seed, saves);
}

bool same(std::span<const Real> a, std::span<const Real> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("of the same vocabulary every number is taken, also rows that stand for no token") {
  Made base, tuned;
  make_language_model(base, {"one", "two", "three"}, 1, true, 9);
  make_language_model(tuned, {"one", "two", "three"}, 2, false, 9);
  REQUIRE_FALSE(same(base.parameters().values(), tuned.parameters().values()));
  const FirstWeights first = tuned.take(base);
  CHECK(same(base.parameters().values(), tuned.parameters().values()));
  CHECK(first.taken.size() == base.parameters().all().size());
  CHECK(first.vocabularies.empty());
  CHECK(
      first.summary() ==
      std::to_string(first.taken.size()) +
          " tensors taken (decoder.0.*, embedding.positions, embedding.tokens, head.bias, head.weight), none "
          "dropped, none new, none left out");
}

TEST_CASE("of another vocabulary rows go by the text of their tokens, and new tokens keep what was drawn") {
  Made base, tuned, drawn;
  make_language_model(base, {"one", "two", "three"}, 1, true);
  const Words words{"three", "four", "one", "five"};
  make_language_model(tuned, words, 2, false, 8);
  make_language_model(drawn, words, 2, false, 8);
  const FirstWeights first = tuned.take(base);
  CHECK(first.vocabularies == Words{"tokenizer.json: 4 of 6 tokens"});
  // [PAD] [UNK] three four one five, and two rows for no token; of the model [PAD] [UNK] one two three
  const Index from[] = {0, 1, 4, -1, 2, -1, -1, -1};
  for (Index id = 0; id < 8; ++id) {
    for (Index c = 0; c < 6; ++c) {
      CHECK(tuned.at("embedding.tokens", id, c) ==
            (from[id] < 0 ? drawn.at("embedding.tokens", id, c) : base.at("embedding.tokens", from[id], c)));
      CHECK(tuned.at("head.weight", c, id) ==
            (from[id] < 0 ? drawn.at("head.weight", c, id) : base.at("head.weight", c, from[id])));
    }
  }
  CHECK(same(tuned.values("embedding.positions"), base.values("embedding.positions")));
  CHECK(same(tuned.values("decoder.0.feed_forward.inner.weight"),
             base.values("decoder.0.feed_forward.inner.weight")));
}

TEST_CASE("both sides of a translator have a vocabulary of their own") {
  const auto make = [](Made& made, const Words& source, const Words& target, std::uint64_t seed, bool saves) {
    made.recipe.model = model_section(EncoderDecoderSettings{small(), 1, 1});
    made.recipe.source_tokenizer.size = static_cast<std::int64_t>(source.size()) + 2;
    made.recipe.target_tokenizer.size = static_cast<std::int64_t>(target.size()) + 4;
    made.given.source_tokenizer = tokenizer_file(made.path() / "s.json", source);
    made.given.target_tokenizer = tokenizer_file(made.path() / "t.json", target, true);
    made.finish(seed, saves);
  };
  Made base, tuned;
  make(base, {"a", "b"}, {"x", "y", "z"}, 1, true);
  make(tuned, {"b", "c"}, {"z", "x"}, 2, false);
  CHECK(tuned.take(base).vocabularies ==
        Words{"target-tokenizer.json: 6 of 6 tokens", "source-tokenizer.json: 3 of 4 tokens"});
  CHECK(tuned.at("source_embedding.tokens", 2, 1) == base.at("source_embedding.tokens", 3, 1));
  CHECK(tuned.at("target_embedding.tokens", 4, 1) == base.at("target_embedding.tokens", 6, 1));
  CHECK(tuned.at("head.weight", 1, 5) == base.at("head.weight", 1, 4));
}

TEST_CASE("the hidden layer of a bag of words goes by its terms") {
  const auto make = [](Made& made, const Words& terms, std::uint64_t seed, bool saves) {
    std::vector<NgramVocabulary::Term> counted;
    for (const std::string& term : terms) counted.push_back({term, 3});
    made.recipe.model = model_section(BagOfWordsSettings{.width = 4, .head = {HeadType::softmax, 2}});
    made.recipe.data.columns = {"source", "label"};
    made.recipe.terms.size = static_cast<std::int64_t>(terms.size()) + 1;
    made.recipe.terms.ngrams = 2;
    made.given.source_tokenizer = tokenizer_file(made.path() / "learned.json", {"a", "b"});
    made.given.labels = (made.path() / "labels.txt").string();
    write_file(made.given.labels, "neg\npos\n");
    made.given.terms = (made.path() / "learned.tsv").string();
    write_file(made.given.terms,
               NgramVocabulary({.ngrams = 2, .output = TermOutput::multi_hot}, 9, counted).to_text());
    made.finish(seed, saves);
  };
  Made base, tuned, drawn;
  make(base, {"a", "b", "a b"}, 1, true);
  make(tuned, {"a b", "b a", "a"}, 2, false);
  make(drawn, {"a b", "b a", "a"}, 2, false);
  CHECK(tuned.take(base).vocabularies == Words{"terms.tsv: 3 of 4 terms"});
  const Index from[] = {0, 3, -1, 1};
  for (Index id = 0; id < 4; ++id) {
    CHECK(tuned.at("hidden.weight", id, 2) ==
          (from[id] < 0 ? drawn.at("hidden.weight", id, 2) : base.at("hidden.weight", from[id], 2)));
  }
  CHECK(same(tuned.values("head.weight"), base.values("head.weight")));
}

TEST_CASE("what is dropped is drawn, and a pattern that drops nothing is a mistake") {
  Made base, tuned, drawn;
  make_classifier(base, "neg\npos\n", 1, true);
  make_classifier(tuned, "neg\npos\n", 2, false);
  make_classifier(drawn, "neg\npos\n", 2, false);
  const FirstWeights first = tuned.take(base, {"head.*", "*.gamma"});
  CHECK(first.summary().find("dropped (") != std::string::npos);
  CHECK(same(tuned.values("head.weight"), drawn.values("head.weight")));
  CHECK(same(tuned.values("embedding.tokens"), base.values("embedding.tokens")));
  CHECK(tuned.problem(base, {"heads.*"}) ==
        "training.drop: \"heads.*\" matches no parameter (inspect --tensors lists those of a saved model)");
  CHECK_THROWS_AS(tuned.take(base, {"heads.*"}), UsageError);
  CHECK(tuned.problem(base, {"*"}).find("no tensor of it has a place in this model") != std::string::npos);
}

TEST_CASE("another set of labels asks for a new head") {
  Made base, other, more;
  make_classifier(base, "neg\npos\n", 1, true);
  make_classifier(other, "no\nyes\n", 2, false);
  make_classifier(more, "neg\npos\nso-so\n", 2, false);
  CHECK(other.problem(base) ==
        "tensor \"head.bias\" is of the labels neg, pos, this model has no, yes (give --labels of that "
        "model, or "
        "draw the head anew with --drop 'head.*')");
  CHECK(more.problem(base) ==
        "2 tensors have other shapes than this model's, the first \"head.bias\": [2] there, [3] here: "
        "model.classes is 3 here, 2 there (give the recipe the sizes of that model, or draw them anew with "
        "--drop 'head.*')");
  CHECK(other.take(base, {"head.*"}).dropped == Words{"head.bias", "head.weight"});
  CHECK(more.take(base, {"head.*"}).dropped == Words{"head.bias", "head.weight"});
}

TEST_CASE("a tensor that does not fit, or holds no number, is named") {
  Made base, longer, same_size;
  make_language_model(base, {"one", "two"}, 1, true);
  make_language_model(longer, {"one", "two"}, 2, false, 0, 7);
  make_language_model(same_size, {"one", "two"}, 2, false);
  CHECK(longer.problem(base) ==
        "tensor \"embedding.positions\" has shape [5, 6], this model's has [7, 6]: model.length is 7 here, 5 "
        "there (give the recipe the sizes of "
        "that model, or draw it anew with --drop embedding.positions)");
  CHECK(longer.take(base, {"embedding.positions"}).dropped == Words{"embedding.positions"});
  base.values("head.bias")[1] = std::numeric_limits<Real>::infinity();
  base.save();
  CHECK(same_size.problem(base) ==
        "tensor \"head.bias\" is not finite at element 1 (take another model, or draw it anew with --drop "
        "head.bias)");
}

TEST_CASE("a shorter model takes the first positions") {
  Made base, shorter;
  make_language_model(base, {"one", "two"}, 1, true);
  make_language_model(shorter, {"one", "two"}, 2, false, 0, 3);
  const FirstWeights first = shorter.take(base);
  CHECK(std::ranges::find(first.taken, "embedding.positions") != first.taken.end());
  CHECK(same(shorter.values("embedding.positions"), base.values("embedding.positions").first(3 * 6)));
}

TEST_CASE("the blocks of a language model go onto a classifier's, and its head of tokens nowhere") {
  Made base, tuned;
  make_language_model(base, {"b", "pos"}, 1, true);
  make_classifier(tuned, "neg\npos\n", 2, false);
  const FirstWeights first = tuned.take(base);
  CHECK(first.vocabularies == Words{"tokenizer.json: 3 of 4 tokens"});
  CHECK(tuned.at("embedding.tokens", 3, 2) == base.at("embedding.tokens", 2, 2));
  for (const char* name :
       {"0.self_attention.query.weight", "0.feed_forward.outer.bias", "0.feed_forward_norm.gamma"}) {
    INFO(name);
    CHECK(same(tuned.values((std::string("encoder.") + name).c_str()),
               base.values((std::string("decoder.") + name).c_str())));
  }
  CHECK(first.new_ones == Words{"head.bias", "head.weight"});  // whose label "pos" is no token
  CHECK(first.left_out == Words{"head.bias", "head.weight"});
  CHECK(first.summary() ==
        "18 tensors taken (embedding.positions, embedding.tokens, encoder.0.*; decoder.* becomes encoder.*), "
        "none dropped, 2 new (head.bias, head.weight), 2 left out (head.bias, head.weight)");
}

TEST_CASE("a translator's two stacks keep their names") {
  Made base, tuned;
  make_language_model(base, {"b", "q"}, 1, true);
  tuned.recipe.model = model_section(EncoderDecoderSettings{.transformer = small()});
  tuned.recipe.data.columns = {"source", "target"};
  tuned.recipe.source_tokenizer.size = 4;
  tuned.recipe.target_tokenizer.size = 6;
  tuned.given.source_tokenizer = tokenizer_file(tuned.path() / "source.json", {"a", "b"});
  tuned.given.target_tokenizer = tokenizer_file(tuned.path() / "target.json", {"a", "b"}, true);
  tuned.finish(2, false);
  const FirstWeights first = tuned.take(base, {"head.*"});
  CHECK(first.moved.empty());
  CHECK(std::ranges::find(first.taken, "decoder.0.feed_forward.inner.weight") != first.taken.end());
  CHECK(std::ranges::find(first.new_ones, "encoder.0.feed_forward.inner.weight") != first.new_ones.end());
}
