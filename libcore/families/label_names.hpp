// A set of labels, wherever a tool is pointed at one, in config.json, and as what settles a model's classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/image_dataset.hpp"
#include "data/labels.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// The labels of a file of labels, of a model directory or checkpoint in whatever layout, or of a data set of
// images. Throws Error naming the file, also for a model that gives no labels.
LabelSet load_label_names(const std::filesystem::path& path);

// The names of the labels of a data set.
LabelSet labels_of(const ImageDataset& images, const std::string& where);

// The names of id2label, whose members are "0", "1", ... in order.
LabelSet labels_of_config(const Json& config, const std::string& where);
// The members id2label and label2id.
void write_labels(Json& config, const LabelSet& labels);

// The member problem_type: an example has one label of them, whose probabilities sum to 1, or any of them,
// each with a probability of its own.
inline constexpr const char *kOneLabel = "single_label_classification",
                            *kManyLabels = "multi_label_classification";
bool gives_many_labels(const Json& config);
// Throws Error "path: ..." for a model of the second kind: `what` needs one label an example.
void check_one_label(bool gives_many, const std::filesystem::path& path, std::string_view what);

enum class LabelsOf { texts, images };
// What Family::complete() does to model.classes, where a recipe says so many. Throws UsageError "where: what"
// for another number of labels; where most have several words, texts may stand where labels should.
void take_classes(std::int64_t& classes, const LabelSet& labels, const std::string& where,
                  LabelsOf of = LabelsOf::texts);
// For a legend, where a recipe leaves model.classes open: how many are shown.
std::string open_classes(std::int64_t classes, Index assumed);
// What a recipe's settings, now complete, say against each other. Throws UsageError.
void check_completed(const Recipe& recipe);

}  // namespace headwater
