#include "families/registry.hpp"
#include "families/bag_of_words/model.hpp"
#include "families/linear_classifier/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "error_text.hpp"
#include "every_word.hpp"
#include "families/classifier/directory.hpp"
#include "families/config.hpp"
#include "families/language_model/directory.hpp"
#include "families/text_encoder/directory.hpp"
#include "families/translator/directory.hpp"
#include "families/vision/directory.hpp"  // IWYU pragma: keep
#include "layouts.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;

namespace {

TransformerSettings small_transformer() {
  TransformerSettings s;
  s.width = 12;
  s.heads = 2;
  s.head_width = 5;
  s.feed_forward_width = 7;
  s.norm = NormPlacement::pre;
  s.norm_epsilon = 1e-6;
  s.activation = ops::Activation::gelu_tanh;
  s.positions = Positions::sinusoidal;
  s.scale_embedding = true;
  s.length = 9;
  s.dropout = 0.1;
  s.attention_dropout = 0.2;
  s.output_dropout = 0.3;
  return s;
}

// The largest set of keys that a classifier reads with this mixing, none at its default.
ClassifierSettings small_classifier(std::string_view mixing) {
  const MixerKind& mixer = mixer_kind(mixing);
  ClassifierSettings s;
  s.transformer = small_transformer();
  fit_heads(s.transformer, mixer);
  s.mixing = unusual_mixing(mixer);
  s.encoder_layers = 2;
  s.pooling = ops::Pooling::mean;
  s.pairs = s.pooler = true;
  s.special_tokens = SpecialTokens::template_;
  s.pooler_activation = ops::Activation::relu;
  s.padding = mixer.leaves_out_keys ? Padding::pooled : Padding::attended;
  s.head = {HeadType::softmax, 3};
  return s;
}

std::vector<ModelSection> sections() {
  std::vector<ModelSection> all{
      model_section(EncoderDecoderSettings{small_transformer(), 2, 3, SharedEmbeddings::target_output}),
      model_section(BagOfWordsSettings{.width = 17, .output_dropout = 0.3, .head = {HeadType::softmax, 5}})};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (mixer->encodes_texts) all.push_back(model_section(small_classifier(mixer->name)));
  }
  all.push_back(model_section(LanguageModelSettings{.transformer = small_transformer(),
                                                    .layers = 3,
                                                    .embedding_dropout = 0.2,
                                                    .tie_embeddings = true,
                                                    .output_bias = false,
                                                    .padding = TrainingPadding::predicted}));
  all.push_back(model_section(LanguageModelSettings{.transformer = small_transformer(),
                                                    .mixing = {.mixing = "gru", .reset_after = false}}));
  TextEmbedderSettings vectors;
  vectors.transformer = small_transformer();
  vectors.encoder_layers = 2;
  vectors.pooling = ops::Pooling::first;
  vectors.pooler = vectors.normalize = true;
  vectors.max_tokens = 7;
  all.push_back(model_section(vectors));
  all.push_back(
      model_section(LinearClassifierSettings{.encoder = "minilm", .C = 3, .head = {HeadType::softmax, 5}}));
  for (const ModelKind* kind : model_kinds()) {
    all.emplace_back(*kind);
    for (auto& [name, section] : with_every_word(ModelSection(*kind))) {
      // Without a class token its place is not written, and read_settings alone would want it.
      if (kind->name != "vision" || !name.starts_with("pooling")) all.push_back(std::move(section));
    }
  }
  return all;
}

Json config_of_settings(ModelSection section) {
  Json config;
  write_settings(config, section.settings());
  return config;
}

// config.json of a classifier as it was before `padding`: with the two keys, or without those that are null.
Json old_config(const bool* keeps, const bool* pools) {
  ClassifierSettings settings;
  settings.head = {HeadType::sigmoid, 2};
  const Json now = config_of_settings(model_section(settings));
  Json config;
  config.set("model_type", "headwater_classifier");
  for (const auto& [name, value] : now.as_object()) {
    if (name != "padding") config.set(name, value);
  }
  if (keeps != nullptr) config.set("keeps_padding", *keeps);
  if (pools != nullptr) config.set("pools_padding", *pools);
  config.set("vocabulary_size", std::int64_t{30});
  return config;
}

