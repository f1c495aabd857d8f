#include "tasks/label_names.hpp"

#include <fstream>

#include "data/image_dataset.hpp"
#include "support/error.hpp"
#include "tasks/classification.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tasks/vit.hpp"

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
  const std::filesystem::path files = model_files(path);
  const Task& task = task_of_files(files);
  if (task.answer() != Answer::label && task.answer() != Answer::image_label)
    throw Error(path.string() + ": holds " + std::string(task.what_it_is()) +
                ", which has no labels (name a classifier's directory, or a file of labels)");
  const Json config = read_config(files);
  const std::string where = (files / "config.json").string();
  const Json* const type = config.find("model_type");
  const bool is_vit = type != nullptr && type->is_string() && type->as_string() == kVitType;
  return is_vit ? vit_labels_of(config, where) : labels_of_config(config, where);
}

}  // namespace headwater
