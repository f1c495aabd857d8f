// Small made-up translation runs for property tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/token_dataset.hpp"
#include "families/classifier/directory.hpp"
#include "families/classifier/train_objective.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "families/translator/train_objective.hpp"
#include "training/trainer.hpp"

using Sequence = std::vector<std::int32_t>;

// Source and target ids; a target holds start (2) and end (3).
struct Pair {
  Sequence source, target;
};

inline constexpr std::int32_t kStart = 2, kEnd = 3, kFirstWord = 4;

// `count` pairs whose target is the source, lengths 1 to max_words, ids from kFirstWord to vocabulary - 1.
std::vector<Pair> copy_pairs(std::size_t count, std::int64_t max_words, std::int64_t vocabulary,
                             std::uint64_t seed);
headwater::TokenDataset columns_of(const std::vector<Pair>& pairs, std::int64_t vocabulary);
headwater::PackedTokens packed(const std::vector<Sequence>& sequences);

// Every kind of dropout, label smoothing, warm-up, checkpoints and log rows inside epochs.
headwater::Recipe small_recipe(const std::string& optimizer);

// Large enough that every kernel cuts its work into several tasks and the tokens of a batch into several
// chunks; one epoch.
headwater::Recipe wide_recipe(const std::string& optimizer);

// Recurrent layers, the encoder's of both directions.
headwater::Recipe recurrent_recipe(bool has_attention);

// One of each kind of decoder: attention, post-norm and pre-norm; a window or a convolution; recurrent layers
// with attention to the source and without.
std::vector<headwater::Recipe> decoder_recipes();

struct SmallRun {
  headwater::Recipe recipe;
  headwater::TokenDataset train, validation;
  headwater::EncoderDecoder model;
  headwater::TranslationObjective objective;

  SmallRun(headwater::Recipe r, const std::vector<Pair>& train_pairs,
           const std::vector<Pair>& validation_pairs, std::int64_t vocabulary);
};

// Small made-up classification: token lines whose label is 1 where id 4 stands among them.
inline constexpr std::int64_t kClassVocabulary = 40;
// One kind of model each: attention, fourier, mlp, convolution, lstm, gru with every pooling and head; a bag
// of words.
std::vector<headwater::Recipe> class_recipes();
// For messages: "classifier with mlp".
std::string model_name(const headwater::Recipe& recipe);

struct ClassRun {
  headwater::Recipe recipe;
  headwater::LabelSet labels;
  headwater::TokenDataset train, validation;
  std::unique_ptr<headwater::TextClassifier> model;
  headwater::ClassificationObjective objective;

  ClassRun(headwater::Recipe r, std::size_t count, std::uint64_t seed);
};

// All numbers of the parameters.
std::vector<headwater::Real> values_of(const headwater::EncoderDecoder& model);

// The rows of a run's log.csv without the columns that depend on the clock: seconds and those after it.
std::string log_without_times(const std::filesystem::path& directory);
