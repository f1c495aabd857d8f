// The rows of a recipe's sections: data_rows.cpp and training_rows.cpp.
#pragma once

#include <string_view>

#include "recipe/recipe.hpp"

namespace headwater::schema {

// Which programs read a row, where they are not those of its section. `make recipe` and `headwater run`
// run the stages (pipeline/).
inline constexpr std::string_view kMake = "make recipe";

// Whether such a model translates: its epochs can be chosen by its translations.
bool measures_translations(const ModelSection& model);

void rows(Visitor& visitor, DataSettings& settings, const ModelSection& model);
void rows(Visitor& visitor, TokenizerSettings& settings);
void rows(Visitor& visitor, TermSettings& settings);
void rows(Visitor& visitor, MaskingSettings& settings);
void rows(Visitor& visitor, TrainingSettings& settings, const ModelSection& model);

}  // namespace headwater::schema
