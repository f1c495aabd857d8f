// The experiments whose training steps are measured, by the ids of the project's list of experiments.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"
#include "steps/classifier.hpp"
#include "steps/language_model.hpp"
#include "steps/translator.hpp"
#include "steps/vision_model.hpp"

namespace headwater::bench {

struct Row {
  std::unique_ptr<StepModel> model;
  Index parameters = 0;  // that the architecture must have
  OptimizerSettings optimizer;
  ScheduleSettings schedule = {};
};

inline constexpr std::string_view kRowNames[] = {"A1", "A2", "A2P", "B", "C", "D1", "D2", "E"};

// Film reviews cut at 600 tokens, good or bad.
inline ClassifierSettings reviews(Index width, Positions positions, const std::string& lengths) {
  return {.embedding = {.vocabulary_size = 20000, .width = width, .length = 600, .positions = positions},
          .block = {.attention = {.width = width, .heads = 2, .head_width = width}, .feed_forward_width = 32},
          .layers = 1,
          .head_dropout = 0.5,
          .batch = 32,
          .lengths = read_lengths(lengths + "/imdb-600.txt")};
}
inline Row row_a1(const std::string& lengths) {
  return {std::make_unique<Classifier>(reviews(32, Positions::none, lengths)), 650'689, {.kind = "rmsprop"}};
}
inline Row row_a2(const std::string& lengths, bool pools_padding) {
  ClassifierSettings s = reviews(256, Positions::learned, lengths);
  s.pools_padding = pools_padding;
  return {std::make_unique<Classifier>(s), 5'817'633, {.kind = "rmsprop"}};
}

// A causal language model of whole reviews cut at 80 tokens.
inline Row row_b(const std::string& lengths) {
  const AttentionLayerSettings attention{.width = 256, .heads = 2, .head_width = 256};
  LanguageModelSettings s{
      .embedding = {.vocabulary_size = 20000, .width = 256, .length = 80, .positions = Positions::learned},
      .block = {.attention = attention, .feed_forward_width = 256, .norm_epsilon = 1e-6, .dropout = 0.1},
      .layers = 1,
      .batch = 128,
      .lengths = read_lengths(lengths + "/imdb-80.txt")};
  return {std::make_unique<LanguageModel>(s), 10'939'168, {.kind = "adam"}};
}

// English to Spanish.
inline Row row_c(const std::string& lengths) {
  const TransformerSettings transformer{.head_width = 256, .output_dropout = 0.5};
  TranslatorSettings s{.model = {transformer},
                       .source_vocabulary = 15000,
                       .target_vocabulary = 15000,
                       .batch = 64,
                       .lengths = read_lengths(lengths + "/spa-eng-20.txt")};
  return {std::make_unique<Translator>(s), 19'960'216, {.kind = "rmsprop"}};
}

// MNIST, patches of 4x4.
inline Row row_d1(const std::string&) {
  VisionSettings s{.patches = 49,
                   .patch_values = 16,
                   .classes = 10,
                   .has_class_token = true,
                   .block = {.attention = {.width = 128, .heads = 8, .head_width = 16},
                             .feed_forward_width = 128,
                             .activation = ops::Activation::gelu,
                             .norm_place = NormPlace::pre,
                             .norm_epsilon = 1e-6},
                   .layers = 8,
                   .head_widths = {128},
                   .batch = 16};
  return {std::make_unique<VisionModel>(s), 823'434, {.kind = "adamw", .weight_decay = 1e-4}};
}

// CIFAR-100 at 72x72, patches of 6x6.
inline Row row_d2(const std::string&) {
  VisionSettings s{.patches = 144,
                   .patch_values = 108,
                   .classes = 100,
                   .block = {.attention = {.width = 64, .heads = 4, .head_width = 64, .dropout = 0.1},
                             .feed_forward_width = 128,
                             .activation = ops::Activation::gelu,
                             .norm_place = NormPlace::pre,
                             .norm_epsilon = 1e-6,
                             .dropout = 0.1},
                   .has_second_activation = true,
                   .layers = 8,
                   .head_widths = {2048, 1024},
                   .head_dropout = 0.5,
                   .batch = 256};
  return {std::make_unique<VisionModel>(s), 21'759'012, {.kind = "adamw", .weight_decay = 1e-4}};
}

// Portuguese to English, four blocks a side.
inline Row row_e(const std::string& lengths) {
  const TransformerSettings transformer{.width = 128,
                                        .heads = 8,
                                        .feed_forward_width = 512,
                                        .norm_epsilon = 1e-6,
                                        .positions = "sinusoidal",
                                        .scale_embedding = true,
                                        .length = 40,
                                        .dropout = 0.1};
  TranslatorSettings s{.model = {transformer, 4, 4},
                       .source_vocabulary = 8192,
                       .target_vocabulary = 8192,
                       .batch = 64,
                       .lengths = read_lengths(lengths + "/ted-pt-en-40.txt")};
  return {std::make_unique<Translator>(s),
          5'005'312,
          {.kind = "adam", .epsilon = 1e-9, .beta_1 = 0.9, .beta_2 = 0.98},
          {.kind = "inverse_square_root", .warmup_steps = 4000}};
}

// `lengths`: the folder of length tables.
inline Row make_row(std::string_view name, const std::string& lengths) {
  Row row;
  if (name == "A1") row = row_a1(lengths);
  if (name == "A2") row = row_a2(lengths, false);
  if (name == "A2P") row = row_a2(lengths, true);
  if (name == "B") row = row_b(lengths);
  if (name == "C") row = row_c(lengths);
  if (name == "D1") row = row_d1(lengths);
  if (name == "D2") row = row_d2(lengths);
  if (name == "E") row = row_e(lengths);
  if (!row.model) throw UsageError("unknown row " + std::string(name));
  Parameters& parameters = row.model->parameters();
  parameters.allocate(true);
  if (parameters.size() != row.parameters) {
    throw Error("row " + std::string(name) + ": " + std::to_string(parameters.size()) + " parameters, not " +
                std::to_string(row.parameters));
  }
  return row;
}

}  // namespace headwater::bench
