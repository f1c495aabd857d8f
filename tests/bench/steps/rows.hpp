// The experiments whose training steps are measured, by the ids of the project's list of experiments.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"
#include "steps/classifier.hpp"
#include "steps/language_model.hpp"
#include "steps/masked_lm.hpp"
#include "steps/translator.hpp"
#include "steps/vision_model.hpp"

namespace headwater::bench {

struct Row {
  std::unique_ptr<StepModel> model;
  Index parameters = 0;  // that the architecture must have
  OptimizerSettings optimizer;
  ScheduleSettings schedule = {};

  // All of it as a recipe says it.
  Recipe recipe(std::string_view name) const {
    Recipe recipe;
    recipe.name = "row " + std::string(name);
    recipe.model = model->section();
    recipe.training.optimizer = optimizer;
    recipe.training.schedule = schedule;
    recipe.training.batch_sequences = model->batch();
    return filled_in(std::move(recipe));
  }
};

inline constexpr std::string_view kRowNames[] = {"A1", "A2", "A2P", "B", "C",  "D1", "D2",
                                                 "E",  "F",  "FA",  "S", "N1", "NL", "NG"};

// Film reviews cut at 600 tokens, good or bad.
inline ClassifierStepSettings reviews(Index width, Positions positions, const std::string& lengths) {
  ClassifierStepSettings s;
  s.vocabulary = 20000;
  s.batch = 32;
  s.lengths = read_lengths(lengths + "/imdb-600.txt");
  TransformerSettings& t = s.model.transformer;
  t.width = t.head_width = width;
  t.heads = 2;
  t.feed_forward_width = 32;
  t.positions = positions;
  t.length = 600;
  t.output_dropout = 0.5;
  return s;
}
inline Row row_a1(const std::string& lengths) {
  return {std::make_unique<ClassifierStep>(reviews(32, Positions::none, lengths)),
          650'689,
          {.kind = OptimizerKind::rmsprop}};
}
inline Row row_a2(const std::string& lengths, bool pools_padding) {
  ClassifierStepSettings s = reviews(256, Positions::learned, lengths);
  if (pools_padding) s.model.padding = Padding::pooled;
  return {std::make_unique<ClassifierStep>(s), 5'817'633, {.kind = OptimizerKind::rmsprop}};
}

// The same reviews by a recurrent layer, as narrow as that of A1; and reviews cut at 80 tokens by a wide one.
inline ClassifierStepSettings recurrent_reviews(Index width, const std::string& mixing,
                                                const std::string& lengths) {
  ClassifierStepSettings s = reviews(width, Positions::none, lengths);
  s.model.mixing.mixing = mixing;
  s.model.pooling = ops::Pooling::last;
  return s;
}
inline Row row_n1(const std::string& lengths) {
  return {std::make_unique<ClassifierStep>(recurrent_reviews(32, "lstm", lengths)),
          648'353,
          {.kind = OptimizerKind::rmsprop}};
}
inline Row row_wide_n(const std::string& mixing, Index parameters, const std::string& lengths) {
  ClassifierStepSettings s = recurrent_reviews(256, mixing, lengths);
  s.batch = 64;
  s.lengths = read_lengths(lengths + "/imdb-80.txt");
  return {std::make_unique<ClassifierStep>(s), parameters, {.kind = OptimizerKind::rmsprop}};
}

// A causal language model of whole reviews cut at 80 tokens.
inline Row row_b(const std::string& lengths) {
  LanguageModelStepSettings s;
  s.vocabulary = 20000;
  s.batch = 128;
  s.lengths = read_lengths(lengths + "/imdb-80.txt");
  TransformerSettings& t = s.model.transformer;
  t.width = t.head_width = t.feed_forward_width = 256;
  t.heads = 2;
  t.norm_epsilon = 1e-6;
  t.length = 80;
  t.dropout = 0.1;
  return {std::make_unique<LanguageModelStep>(s), 10'939'168, {.kind = OptimizerKind::adam}};
}

// English to Spanish.
inline Row row_c(const std::string& lengths) {
  TranslationStepSettings s;
  s.model.transformer.head_width = 256;
  s.model.transformer.feed_forward_width = 2048;
  s.model.transformer.output_dropout = 0.5;
  s.source_vocabulary = s.target_vocabulary = 15000;
  s.batch = 64;
  s.lengths = read_lengths(lengths + "/spa-eng-20.txt");
  return {std::make_unique<TranslationStep>(s), 19'960'216, {.kind = OptimizerKind::rmsprop}};
}

// What both rows of images have.
inline VisionSettings images(Index width, Index heads, Index head_width, Index classes) {
  VisionSettings s;
  TransformerSettings& t = s.transformer;
  t.width = width;
  t.heads = heads;
  t.head_width = head_width;
  t.feed_forward_width = 128;
  t.activation = ops::Activation::gelu;
  t.norm = NormPlacement::pre;
  t.norm_epsilon = 1e-6;
  s.layers = 8;
  s.classes = classes;
  return s;
}

// MNIST, patches of 4x4.
inline Row row_d1(const std::string&) {
  VisionStepSettings s{.model = images(128, 8, 16, 10), .batch = 16};
  s.model.head_widths = {128};
  return {std::make_unique<VisionStep>(s),
          823'434,
          {.kind = OptimizerKind::adamw, .weight_decay = 1e-4, .weight_decay_of = DecayedParameters::all}};
}

// CIFAR-100 at 72x72, patches of 6x6.
inline Row row_d2(const std::string&) {
  VisionStepSettings s{.model = images(64, 4, 64, 100), .batch = 256, .stored_side = 32};
  s.model.image_height = s.model.image_width = 72;
  s.model.images = {.normalization = Normalization::standardized,
                    .resizing = Resizing::bilinear,
                    .random_flip = RandomFlip::horizontal,
                    .random_rotation = 0.02,
                    .random_zoom_height = 0.2,
                    .random_zoom_width = 0.2};
  s.model.channels = 3;
  s.model.patch_size = 6;
  s.model.pooling = ImagePooling::flatten;
  s.model.transformer.attention_dropout = s.model.feed_forward_dropout = 0.1;
  s.model.has_second_activation = true;
  s.model.head_widths = {2048, 1024};
  s.model.head_dropout = 0.5;
  return {std::make_unique<VisionStep>(s),
          21'759'012,
          {.kind = OptimizerKind::adamw, .weight_decay = 1e-4, .weight_decay_of = DecayedParameters::all}};
}

// Portuguese to English, four blocks a side.
inline Row row_e(const std::string& lengths) {
  TranslationStepSettings s;
  TransformerSettings& t = s.model.transformer;
  t.width = 128;
  t.heads = 8;
  t.feed_forward_width = 512;
  t.norm_epsilon = 1e-6;
  t.positions = Positions::sinusoidal;
  t.scale_embedding = true;
  t.length = 40;
  t.dropout = 0.1;
  s.model.encoder_layers = s.model.decoder_layers = 4;
  s.source_vocabulary = s.target_vocabulary = 8192;
  s.batch = 64;
  s.lengths = read_lengths(lengths + "/ted-pt-en-40.txt");
  return {std::make_unique<TranslationStep>(s),
          5'005'312,
          {.kind = OptimizerKind::adam, .epsilon = 1e-9, .beta_1 = 0.9, .beta_2 = 0.98},
          {.kind = ScheduleKind::inverse_square_root, .warmup_steps = 4000}};
}

// BERT's pretraining in small: pieces of 128 tokens, 15 % of them hidden. FA has smaller batches and
// dropout of attention weights.
inline Row row_f(Index batch, double attention_dropout) {
  MaskedLmStepSettings s;
  s.vocabulary = 8192;
  s.batch = batch;
  s.model.encoder_layers = 4;
  s.model.segments = 2;
  s.model.embedding_norm = true;
  TransformerSettings& t = s.model.transformer;
  t.width = 128;
  t.heads = 4;
  t.feed_forward_width = 512;
  t.activation = ops::Activation::gelu;
  t.norm_epsilon = 1e-12;
  t.length = 128;
  t.dropout = 0.1;
  t.attention_dropout = attention_dropout;
  return {std::make_unique<MaskedLmStep>(s),
          1'883'520,
          {.kind = OptimizerKind::adamw, .weight_decay = 0.01, .global_clipnorm = 1}};
}

// Characters of Shakespeare in nanoGPT's setting for CPUs.
inline Row row_s(const std::string&) {
  LanguageModelStepSettings s;
  s.vocabulary = 65;
  s.batch = 12;
  s.lengths = {{64, 0}};
  s.model.layers = 4;
  TransformerSettings& t = s.model.transformer;
  t.width = 128;
  t.heads = 4;
  t.feed_forward_width = 512;
  t.activation = ops::Activation::gelu;
  t.norm = NormPlacement::pre;
  t.norm_epsilon = 1e-6;
  t.length = 64;
  return {std::make_unique<LanguageModelStep>(s),
          818'241,
          {.kind = OptimizerKind::adamw, .beta_2 = 0.99, .weight_decay = 0.1, .global_clipnorm = 1}};
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
  if (name == "F") row = row_f(64, 0);
  if (name == "FA") row = row_f(32, 0.1);
  if (name == "S") row = row_s(lengths);
  if (name == "N1") row = row_n1(lengths);
  if (name == "NL") row = row_wide_n("lstm", 5'645'569, lengths);
  if (name == "NG") row = row_wide_n("gru", 5'515'009, lengths);
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
