#include "models/classifier_directory.hpp"

#include "models/config_values.hpp"
#include "models/model_directory.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

void read_encoder(const Json& config, ModelSettings& s) {
  read_blocks(config, s);
  s.mixing = word(config, "mixing", {"attention", "fourier", "mlp"});
  s.mixing_width = whole(config, "mixing_width", 0, 65536);
  s.pooling = word(config, "pooling", {"max", "mean", "first"});
  s.keeps_padding = config.at("keeps_padding").as_bool();
  const Json* const pools_padding = config.find("pools_padding");  // older models have none
  s.pools_padding = pools_padding != nullptr && pools_padding->as_bool();
  if (s.pools_padding && (s.keeps_padding || s.mixing != "attention"))
    throw Error("\"pools_padding\" is for \"mixing\": \"attention\" without \"keeps_padding\"");
}

}  // namespace

Json config_of(const TextClassifier& model, const Tokenizer& tokenizer, const LabelSet& labels,
               const std::optional<TermTable>& terms) {
  const ModelSettings& s = model.settings();
  const bool is_bag = s.kind == "bag_of_words";
  Json config;
  config.set("architectures", Json::Array{is_bag ? "HeadwaterBagOfWords" : "HeadwaterClassifier"});
  config.set("model_type", is_bag ? "headwater_bag_of_words" : "headwater_classifier");
  config.set("width", s.width);
  if (!is_bag) {
    write_blocks(config, s);
    config.set("mixing", s.mixing);
    config.set("mixing_width", s.mixing_width);
    config.set("pooling", s.pooling);
    config.set("keeps_padding", s.keeps_padding);
    config.set("pools_padding", s.pools_padding);
  }
  config.set("output_dropout", s.output_dropout);
  config.set("head", s.head);
  config.set("classes", s.classes);
  config.set("initialization", s.initialization);
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  if (is_bag) config.set("terms_hash", terms->hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  config.set("problem_type", "single_label_classification");
  Json names = Json::Object{}, ids = Json::Object{};
  for (std::int32_t id = 0; id < labels.size(); ++id) {
    const std::string& name = labels.labels()[static_cast<std::size_t>(id)];
    names.as_object().emplace_back(std::to_string(id), name);
    ids.as_object().emplace_back(name, std::int64_t{id});
  }
  config.set("id2label", std::move(names));
  config.set("label2id", std::move(ids));
  return config;
}

std::unique_ptr<TextClassifier> classifier_of_config(const Json& config, const std::string& where) {
  try {
    ModelSettings s;
    const std::string type = word(config, "model_type", {"headwater_classifier", "headwater_bag_of_words"});
    s.kind = type == "headwater_classifier" ? "classifier" : "bag_of_words";
    s.width = whole(config, "width", 1, 65536);
    if (s.kind == "classifier") read_encoder(config, s);
    s.output_dropout = share(config, "output_dropout");
    s.head = word(config, "head", {"sigmoid", "softmax"});
    s.classes = whole(config, "classes", 2, 100000);
    if (s.head == "sigmoid" && s.classes != 2)
      throw Error("\"classes\" is " + std::to_string(s.classes) + ", a sigmoid head has 2");
    s.initialization = config.at("initialization").as_string();
    return make_text_classifier(s, whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

LabelSet labels_of_config(const Json& config, const std::string& where) {
  try {
    const Json::Object& names = config.at("id2label").as_object();
    const std::int64_t classes = whole(config, "classes", 2, 100000);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string expected = std::to_string(i);
      if (names[i].first != expected)
        throw Error("\"id2label\" has " + quote(names[i].first) + " where " + quote(expected) +
                    " is expected");
      if (names[i].second.as_string().find('\n') != std::string::npos)
        throw Error("\"id2label\" has a name of two lines");
      text += names[i].second.as_string() + "\n";
    }
    if (static_cast<std::int64_t>(names.size()) != classes) {
      throw Error("\"id2label\" has " + std::to_string(names.size()) + " names, \"classes\" is " +
                  std::to_string(classes));
    }
    return LabelSet::parse(text, "id2label");
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

ClassificationModel load_classification_model(const std::filesystem::path& path) {
  const std::filesystem::path files = model_files(path), config_path = files / "config.json";
  check_kind(files, {ModelKind::classifier, ModelKind::bag_of_words});
  const Json config = read_config(files);
  std::unique_ptr<TextClassifier> model = classifier_of_config(config, config_path.string());
  const bool is_bag = model->settings().kind == "bag_of_words";
  // The table of a bag of words has a row for each term, whatever its tokenizer knows.
  Tokenizer tokenizer = load_tokenizer(files / "tokenizer.json", is_bag ? 10000000 : model->vocabulary(),
                                       text_at(config, "vocabulary_hash", config_path), config_path);
  std::optional<TermTable> terms;
  if (is_bag) {
    const std::filesystem::path terms_path = files / "terms.tsv";
    terms = TermTable::load(terms_path);
    if (terms->size() > model->vocabulary() || terms->hash() != text_at(config, "terms_hash", config_path)) {
      throw Error(terms_path.string() + ": not the terms that " + config_path.string() +
                  " asks for (they belong to another model)");
    }
  }
  LabelSet labels = labels_of_config(config, config_path.string());
  map_parameters(files / "model.safetensors", model->parameters());
  return {files, std::move(tokenizer), std::move(terms), std::move(labels), std::move(model)};
}

}  // namespace headwater
