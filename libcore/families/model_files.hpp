// A directory of a model without the state of its training, made of another one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "families/model_directory.hpp"

namespace headwater {

// The files beside config.json and the tensors that a model is used with.
std::vector<std::string> files_of_model(const ModelFolder& model);

// Writes this config.json, these tensors, and the other files of `like`, as a new directory: a checkpoint
// with a manifest, but for the layouts of other programs.
void write_model(const std::filesystem::path& output, const ModelFolder& like, const std::string& config,
                 const std::function<void(const ByteSink&)>& write_tensors);

}  // namespace headwater
