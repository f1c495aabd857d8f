// Recipes that are right: what is read, printed and compared.
#include "recipe/recipe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "error_text.hpp"
#include "families/bag_of_words/model.hpp"
#include "families/classifier/directory.hpp"
#include "families/language_model/directory.hpp"
#include "families/registry.hpp"
#include "families/translator/directory.hpp"
#include "recipe/reference.hpp"
#include "support/error.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TransformerSettings unusual_transformer() {
  return {{NormPlacement::pre, 1e-6},
          96,
          3,
          7,
          111,
          ops::Activation::gelu_tanh,
          Positions::sinusoidal,
          true,
          33,
          0.1,
          0.2,
          5,
          0.3};
}

// Every member away from its default that is read, so that a row missing in the table shows; of the optimizer
// those that this kind reads.
Recipe unusual(const std::string& optimizer = "adamw") {
  Recipe r;
  r.name = "an unusual \"one\" \\ with # and: colons";
  r.seed = 18446744073709551615u;
  r.data.set = "some-set-2";
  r.data.split = DataSplit::seed;
  r.data.train = "a/train.tsv";
  r.data.validation = "a/validation file.tsv";
  r.data.test = "a/test.tsv";
  r.data.train_examples = 5;
  r.data.max_tokens = 40;
  r.data.validation_examples = 6;
  r.data.test_examples = 7;
  r.data.tokenizer_text = "a/text";
  r.data.columns = {"target", "source"};
  r.data.csv_columns = {"the text: \"es\"", "2"};
  r.data.summaries = true;
  r.source_tokenizer = {"character", 300, "none", "unicode"};
  r.source_tokenizer.user_defined_symbols = {"<br>", "a: \"b\", "};
  r.target_tokenizer = {"word", 77, "lower", "unicode", true};
  r.model = model_section(EncoderDecoderSettings{unusual_transformer(), 2, 5, SharedEmbeddings::target_output,
                                                 SourceSpecialTokens::start_end});
  r.training.epochs = 3;
  r.training.max_steps = 1234567;
  r.training.batch_sequences = 48;
  r.training.shuffle = false;
  r.training.accumulate = 4;
  r.training.freeze = {"*_embedding.tokens", "encoder.0.*"};
  r.training.label_smoothing = 0.1;
  r.training.r_drop = 2.5;
  r.training.log_every = 7;
  r.training.best_metric = "perplexity";
  r.training.validation_translations = 50;
  r.training.ema_decay = 0.995;
  OptimizerSettings& o = r.training.optimizer;
  o.kind = value_of<OptimizerKind>(optimizer).value();
  o.learning_rate = 2.5e-4;
  o.global_clipnorm = 1.5;
  o.layer_decay = 0.75;
  r.training.schedule = {ScheduleKind::cosine, 4000, 1e-5};
  if (optimizer == "sgd") {
    o.momentum = 0.5;
    r.training.schedule = {.kind = ScheduleKind::step,
                           .warmup_steps = 4000,
                           .final_rate = 1e-5,
                           .factor = 0.25,
                           .every_epochs = 3};
    r.training.batch_sequences = TrainingSettings().batch_sequences;
    r.training.batch_tokens = 4096;
    r.training.ema_decay = 0;
    r.training.average_last = 5;
  } else if (optimizer == "adam") {
    r.training.schedule = {.kind = ScheduleKind::step,
                           .warmup_steps = 4000,
                           .final_rate = 1e-5,
                           .factor = 0.25,
                           .every_steps = 3000};
    o.epsilon = 1e-9;
    o.beta_1 = 0.8;
    o.beta_2 = 0.98;
    o.epsilon_hat = true;
  } else if (optimizer == "rmsprop") {
    o.rho = 0.95;
    o.epsilon_placement = EpsilonPlacement::inside;
    o.epsilon = 1e-9;
  } else {
    o.epsilon = 1e-9;
    o.beta_1 = 0.8;
    o.beta_2 = 0.98;
    o.epsilon_hat = true;
    o.weight_decay = 0.01;
    o.weight_decay_of = DecayedParameters::all;
  }
  r.data.teacher = "models/a teacher";
  r.training.init_from = "models/a base";
  r.training.drop = {"head.*", "*.gamma"};
  r.training.checkpoint = {20, 2.5, 3, 5};
  r.training.early_stopping = {"accuracy", 4};
  r.training.unfreeze = {.every_epochs = 2};
  r.training.subword_sampling = {0.1, 0.3};
  r.decoding = {40, 2.5, 3, 2, 5, 0.7, LengthPenaltyKind::gnmt, BeamStopping::never, {60, 70}};
  r.expected = {{"bleu", 16.9, 0.5, Comparison::near, "a table"},
                {"validation_loss", 2.78, std::nullopt, Comparison::at_most, ""}};
  return r;
}

