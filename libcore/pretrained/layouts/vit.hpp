// The layout in which Hugging Face's transformers keeps vision Transformers (model_type "vit"): what its
// config.json says, and how its tensors are named and shaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "models/vision.hpp"
#include "pretrained/kind.hpp"
#include "pretrained/vision_model.hpp"
#include "support/json.hpp"

namespace headwater {

inline constexpr std::string_view kVitType = "vit";

// The settings of such a config.json; for the images, what holds where nothing else is said. Throws Error
// naming the member that is missing, out of range, or says what this program cannot do.
VisionSettings vit_settings_of(const Json& config);
// The names of id2label by their ids. What stands there twice gets its id: "crane (517)". Throws Error
// "where: what".
LabelSet vit_labels_of(const Json& config, const std::string& where);
// Which keys of the recipe have values that the layout cannot say, all in one sentence; empty: none.
std::string unsayable_in_vit(const VisionSettings& settings);
// The other way. Throws Error with that sentence.
Json vit_config_of(const VisionModel& model, const LabelSet& labels);

// Loads a folder in that layout, with or without preprocessor_config.json. Throws Error naming the file.
LoadedVisionModel load_vit(const ModelFolder& folder);

// The files beside model.safetensors of a directory in that layout. Throws Error naming the key of the recipe
// whose value the layout cannot say.
std::vector<DirectoryFile> vit_files(const LoadedVisionModel& model);

// Fills the parameters, which have no memory yet, from the tensors of such a model; their names may begin
// with "vit.".
void read_vit_parameters(const Safetensors& tensors, VisionModel& model);
// model.safetensors of that layout.
void write_vit_parameters(const VisionModel& model, const ByteSink& sink);

}  // namespace headwater
