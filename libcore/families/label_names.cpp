#include "families/label_names.hpp"

#include <algorithm>
#include <fstream>

#include "data/image_dataset.hpp"
#include "families/config.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {

namespace {

// A safetensors file begins with a length of eight bytes, whose last is 0, which no file of labels holds.
bool is_dataset(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault)) return false;  // what is read once is a text
  char bytes[8] = {};
  return std::ifstream(path, std::ios::binary).read(bytes, 8) && bytes[7] == '\0';
}

}  // namespace

LabelSet labels_of(const ImageDataset& images, const std::string& where) {
  std::string text;
  for (const std::string& name : images.label_names()) text += name + "\n";
  return LabelSet::parse(text, where);
}

LabelSet load_label_names(const std::filesystem::path& path) {
  if (is_dataset(path)) {
    ImageDataset images;
    images.add_file(path);
    return labels_of(images, path.string());
  }
  std::error_code fault;
  if (!std::filesystem::is_directory(path, fault)) return LabelSet::load(path);
  const ModelFolder folder = open_model(path);
  const Task task = folder.family->task;
  if (task != Task::classification && task != Task::image_classification)
    throw Error(path.string() + ": holds " + offer_of(folder).text() +
                ", which has no labels (name a classifier's directory, or a file of labels)");
  return labels_of_config(folder.config, folder.config_path().string());
}

void write_labels(Json& config, const LabelSet& labels) {
  Json names = Json::Object{}, ids = Json::Object{};
  for (std::int32_t id = 0; id < labels.size(); ++id) {
    const std::string& name = labels.labels()[id];
    names.as_object().emplace_back(std::to_string(id), name);
    ids.as_object().emplace_back(name, std::int64_t{id});
  }
  config.set("id2label", std::move(names));
  config.set("label2id", std::move(ids));
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
      // Here, since one of two lines would be two labels, and one that ends in CR another.
      if (breaks_lines(names[i].second.as_string())) {
        throw Error("\"id2label\": the label " + quote(names[i].second.as_string()) + " of id " + expected +
                    kBreaksLines);
      }
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

bool gives_many_labels(const Json& config) {
  const Json* const type = config.find("problem_type");
  return type != nullptr && type->is_string() && type->as_string() == kManyLabels;
}

void check_one_label(bool gives_many, const std::filesystem::path& path, std::string_view what) {
  if (!gives_many) return;
  throw Error(path.string() + ": its config.json has problem_type " + kManyLabels + ", and " +
              std::string(what) + " one label an example (classify and embed read such a model)");
}

void take_classes(std::int64_t& classes, const LabelSet& labels, const std::string& where, LabelsOf of) {
  constexpr std::int32_t kMostUnsaid = 1000;  // texts in the place of labels are more
  const std::string count = counted(labels.size(), "label");
  if (labels.size() < 2) throw UsageError(where + ": " + count + " (give examples of two labels at least)");
  if (classes == labels.size()) return;
  const std::vector<std::string>& names = labels.labels();
  const auto is_of_csv = [](const std::string& label) { return csv_separator(label, 2) != 0; };
  const auto of_csv = std::count_if(names.begin(), names.end(), is_of_csv);
  const std::string cure =
      2 * of_csv > labels.size() ? csv_cure(*std::find_if(names.begin(), names.end(), is_of_csv), 2) : "";
  if (classes == 0 && labels.size() > kMostUnsaid) {
    throw UsageError(
        where + ": " + count + ", " + quoted_list(names) + " (" +
        (cure.empty() ? "if they are labels and no texts, set model.classes: " + std::to_string(labels.size())
                      : cure) +
        ")");
  }
  if (classes != 0) {
    const auto with_space =
        std::ranges::count_if(names, [](const auto& name) { return name.find(' ') != name.npos; });
    const std::string doubt = of == LabelsOf::texts && 2 * with_space > labels.size()
                                  ? "; most have several words: are the columns of texts and labels swapped?"
                                  : "";
    throw UsageError(
        where + ": " + count + ", model.classes is " + std::to_string(classes) + " (" +
        (cure.empty() ? "leave it out, or set it to " + std::to_string(labels.size()) + doubt : cure) + ")");
  }
  classes = labels.size();
}

std::string open_classes(std::int64_t classes, Index assumed) {
  if (classes != 0) return {};
  return "; " + std::to_string(assumed) +
         " classes are assumed: only the labels of the training data say how many (or set model.classes)";
}

void check_completed(const Recipe& recipe) {
  recipe.model.settings().check(recipe,
                                [](std::initializer_list<std::string_view> path, const std::string& what) {
                                  std::string key;
                                  for (const std::string_view word : path)
                                    key += (key.empty() ? "" : ".") + std::string(word);
                                  throw UsageError(key + ": " + what);
                                });
}

}  // namespace headwater
