// A model directory, whatever kind of model it holds: config.json, model.safetensors, recipe.yaml and the
// kind's own files, laid out as on the Hugging Face hub. checkpoints/<step>/ hold the same files and what
// resuming needs.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "autograd/parameter.hpp"
#include "pretrained/kind.hpp"
#include "support/json.hpp"

namespace headwater {

// The folder that loading `path` reads: a checkpoint itself; of a model directory its best checkpoint, the
// newest complete one where there is no best yet. Links are followed once, so that all files are those of one
// checkpoint while a run goes on. The files that the kind needs were compared with the manifest. Throws Error
// naming the file.
std::filesystem::path model_files(const std::filesystem::path& path);
// Calls read(files) with that folder; again where it throws an Error and the links lead elsewhere by then: a
// run that goes on removes checkpoints.
void read_model_files(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& files)>& read);
// What a model or a run is called: the folder, or the one above where that one is called model.
// models/recipes/imdb-encoder/model is imdb-encoder, models/spa-eng spa-eng.
std::string name_of_model(const std::filesystem::path& path);
// A folder that a model is loaded from: its config.json, read once, and the kind that this names.
struct ModelFolder {
  std::filesystem::path path;
  Json config;
  const Kind* kind;

  std::filesystem::path config_path() const { return path / "config.json"; }
};
// model_files(path) so; with `wanted` Error that says what the folder holds and which tool reads it, where
// its model is for something else. Throws Error naming the file.
ModelFolder open_model(const std::filesystem::path& path);
ModelFolder open_model(const std::filesystem::path& path, Task wanted);
// The folder itself, not compared with a manifest: what read_model_files() hands out.
ModelFolder open_folder(const std::filesystem::path& files);
// model.safetensors of such a folder. Throws Error where the weights lie there in another form.
std::filesystem::path weights_of(const std::filesystem::path& files);

// "[3, 4]"
std::string shape_text(std::span<const std::int64_t> shape);

// The tensors of a safetensors file into parameters of the same names and shapes; none may be missing or left
// over.
void read_parameters(const std::filesystem::path& file, Parameters& parameters);
// The same for parameters without memory yet, for inference. A file that this program wrote holds them as
// they are used: it stays mapped, nothing is copied.
void map_parameters(const std::filesystem::path& file, Parameters& parameters);

}  // namespace headwater
