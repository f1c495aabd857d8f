// A model directory, whatever kind of model it holds: config.json, model.safetensors, recipe.yaml and the
// kind's own files, laid out as on the Hugging Face hub. checkpoints/<step>/ hold the same files and what
// resuming needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "checkpoint/directory.hpp"
#include "checkpoint/safetensors.hpp"
#include "families/family.hpp"
#include "support/directories.hpp"
#include "support/json.hpp"

namespace headwater {

struct Layout;
struct OwnFiles;

// A folder that a model is loaded from, each of whose files is opened once: where a manifest lists them,
// those that loading needs were compared with it, and what was compared is what read() and weights() give.
struct ModelFolder : FolderFiles {
  using FolderFiles::FolderFiles;

  Json config = {};  // what config.json says, as train writes it, whatever the layout
  const Family* family = nullptr;
  const Layout* layout = nullptr;  // of other programs; null: ours
  bool is_quantized = false;       // its weights are in bytes (quantized_model.hpp)
  bool keeps_bytes = false;        // who loads it computes in int8 alone, and needs no floats of these
  std::optional<Manifest> manifest = {};
  mutable std::shared_ptr<MappedFile> mapped_weights = nullptr;
  std::shared_ptr<const OwnFiles> own_files = nullptr;  // of a layout that has such
  std::vector<std::string> skipped = {};  // why newer checkpoints of the run were passed over, a line each

  // The file of the settings: config.json, but for a layout with files of its own.
  std::filesystem::path config_path() const;
  // Its settings as a text of JSON: that of config.json.
  const std::string& config_text() const;
  // A file that is there or, where this is a checkpoint, in the directory of its run. Compared with the
  // manifest if that lists it.
  std::optional<std::filesystem::path> beside(std::string_view name) const;
  // model.safetensors, or the file of its layout. Throws Error where the weights lie there in another form.
  Safetensors weights() const;
};

// The weights of a folder, in whatever layout, into the parameters of its model, which have no memory yet: of
// a file that this program wrote as map_parameters() does. Throws Error naming the file and the tensor.
void load_weights(const ModelFolder& folder, Parameters& parameters);
// The parameters of its model with these weights.
std::shared_ptr<Parameters> load_parameters(const ModelFolder& folder);

// What of a checkpoint is compared with its manifest: what loading needs, or whatever it lists.
enum class Compared { needed, all };

// The folder that loading `path` reads: a checkpoint itself; of a model directory its best checkpoint, the
// newest whole one where there is no best yet. Links are followed once, so that all files are those of one
// checkpoint while a run goes on, which removes checkpoints. Throws Error naming the file.
ModelFolder open_model(const std::filesystem::path& path, Compared compared = Compared::needed);

// What a model or a run is called: the folder, or the one above where that one is called model.
// models/recipes/imdb-encoder/model is imdb-encoder, models/spa-eng spa-eng.
std::string name_of_model(const std::filesystem::path& path);

// "[3, 4]"
std::string shape_text(std::span<const std::int64_t> shape);

// The tensors of a safetensors file into parameters of the same names and shapes; none may be missing or left
// over.
void read_parameters(const std::filesystem::path& file, Parameters& parameters);
// The same for parameters without memory yet, for inference. A file that this program wrote holds them as
// they are used: it stays mapped, nothing is copied.
void map_parameters(const Safetensors& tensors, Parameters& parameters);

}  // namespace headwater
