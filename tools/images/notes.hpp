// What programs say of image files that could have been read otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/image_folder.hpp"
#include "data/resize.hpp"

namespace headwater::images {

// Whose images a set must have been read alike.
inline constexpr std::string_view kLearnedFrom = "those that the model learned from";

// On standard error, of the files that were read: how many are transparent, and how many have a tag of
// orientation, and what became of them, as a model wants it; and how many were resized, with that filter.
void note_files(const ImageFileReader& files, const std::string& filter);
// Of a published model, and of --resize otherwise.
std::string filter_text(const std::optional<PublishedResize>& published);
// The same where options choose it: the line, which begins with the place, says which.
void note_chosen_files(const ImageFileReader& files, const std::string& place);

}  // namespace headwater::images