// What is not read where blocks are recurrent layers.
void without_feed_forward(TransformerSettings& s) {
  const TransformerSettings defaults;
  s.feed_forward_width = defaults.feed_forward_width;
  s.norm = defaults.norm;
  s.norm_epsilon = defaults.norm_epsilon;
  s.activation = defaults.activation;
}

// A classifier that mixes so, or a bag_of_words.
Recipe unusual_classifier(std::string_view mixing) {
  Recipe r = unusual();
  r.data.columns = {"label", "source"};
  if (mixing != "bag_of_words") {
    r.data.columns.emplace_back("target");
    r.data.csv_columns.emplace_back("second text");
  }
  r.data.summaries = false;
  r.data.teacher.clear();
  r.training.class_weights = {
      "", {{"Video games", 2.5}, {"1", 0.5}, {"Food: \"hot\", {cold} #1", 3}, {"<<", 1}, {"yes", 2}}};
  r.training.best_metric = "macro_f1";
  r.training.early_stopping.metric = "macro_f1";
  r.training.validation_translations = 0;
  r.training.r_drop = 0;
  r.training.subword_sampling = {};
  r.target_tokenizer = {};
  r.decoding = {};
  r.expected = {};
  if (mixing == "bag_of_words") {
    r.model = model_section(BagOfWordsSettings{17, 0.3, Initialization::keras, {HeadType::softmax, 5}});
    r.terms = {2, 777, "tf-idf"};
    return r;
  }
  ClassifierSettings s;
  s.transformer = unusual_transformer();
  fit_heads(s.transformer, mixer_kind(mixing));
  s.mixing = unusual_mixing(mixer_kind(mixing));
  s.encoder_layers = 2;
  s.pooling = ops::Pooling::mean;
  s.embedding_norm = s.pooler = true;
  s.pooler_activation = ops::Activation::relu;
  s.segments = 2;
  s.special_tokens = SpecialTokens::template_;
  s.pairs = true;
  s.padding = Padding::attended;
  s.head = {HeadType::softmax, 5};
  if (s.mixing.is_recurrent()) {
    s.embedding_norm = false;
    without_feed_forward(s.transformer);
  }
  if (!s.mixing.has_attention()) {
    s.transformer.heads = TransformerSettings().heads;
    s.transformer.head_width = 0;
    s.transformer.attention_dropout = 0;
  }
  if (mixing == "mlp") {  // of single texts
    s.pairs = false;
    r.data.columns.pop_back();
    r.data.csv_columns.pop_back();
    r.data.test_orders = {"shuffled", "reversed"};
  }
  r.model = model_section(s);
  return r;
}

Recipe unusual_language_model() {
  Recipe r = unusual();
  r.data.columns = {"source"};
  r.data.summaries = false;
  r.data.teacher.clear();
  r.training.best_metric = "perplexity";
  r.training.early_stopping.metric = "accuracy";
  r.training.validation_translations = 0;
  r.training.r_drop = 0;
  r.training.subword_sampling = {};
  r.data.csv_columns = {"text"};
  r.data.examples = DataExamples::random;
  r.data.stride = 2;
  r.data.epoch_examples = 77;
  r.data.line_ends = true;
  r.data.max_tokens = 0;
  r.training.samples = {{"this movie is", "a: \"b\""}, 17, 5, 0.75, true};
  r.target_tokenizer = {};
  r.decoding = {};
  r.expected = {};
  r.model = model_section(LanguageModelSettings{unusual_transformer(), 3, 0.25});
  return r;
}

Recipe recurrent_language_model() {
  Recipe r = unusual_language_model();
  LanguageModelSettings settings{
      .transformer = {}, .layers = 3, .mixing = {.mixing = "gru", .reset_after = false}};
  settings.transformer.width = 96;
  settings.transformer.length = 70;
  r.model = model_section(settings);
  return r;
}

}  // namespace

TEST_CASE("the defaults stand in the struct alone") {
  const Recipe read = parse_recipe("name: r\n", "r.yaml");
  Recipe wanted;
  wanted.name = "r";
  wanted.model = model_section(EncoderDecoderSettings());
  fill_in(wanted);
  CHECK(read == wanted);
}