// Read with its model, so that every fault of it is said.
ClassifierSettings settings_of(const Json& config) {
  (void)classifier_of_config(config, "config.json");
  return model_config(config, "config.json").family->section_of_config(config).as<ClassifierSettings>();
}

}  // namespace

TEST_CASE("registry: every kind has a name and a model type of its own, and is found by either") {
  std::set<std::string_view> names, types;
  for (const Family* family : all_families()) {
    INFO(std::string(family->model_kind.name));
    CHECK(names.insert(family->model_kind.name).second);
    CHECK(types.insert(family->model_type).second);
    CHECK(&family_of(ModelSection(family->model_kind)) == family);
    Json config;
    config.set("model_type", family->model_type);
    CHECK(model_config(config, "config.json").family == family);
  }
  CHECK(names.size() == model_kinds().size());
}

static ModelSection filled_defaults(const ModelKind& kind) {
  Recipe recipe;
  recipe.model = ModelSection(kind);
  fill_in(recipe);
  return recipe.model;
}

TEST_CASE("registry: config.json holds numbers where defaults follow from other keys") {
  Recipe recipe = parse_recipe("data: {columns: [source]}\nmodel: {kind: language_model, width: 96}\n", "r");
  Json config;
  write_settings(config, recipe.model.settings());
  CHECK(config.at("feed_forward_width").as_integer() == 384);
  CHECK(config.at("head_width").as_integer() == 12);
  // Models of older versions left the width of heads open.
  config.set("head_width", std::int64_t{0});
  ModelSection read(recipe.model.kind());
  read_settings(config, read.settings());
  CHECK(head_width_of(read.as<LanguageModelSettings>().transformer) == 12);
}

TEST_CASE("registry: every family offers what its models can do by their settings") {
  const auto said = [](const ModelSection& section) { return family_of(section).offer(section).text(); };
  for (const Family* family : all_families()) {
    const Offer offer = family->offer(ModelSection(family->model_kind));
    INFO(offer.text());
    REQUIRE_FALSE(offer.abilities.empty());
    CHECK(offer.has(offer.abilities.back()));
  }
  CHECK(said(model_section(BagOfWordsSettings())) == "a bag of words (use classify)");
  CHECK(said(model_section(TextEmbedderSettings())) == "a text encoder (use embed or attn-dump)");
  ClassifierSettings classifier;
  CHECK(said(model_section(classifier)) == "a classifier (use classify, embed or attn-dump)");
  classifier.mixing.mixing = "fourier";
  CHECK(said(model_section(classifier)) == "a classifier with mixing: fourier (use classify or embed)");
  EncoderDecoderSettings translator;
  translator.mixing.mixing = "gru";
  CHECK(said(model_section(translator)) ==
        "a translator with mixing: gru and without additive_attention (use translate or embed)");
  translator.additive_attention = true;
  CHECK(said(model_section(translator)) == "a translator (use translate, embed or attn-dump)");
}

TEST_CASE("registry: every kind reads back its defaults from its own recipe") {
  for (const Family* family : all_families()) {
    std::string columns;
    for (const std::string_view column : family->model_kind.columns)
      columns += (columns.empty() ? "" : ", ") + std::string(column);
    const std::string data = columns.empty() ? "" : "data: {columns: [" + columns + "]}\n";
    const std::string text =
        "name: r\n" + data + "model: {kind: " + std::string(family->model_kind.name) + "}\n";
    INFO(text);
    const Recipe recipe = parse_recipe(text, "r.yaml");
    CHECK(recipe.model == filled_defaults(family->model_kind));
    CHECK(parse_recipe(print_recipe(recipe), "printed.yaml") == recipe);
    CHECK_FALSE(family->model_of(recipe).description.layers.empty());
  }
  CHECK(parse_recipe("name: r\n", "r.yaml").model == filled_defaults(all_families().front()->model_kind));
}

