#include "families/model_files.hpp"

#include <algorithm>
#include <functional>

#include "checkpoint/directory.hpp"
#include "support/directories.hpp"

namespace headwater {

std::vector<std::string> files_of_model(const ModelFolder& model) {
  std::vector<std::string> names;
  for (const std::string& name : model.family->text_files(model.config)) {
    if (model.has(name)) names.push_back(name);
  }
  return names;
}

// What goes along. What another program keeps beside its weights is not all known here: of its files those
// that loading read.
static std::vector<std::string> copied_files(const ModelFolder& like) {
  std::vector<std::string> names = like.layout != nullptr ? like.names_read() : files_of_model(like);
  std::erase(names, "config.json");
  for (const char* name : {"recipe.yaml", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
                           "source.spm", "target.spm", "vocab.json", "target_vocab.json"}) {
    if (like.has(name) && std::find(names.begin(), names.end(), name) == names.end())
      names.emplace_back(name);
  }
  return names;
}

void write_model(const std::filesystem::path& output, const ModelFolder& like, const std::string& config,
                 const std::function<void(const ByteSink&)>& write_tensors) {
  NewFolder folder(output);
  Manifest manifest;
  const auto add = [&](const std::string& name, const std::function<void(const ByteSink&)>& produce) {
    const std::filesystem::path path = folder.file(name);
    std::filesystem::create_directories(path.parent_path());
    manifest.files.push_back(write_listed_file(path, produce));
  };
  add("model.safetensors", write_tensors);
  add("config.json", [&](const ByteSink& sink) { sink(config); });
  for (const std::string& name : copied_files(like))
    add(name, [&](const ByteSink& sink) { sink(like.read(name)); });
  if (const auto list = like.beside("shortlist.bin"))
    add("shortlist.bin", [&](const ByteSink& sink) { sink(read_file(*list)); });
  if (like.layout == nullptr)
    write_new_file(folder.file(std::string(kManifestName)), manifest_text(manifest));
  folder.finish();
}

}  // namespace headwater