TEST_CASE("a recipe without a name is called by its file") {
  CHECK(parse_recipe("seed: 2\n", "some/where/tiny.yaml").name == "tiny");
}

TEST_CASE("a printed recipe reads back equal, with every member away from its default") {
  std::vector<Recipe> recipes{unusual(),
                              unusual("adam"),
                              unusual("rmsprop"),
                              unusual("sgd"),
                              unusual_classifier("bag_of_words"),
                              unusual_language_model(),
                              recurrent_language_model(),
                              parse_recipe("name: r\n", "r.yaml")};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (mixer->encodes_texts) recipes.push_back(unusual_classifier(mixer->name));
  }
  for (const Recipe& recipe : recipes) {
    const std::string printed = print_recipe(recipe);
    INFO(printed);
    const Recipe again = parse_recipe(printed, "printed.yaml");
    CHECK(again == recipe);
    CHECK(print_recipe(again) == printed);
    CHECK(differences(recipe, again).empty());
    const std::string explained = explain_recipe(recipe, model_kinds());
    INFO(explained);
    CHECK(parse_recipe(explained, "explained.yaml") == recipe);
  }
}

TEST_CASE("a shared tokenizer is that of both sides") {
  const std::string text = "name: r\nshared_tokenizer: true\nsource_tokenizer: {kind: byte_bpe, size: 300}\n";
  const Recipe recipe = parse_recipe(text, "r.yaml");
  CHECK(recipe.target_tokenizer == recipe.source_tokenizer);
  CHECK(recipe.target_tokenizer.standardize == "none");
  const std::string printed = print_recipe(recipe);
  CHECK(!contains(printed, "target_tokenizer"));
  CHECK(parse_recipe(printed, "printed.yaml") == recipe);
}

TEST_CASE("columns of CSV by plain numbers are those by numbers in quotes") {
  const Recipe plain = parse_recipe("data: {csv_columns: [2, 3]}\n", "r.yaml");
  CHECK(plain.data.csv_columns == std::vector<std::string>{"2", "3"});
  CHECK(plain == parse_recipe("data: {csv_columns: [\"2\", \"3\"]}\n", "r.yaml"));
  CHECK(parse_recipe(print_recipe(plain), "printed.yaml") == plain);
}

TEST_CASE("an explained recipe says the default kind of model, not its own") {
  const std::string explained = explain_recipe(unusual_classifier("attention"), model_kinds());
  const std::size_t end = explained.find("\n  kind: classifier\n");
  REQUIRE(end != std::string::npos);
  const std::string said = explained.substr(explained.find("\nmodel:"), end - explained.find("\nmodel:"));
  CHECK(said.find("; default encoder_decoder; ") != std::string::npos);
}

TEST_CASE("every row is compared: all keys but those without a second value differ") {
  // `same`: keys of `every` that have one value only, or are written as in `plain`.
  const auto count = [](const Recipe& every, const std::string& plain, std::size_t same) {
    const std::vector<std::string> found = differences(every, parse_recipe(plain, "r.yaml"));
    const auto is_here = [](const std::string& line) { return !contains(line, "absent here"); };
    const std::string printed = print_recipe(every);
    std::size_t values = 0;
    for (std::size_t at = 0; (at = printed.find('\n', at)) != std::string::npos; ++at)
      values += printed[at - 1] != ':';
    INFO(printed);
    CHECK(std::count_if(found.begin(), found.end(), is_here) == static_cast<std::ptrdiff_t>(values - same));
  };
  // shared_tokenizer, target_tokenizer.kind, model.kind, model.mixing, model.initialization,
  // training.batch_tokens beside batch_sequences, and what stands below
  for (const char* optimizer : {"adamw", "adam", "rmsprop", "sgd"})
    count(unusual(optimizer), "name: r\n",
          std::string(optimizer) == "rmsprop" ? 7
          : std::string(optimizer) == "sgd"   ? 5
                                              : 6);
  const std::string labelled = "name: r\ndata: {columns: [source, label]}\nmodel: {kind: ";
  count(unusual_classifier("mlp"), labelled + "classifier}\n", 5);        // model.pairs
  count(unusual_classifier("attention"), labelled + "classifier}\n", 5);  // model.mixing, expected
  count(unusual_classifier("bag_of_words"), labelled + "bag_of_words}\n", 4);
}