TEST_CASE("registry: every kind draws its first weights as its recipe says") {
  const auto draws = [](const Parameters& parameters, Initializer initializer) {
    return std::any_of(parameters.all().begin(), parameters.all().end(),
                       [&](const auto& p) { return p->initializer == initializer; });
  };
  const auto draws_wanted = [&](const Parameters& parameters, Initialization initialization) {
    return draws(parameters, Initializer::normal) == (initialization == Initialization::normal) &&
           draws(parameters, Initializer::glorot_uniform) == (initialization != Initialization::normal);
  };
  for (const Initialization initialization : {Initialization::keras, Initialization::glorot_uniform,
                                              Initialization::normal, Initialization::vaswani}) {
    INFO(std::string(name_of(initialization)));
    TransformerSettings t;
    t.width = 8;
    t.heads = 2;
    t.initialization = initialization;
    EncoderDecoderSettings pairs;
    ClassifierSettings texts;
    LanguageModelSettings words;
    VisionSettings images;
    TextEmbedderSettings vectors;
    pairs.transformer = texts.transformer = words.transformer = images.transformer = vectors.transformer = t;
    BagOfWordsSettings bags;
    bags.initialization = initialization;
    CHECK(draws_wanted(EncoderDecoder(pairs, 9, 9).parameters(), initialization));
    CHECK(draws_wanted(Classifier(texts, 9).parameters(), initialization));
    CHECK(draws_wanted(LanguageModel(words, 9).parameters(), initialization));
    CHECK(draws_wanted(VisionModel(images).parameters(), initialization));
    CHECK(draws_wanted(TextEmbedder(vectors, 9).parameters(), initialization));
    CHECK(draws_wanted(BagOfWords(bags, 9).parameters(), initialization));
  }
}

TEST_CASE("registry: a model type that is not known is named, with those that are") {
  const auto said = [](const std::string& json) {
    return error_text([&] { (void)model_config(Json::parse(json, "config.json"), "config.json"); });
  };
  CHECK(said("{\"model_type\": \"gpt3\"}") ==
        "config.json: \"model_type\" is \"gpt3\", and models of that type are not read (" + read_are() + ")");
  CHECK(said("{}") == "config.json: member \"model_type\" is missing (" + read_are() + ")");
  CHECK(said("{\"model_type\": \"\"}").starts_with("config.json: \"model_type\" is \"\", and models"));
  CHECK(said("{\"model_type\": 3}").starts_with("config.json: "));
  CHECK(said("[]").starts_with("config.json: "));
}

TEST_CASE("config.json: settings that are written and read again are equal, for each kind of model") {
  for (const ModelSection& section : sections()) {
    const Json config = config_of_settings(section);
    INFO(config.dump(2));
    ModelSection again(section.kind());
    read_settings(config, again.settings());
    CHECK(again == section);
    CHECK(config_of_settings(again).dump(2) == config.dump(2));
    // Every member is needed.
    for (const auto& [name, value] : config.as_object()) {
      Json without;
      for (const auto& [other, kept] : config.as_object()) {
        if (other != name) without.set(other, kept);
      }
      if (without.as_object().empty() || name == "attention_window") continue;  // which came later
      ModelSection partial(section.kind());
      INFO(name);
      CHECK(error_text([&] { read_settings(without, partial.settings()); }) != "(no error)");
    }
  }
}

TEST_CASE("config.json: it has the keys that are read, and no others") {
  const auto has = [](const std::string& mixing, std::string_view key) {
    return config_of_settings(model_section(small_classifier(mixing))).find(key) != nullptr;
  };
  CHECK(has("attention", "heads"));
  CHECK_FALSE(has("fourier", "heads"));
  CHECK_FALSE(has("mlp", "attention_dropout"));
  CHECK(has("mlp", "mixing_width"));
  CHECK_FALSE(has("attention", "mixing_width"));
  CHECK(has("convolution", "kernel_size"));
  CHECK_FALSE(has("mlp", "kernel_size"));
  CHECK(has("attention", "attention_window"));
  CHECK(has("lstm", "bidirectional"));
  CHECK_FALSE(has("lstm", "reset_after"));
  CHECK(has("gru", "reset_after"));
  for (const char* key : {"heads", "feed_forward_width", "norm", "norm_epsilon", "activation"})
    CHECK_FALSE(has("gru", key));
  CHECK(has("gru", "dropout"));
  CHECK_FALSE(has("convolution", "bidirectional"));
  CHECK_FALSE(has("attention", "decoder_layers"));
}

