// A set of labels, wherever a tool is pointed at one.
#pragma once

#include <filesystem>
#include <string>

#include "data/image_dataset.hpp"
#include "data/labels.hpp"

namespace headwater {

// The labels of a file of labels, of a model directory or checkpoint in whatever layout, or of a data set of
// images. Throws Error naming the file, also for a model that gives no labels.
LabelSet load_label_names(const std::filesystem::path& path);

// The names of the labels of a data set.
LabelSet labels_of(const ImageDataset& images, const std::string& where);

}  // namespace headwater
