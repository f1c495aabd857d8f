// Small made-up runs of language models, models of images and masked language models, for property tests.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/image_dataset.hpp"
#include "data/token_dataset.hpp"
#include "data/token_stream.hpp"
#include "families/language_model/directory.hpp"
#include "families/language_model/model.hpp"
#include "families/language_model/train_objectives.hpp"
#include "families/masked_lm/directory.hpp"
#include "families/masked_lm/train_objective.hpp"
#include "families/vision/directory.hpp"
#include "families/vision/model.hpp"
#include "families/vision/train_objective.hpp"
#include "text/tokenizer/tokenizer.hpp"

headwater::LanguageModelSettings small_language_model();

// Random texts, some of one word, which have nothing to predict.
struct LanguageModelRun {
  headwater::TokenDataset texts;
  headwater::LanguageModel model;
  headwater::LanguageModelObjective objective;

  explicit LanguageModelRun(const headwater::Recipe& recipe);
  headwater::Subset subset(std::uint32_t begin, std::uint32_t end) const;
};

// Windows of a long random text, blocks or at random places.
struct WindowsRun {
  std::string train_bytes, validation_bytes;
  headwater::TokenStream train, validation;
  headwater::LanguageModel model;
  headwater::TextWindowsObjective objective;

  explicit WindowsRun(const headwater::Recipe& recipe);
};

headwater::VisionSettings small_vision();

// Random images of 6x4 pixels with two channels.
struct VisionRun {
  std::string bytes;
  headwater::ImageDataset images;
  headwater::VisionModel model;
  headwater::VisionObjective objective;

  explicit VisionRun(const headwater::Recipe& recipe);
  headwater::Subset subset(std::uint32_t begin, std::uint32_t end) const;
};

inline constexpr headwater::Index kMaskedLength = 24;
// masking.examples and masking.unit.
inline constexpr std::pair<headwater::MaskedExamples, headwater::MaskingUnit> kMaskedKinds[] = {
    {headwater::MaskedExamples::pieces, headwater::MaskingUnit::token},
    {headwater::MaskedExamples::pieces, headwater::MaskingUnit::span},
    {headwater::MaskedExamples::sentence_pairs, headwater::MaskingUnit::word},
    {headwater::MaskedExamples::sentence_pairs, headwater::MaskingUnit::span}};
headwater::Recipe masked_recipe(headwater::MaskedExamples examples, headwater::MaskingUnit unit);

// Documents of 1 to 7 sentences of 1 to 9 words; or lines of up to 60 words.
struct MaskedRun {
  headwater::Recipe recipe;
  headwater::Tokenizer words;
  std::unique_ptr<headwater::Dataset> train, validation;
  headwater::MaskedLanguageModel model;
  headwater::MaskedLmObjective objective;

  explicit MaskedRun(headwater::Recipe r);
  std::unique_ptr<headwater::MaskedTexts> texts(const headwater::Dataset& data) const;
};