TEST_CASE("config.json of a classifier before there was one key for padding") {
  const bool yes = true, no = false;
  const auto padding = [](const bool* keeps, const bool* pools) {
    return settings_of(old_config(keeps, pools)).padding;
  };
  CHECK(padding(nullptr, nullptr) == Padding::none);
  CHECK(padding(&no, nullptr) == Padding::none);
  CHECK(padding(&no, &no) == Padding::none);
  CHECK(padding(&yes, nullptr) == Padding::attended);
  CHECK(padding(&yes, &no) == Padding::attended);
  CHECK(padding(&no, &yes) == Padding::pooled);
  CHECK(error_text([&] { (void)padding(&yes, &yes); }) ==
        "config.json: \"pools_padding\" is without \"keeps_padding\"");
  // Where the new key stands, the old ones say nothing.
  Json config = old_config(&yes, nullptr);
  config.set("padding", "none");
  CHECK(settings_of(config).padding == Padding::none);
}

TEST_CASE("config.json of a language model before padding could be predicted") {
  LanguageModelSettings settings;
  settings.transformer = small_transformer();
  settings.padding = TrainingPadding::predicted;
  Json config = config_of_settings(model_section(settings)), before;
  for (const auto& [name, value] : config.as_object()) {
    if (name != "padding") before.set(name, value);
  }
  for (Json* one : {&config, &before}) {
    one->set("model_type", "headwater_language_model");
    one->set("vocabulary_size", std::int64_t{30});
  }
  CHECK(language_model_of_config(config, "config.json")->settings().padding == TrainingPadding::predicted);
  CHECK(language_model_of_config(before, "config.json")->settings().padding == TrainingPadding::none);
}

TEST_CASE("config.json of models before there were windows and other mixing in decoders") {
  LanguageModelSettings texts;
  EncoderDecoderSettings pairs;
  texts.transformer = pairs.transformer = small_transformer();
  const auto before = [](const ModelSection& section) {
    const Json whole = config_of_settings(section);
    Json config;
    for (const auto& [name, value] : whole.as_object()) {
      if (name != "mixing" && name != "attention_window") config.set(name, value);
    }
    for (const char* size : {"vocabulary_size", "source_vocabulary_size", "target_vocabulary_size"})
      config.set(size, std::int64_t{30});
    return config;
  };
  CHECK(language_model_of_config(before(model_section(texts)), "config.json")->settings().mixing.mixing ==
        "attention");
  CHECK(encoder_decoder_of_config(before(model_section(pairs)), "config.json")->settings().mixing.mixing ==
        "attention");
  texts.transformer.attention_window = 7;
  pairs.mixing = {.mixing = "convolution", .kernel_size = 5};
  Json config = config_of_settings(model_section(texts));
  config.set("vocabulary_size", std::int64_t{30});
  CHECK(language_model_of_config(config, "config.json")->settings().transformer.attention_window == 7);
  config = config_of_settings(model_section(pairs));
  for (const char* size : {"source_vocabulary_size", "target_vocabulary_size"})
    config.set(size, std::int64_t{30});
  CHECK(encoder_decoder_of_config(config, "config.json")->settings().mixing.kernel_size == 5);
}

TEST_CASE("config.json: what is of another type, out of range or does not fit together is named") {
  const auto said = [](std::string_view name, Json value) {
    Json config = old_config(nullptr, nullptr);
    config.set(name, std::move(value));
    return error_text([&] { (void)classifier_of_config(config, "config.json"); });
  };
  CHECK(said("width", std::int64_t{0}) == "config.json: \"width\" is 0, expected 1 to 65536");
  CHECK(said("dropout", 1.5) == "config.json: \"dropout\" is 1.5, expected 0 to 0.99");
  CHECK(said("norm", "middle") == "config.json: \"norm\" is \"middle\", expected one of post, pre");
  CHECK(said("width", "8").starts_with("config.json: "));
  CHECK(said("classes", std::int64_t{3}) ==
        "config.json: \"classes\": a sigmoid head tells two classes apart, not 3 (write head: softmax)");
  CHECK(said("classes", std::int64_t{0}) == "config.json: \"classes\" is 0, expected 2 to 100000");
  CHECK(said("heads", std::int64_t{3}).starts_with("config.json: \"heads\": 3 heads do not divide"));
  CHECK(said("vocabulary_size", std::int64_t{0}).starts_with("config.json: \"vocabulary_size\" is 0"));
}