TEST_CASE("differences are named by key, here and there") {
  Recipe a = parse_recipe("name: r\n", "r.yaml");
  Recipe b = a;
  b.training.epochs = 20;
  b.training.optimizer.learning_rate = 0.01;
  b.expected.push_back({"bleu", 10, 1, Comparison::near, ""});
  const std::vector<std::string> found = differences(a, b);
  REQUIRE(found.size() == 7);
  CHECK(found[0] == "training.epochs: 15 here, 20 there");
  CHECK(found[1] == "training.optimizer.learning_rate: 0.001 here, 0.01 there");
  CHECK(found[2] == "expected[0].metric: absent here, bleu there");
}

TEST_CASE("a recipe holds the settings of one kind of model, and copies of it are its own") {
  const std::string labelled = "name: r\ndata: {columns: [source, label]}\n";
  const Recipe one = parse_recipe(labelled + "model: {kind: classifier, width: 48, heads: 3}\n", "r");
  CHECK(one.model.kind().name == "classifier");
  CHECK(error_text([&] { (void)one.model.as<EncoderDecoderSettings>(); }) != "(no error)");
  Recipe other = one;
  CHECK(other == one);
  CHECK(other.model == model_section(one.model.as<ClassifierSettings>()));
  other.model.as<ClassifierSettings>().transformer.width = 24;
  CHECK(one.model.as<ClassifierSettings>().transformer.width == 48);
  CHECK(other != one);
  CHECK(other.model != one.model);
  other.model = one.model;
  CHECK(other == one);
  // The same words of another kind are another model.
  CHECK(model_section(ClassifierSettings()) != model_section(EncoderDecoderSettings()));
  CHECK(ModelSection() == ModelSection());
  CHECK(ModelSection() != one.model);
  CHECK_FALSE(ModelSection());
}

TEST_CASE("a key of another kind of model may say its default, as recipes of older versions do") {
  const Recipe bag = parse_recipe(
      "data: {columns: [source, label]}\nmodel: {kind: bag_of_words, heads: 8, decoder_layers: 1, norm: "
      "post, "
      "padding: none, keeps_padding: false, pools_padding: false, mixing_width: 0, norm_epsilon: 0.001, "
      "feed_forward_width: 2048, "
      "scale_embedding: false}\n",
      "r.yaml");
  CHECK(bag.model == model_section(BagOfWordsSettings()));
  CHECK(!contains(print_recipe(bag), "heads"));
  const Recipe classifier = parse_recipe(
      "data: {columns: [source, label]}\nmodel: {kind: classifier, keeps_padding: false, pools_padding: "
      "false}\n",
      "r.yaml");
  Recipe wanted;
  wanted.model = model_section(ClassifierSettings());
  fill_in(wanted);
  CHECK(classifier.model == wanted.model);
}

TEST_CASE("a printed recipe has no key that is not read") {
  const std::string printed = print_recipe(unusual_classifier("fourier"));
  INFO(printed);
  for (const char* key : {" heads:", "attention_dropout", "mixing_width", "decoder_layers",
                          "target_tokenizer", "terms", "decoding", "momentum", "validation_fraction"}) {
    INFO(key);
    CHECK(!contains(printed, key));
  }
  CHECK(contains(printed, "mixing: fourier"));
}

TEST_CASE("the section quick replaces keys, only at scale quick") {
  const std::string text =
      "model: {width: 256, heads: 8}\n"
      "training:\n  epochs: 15\n  optimizer: {learning_rate: 0.5}\n"
      "expected:\n  - {metric: parameters, value: 5, tolerance: 0}\n"
      "quick:\n  model: {width: 64}\n  training: {epochs: 1}\n  expected: []\n";
  const Recipe full = parse_recipe(text, "r.yaml");
  const Recipe quick = parse_recipe(text, "r.yaml", "quick");
  CHECK(full.model.as<EncoderDecoderSettings>().transformer.width == 256);
  CHECK(full.training.epochs == 15);
  CHECK(full.expected.size() == 1);
  CHECK(quick.model.as<EncoderDecoderSettings>().transformer.width == 64);
  CHECK(quick.model.as<EncoderDecoderSettings>().transformer.heads == 8);
  CHECK(quick.training.epochs == 1);
  CHECK(quick.training.optimizer.learning_rate == 0.5);
  CHECK(quick.expected.empty());
  CHECK_THROWS_AS(parse_recipe(text, "r.yaml", "tiny"), UsageError);
}

