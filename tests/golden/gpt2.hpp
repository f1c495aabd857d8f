// The model of reference/gpt2 (Hugging Face's layout of GPT-2).
#pragma once

#include "families/language_model/model.hpp"
#include "reference_folder.hpp"

headwater::Json reference_gpt2_config();
// With its weights.
std::unique_ptr<headwater::LanguageModel> load_reference_gpt2();
