// The published layouts. A new one is its file and a row in registry.cpp (libcore/ADDING.md).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "families/layouts/layout.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

std::span<const Layout* const> all_layouts();
// "marian", "gpt2", ...: each model type once.
std::vector<std::string> layout_names();
// Those, and what other programs need: "ctranslate2".
std::vector<std::string> written_layout_names();

// The layout of a config.json by "model_type" and, where it names some, "architectures"; null: none has this
// model type. Throws Error where none has these architectures.
const Layout* layout_of(const Json& config);

// The layout with files of its own that a folder is in, and those files; nothing where it is in none.
struct FoundLayout {
  const Layout* layout;
  OwnFiles files;
};
std::optional<FoundLayout> layout_with_own_files(const std::filesystem::path& folder);

// Whether a config.json has a model type of several layouts and names no architecture; then the one whose
// tensors the file has can be named.
bool lacks_architecture(const Json& config);
void name_architecture(Json& config, const Safetensors& tensors);

// The layouts that models of this kind can be in; empty: none. `name`: those of this model type.
std::vector<const Layout*> layouts_of(const Family& family, std::string_view name = {});

// Which of them a model with these settings fits, a line each: "fits the layouts: marian", "does not fit
// gpt2: norm post (only pre), positions rotary (only learned)". None where its kind has no layout.
std::vector<std::string> fitting_layouts(const Family& family, const ModelSection& section);

// A model in a published layout.
struct ExportedModel {
  std::vector<DirectoryFile> files;  // beside model.safetensors
  std::function<void(const ByteSink&)> write_tensors;
  std::vector<std::string> notes;  // what is lost there, a sentence each
};
// The model of a folder that was opened for `directory`, in the first of its kind's layouts that can say its
// settings; `name`: in one of this model type. Without a name a folder of a layout that is only read becomes
// one as train writes it. Throws UsageError where its kind has none of this name, and
// Error "directory: what" with all keys that stand in the way.
ExportedModel exported(const ModelFolder& folder, const std::filesystem::path& directory,
                       std::string_view name = {});

}  // namespace headwater