TEST_CASE("defaults that follow from other keys follow them") {
  const auto model = [](const std::string& keys, const char* scale = "full") {
    return parse_recipe("data: {columns: [source, label], train: t.tsv}\nmodel: {kind: classifier, " + keys,
                        "r", scale)
        .model.as<ClassifierSettings>();
  };
  CHECK(model("width: 128}\n").transformer.feed_forward_width == 512);
  CHECK(model("width: 128}\n").transformer.head_width == 16);
  CHECK(model("width: 128, heads: 4, feed_forward_width: 2048}\n").transformer.feed_forward_width == 2048);
  CHECK(model("width: 128, heads: 4, feed_forward_width: 0}\n").transformer.feed_forward_width == 512);
  CHECK(model("width: 128, mixing: mlp}\n").mixing.mixing_width == 512);
  CHECK(model("width: 128, mixing: mlp, feed_forward_width: 9}\n").mixing.mixing_width == 9);
  // A key that is not read is left alone.
  CHECK(model("width: 128, mixing: fourier}\n").transformer.head_width == 0);
  const std::string quick = "width: 128}\nquick: {model: {width: 32}}\n";
  CHECK(model(quick).transformer.feed_forward_width == 512);
  CHECK(model(quick, "quick").transformer.feed_forward_width == 128);

  const auto training = [](const std::string& keys) {
    return parse_recipe("data: {train: t.tsv}\ntraining: {" + keys + "}\n", "r");
  };
  CHECK(training("epochs: 1").data.tokenizer_text == "t.tsv");
  CHECK(training("best_metric: accuracy, early_stopping: {patience: 2}").training.early_stopping.metric ==
        "accuracy");
  CHECK(training("best_metric: accuracy, early_stopping: {patience: 2, metric: loss}")
            .training.early_stopping.metric == "loss");
  // Recipes that say the default of older versions where nothing reads it.
  CHECK(training("early_stopping: {patience: 0, metric: loss}").training.early_stopping.metric == "loss");
}

TEST_CASE("numbers are decimal and exact") {
  CHECK(parse_recipe("seed: 18446744073709551615\n", "r").seed == 18446744073709551615u);
  const auto norm_epsilon = [](const std::string& number) {
    return parse_recipe("model: {norm_epsilon: " + number + "}\n", "r")
        .model.as<EncoderDecoderSettings>()
        .transformer.norm_epsilon;
  };
  CHECK(norm_epsilon("1e-6") == 1e-6);
  CHECK(norm_epsilon("1.25E-2") == 0.0125);
  CHECK(parse_recipe("training: {optimizer: {kind: adamw, weight_decay: 1}}\n", "r")
            .training.optimizer.weight_decay == 1.0);
}

TEST_CASE("CR LF, comments, quotes, flow and block style, one document marker") {
  const Recipe r = parse_recipe(
      "--- # a recipe\r\nname: 'it''s'\r\ndata:\r\n  train: \"a b.tsv\" # here\r\n  columns:\r\n  - "
      "source\r\n  - target\r\n",
      "r");
  CHECK(r.name == "it's");
  CHECK(r.data.train == "a b.tsv");
  CHECK(r.data.columns == std::vector<std::string>{"source", "target"});
}

TEST_CASE("several errors come together, in order, ten at the most") {
  std::string text;
  for (int i = 0; i < 15; ++i) text += "key" + std::to_string(i) + "xxxx: 1\n";
  try {
    parse_recipe(text, "r.yaml");
    FAIL("accepted");
  } catch (const UsageError& error) {
    const std::string what = error.what();
    CHECK(std::count(what.begin(), what.end(), '\n') == 9);
    CHECK(what.starts_with("r.yaml:1:1: unknown key \"key0xxxx\""));
    CHECK(contains(what, "\nr.yaml:10:1: "));
  }
}

TEST_CASE("the recipes of this repository are sound at both scales") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEADWATER_SOURCE_DIR) + "/recipes")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().string());
    for (const char* scale : {"full", "quick"}) {
      const Recipe recipe = read_recipe(entry.path(), scale);
      CHECK(recipe.name == entry.path().stem().string());
      CHECK(parse_recipe(print_recipe(recipe), "printed") == recipe);
    }
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("spa-eng: the numbers of the experiment") {
  const Recipe r = read_recipe(std::string(HEADWATER_SOURCE_DIR) + "/recipes/spa-eng.yaml");
  CHECK(r.source_tokenizer.size == 15000);
  CHECK(r.target_tokenizer.size == 15000);
  const EncoderDecoderSettings& model = r.model.as<EncoderDecoderSettings>();
  CHECK(model.transformer.length == 20);
  CHECK(model.transformer.width == 256);
  CHECK(model.transformer.heads == 8);
  CHECK(model.transformer.head_width == 256);
  CHECK(model.transformer.feed_forward_width == 2048);
  CHECK(model.encoder_layers == 1);
  CHECK(model.decoder_layers == 1);
  CHECK(model.transformer.norm == NormPlacement::post);
  CHECK(model.transformer.norm_epsilon == 1e-3);
  CHECK(model.transformer.dropout == 0.0);
  CHECK(model.transformer.output_dropout == 0.5);
  CHECK(r.training.batch_sequences == 64);
  CHECK(r.training.epochs == 15);
  CHECK(r.training.optimizer.kind == OptimizerKind::rmsprop);
  CHECK(r.training.optimizer.learning_rate == 1e-3);
  CHECK(r.training.optimizer.rho == 0.9);
  CHECK(r.training.optimizer.epsilon == 1e-7);
  CHECK(r.training.optimizer.epsilon_placement == EpsilonPlacement::outside);
  REQUIRE(r.expected.size() == 5);
  CHECK(r.expected[0].value == 19960216);
  CHECK(r.expected[3].metric == "reference_loss");
  CHECK(r.expected[3].value == 1.0087);
  CHECK(r.expected[4].metric == "reference_accuracy");
  CHECK(r.expected[4].value == 0.6645);
  CHECK(read_recipe(std::string(HEADWATER_SOURCE_DIR) + "/recipes/spa-eng.yaml", "quick")
            .training.checkpoint.every_steps == 20);
}

TEST_CASE("a recipe that is not there is a wrong call") {
  CHECK_THROWS_AS(read_recipe("/nonexistent/recipe.yaml"), UsageError);
}

TEST_CASE("keys set beside the file replace its keys, at either scale") {
  const std::string text =
      "name: r\nmodel: {width: 64}\ntraining: {epochs: 9}\nquick: {training: {epochs: 2}}\n";
  for (const char* scale : {"full", "quick"}) {
    const Recipe r = parse_recipe(text, "r.yaml", scale,
                                  {"training.epochs=3", "model.width=32", "data.columns=[target, source]",
                                   "name='a b'", "model.scale_embedding=true"});
    CHECK(r.training.epochs == 3);
    CHECK(r.name == "a b");
    CHECK(r.data.columns == std::vector<std::string>{"target", "source"});
    CHECK(r.model.as<EncoderDecoderSettings>().transformer.width == 32);
    CHECK(r.model.as<EncoderDecoderSettings>().transformer.scale_embedding);
    // What follows from them follows.
    CHECK(r.model.as<EncoderDecoderSettings>().transformer.feed_forward_width == 128);
  }
  // A text that may be empty is so without a value, in the file as well.
  const std::string tuned = "name: r\ntraining: {init_from: models/base}\n";
  CHECK(parse_recipe(tuned, "r.yaml", "full", {}).training.init_from == "models/base");
  CHECK(parse_recipe(tuned, "r.yaml", "full", {"training.init_from="}).training.init_from.empty());
  CHECK(parse_recipe("name: r\ntraining: {init_from: }\n", "r.yaml").training.init_from.empty());
  // So are the path of a file and a list; a word or a number is not.
  const std::string whole =
      "name: r\ndata: {train: a, test: b, tokenizer_text: c, csv_columns: [x, y]}\n"
      "training: {init_from: m, drop: [head.*]}\n";
  const Recipe less = parse_recipe(
      whole, "r.yaml", "full", {"data.test=", "data.tokenizer_text=", "data.csv_columns=", "training.drop="});
  CHECK((less.data.train == "a" && less.data.test.empty() && less.data.tokenizer_text == "a"));
  CHECK((less.data.csv_columns.empty() && less.training.drop.empty()));
  for (const char* key : {"name", "seed", "model.kind", "training.epochs", "training.schedule.kind"}) {
    CHECK(contains(error_text([&] { parse_recipe(whole, "r.yaml", "full", {key + std::string("=")}); }),
                   std::string(key) + ": no value (write one, or remove the key for the default)"));
  }
  // The file must be sound by itself, and is told first.
  CHECK(contains(error_text([] { parse_recipe("seed: x\n", "r.yaml", "full", {"seed=y"}); }),
                 "r.yaml:1:7: seed"));
  CHECK(error_text([] {
          parse_recipe("seed: 1\n", "r.yaml", "full", {"training.schedule.kind=inverse_square_root"});
        }) ==
        "--set training.schedule.kind=inverse_square_root: training.schedule.kind: inverse_square_root needs "
        "warmup_steps (write warmup_steps: 4000)");
}
