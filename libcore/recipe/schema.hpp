// The one table of a recipe: a row a key, with its member, type and what may stand there. The reader, the
// printer and the comparison are visitors of it. A visitor has
//   field(key, member, rule)      for bool, std::int64_t, std::uint64_t, double, std::string,
//   std::vector<std::string>,
//                                 std::optional<double>
//   section(key, member)          for a struct below the key
//   list(key, member)             for a list of structs
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"

namespace headwater::schema {

// Inclusive bounds of a number.
struct Between {
  double least, most;
};
// Any of these words; as_list: a list of them.
struct OneOf {
  std::vector<std::string_view> words;
};
// A path below the data root, or nothing.
struct PathInData {};
// Text of one line; must it be there?
enum class Text { any, needed };
// Nothing to check beyond the type.
struct Anything {};

// What a run is steered by, measured on validation data; consistency.cpp says which model has which.
inline const OneOf kMetrics{{"loss", "accuracy", "perplexity", "macro_f1", "roc_auc"}};

inline constexpr double kBelowOne = 0.9999999;
inline constexpr Between kShare{0, 0.99};

template <class Visitor>
void rows(Visitor& v, DataSettings& s) {
  v.field("train", s.train, PathInData{});
  v.field("validation", s.validation, PathInData{});
  v.field("test", s.test, PathInData{});
  v.field("tokenizer_text", s.tokenizer_text, PathInData{});
  v.field("columns", s.columns, OneOf{{"source", "target", "label"}});
  v.field("validation_fraction", s.validation_fraction, Between{0, 0.9});
}

template <class Visitor>
void rows(Visitor& v, TokenizerSettings& s) {
  v.field("kind", s.kind, OneOf{{"word", "character"}});
  v.field("size", s.size, Between{3, 1e7});
  v.field("standardize", s.standardize,
          OneOf{{"lower_and_strip_punctuation", "lower", "strip_punctuation", "none"}});
  v.field("lower", s.lower, OneOf{{"ascii", "unicode"}});
}

template <class Visitor>
void rows(Visitor& v, TermSettings& s) {
  v.field("ngrams", s.ngrams, Between{1, 10});
  v.field("size", s.size, Between{2, 1e7});
  v.field("output", s.output, OneOf{{"multi-hot", "count", "tf-idf", "log-tf-idf"}});
}

template <class Visitor>
void rows(Visitor& v, ModelSettings& s) {
  v.field("kind", s.kind, OneOf{{"encoder_decoder", "classifier", "bag_of_words"}});
  v.field("width", s.width, Between{1, 65536});
  v.field("heads", s.heads, Between{1, 1024});
  v.field("head_width", s.head_width, Between{0, 65536});
  v.field("feed_forward_width", s.feed_forward_width, Between{1, 1e6});
  v.field("encoder_layers", s.encoder_layers, Between{0, 1000});
  v.field("decoder_layers", s.decoder_layers, Between{1, 1000});
  v.field("norm", s.norm, OneOf{{"post", "pre"}});
  v.field("norm_epsilon", s.norm_epsilon, Between{1e-12, 0.1});
  v.field("activation", s.activation, OneOf{{"relu", "gelu", "gelu_tanh", "silu"}});
  v.field("positions", s.positions, OneOf{{"learned", "sinusoidal", "none"}});
  v.field("scale_embedding", s.scale_embedding, Anything{});
  v.field("length", s.length, Between{1, 1e6});
  v.field("dropout", s.dropout, kShare);
  v.field("attention_dropout", s.attention_dropout, kShare);
  v.field("output_dropout", s.output_dropout, kShare);
  v.field("initialization", s.initialization, OneOf{{"keras"}});
  v.field("mixing", s.mixing, OneOf{{"attention", "fourier", "mlp"}});
  v.field("mixing_width", s.mixing_width, Between{0, 65536});
  v.field("pooling", s.pooling, OneOf{{"max", "mean", "first"}});
  v.field("head", s.head, OneOf{{"sigmoid", "softmax"}});
  v.field("classes", s.classes, Between{2, 100000});
  v.field("keeps_padding", s.keeps_padding, Anything{});
  v.field("pools_padding", s.pools_padding, Anything{});
}

template <class Visitor>
void rows(Visitor& v, OptimizerSettings& s) {
  v.field("kind", s.kind, OneOf{{"rmsprop", "adam", "adamw", "sgd"}});
  v.field("learning_rate", s.learning_rate, Between{1e-12, 1000});
  v.field("rho", s.rho, Between{0, kBelowOne});
  v.field("epsilon_placement", s.epsilon_placement, OneOf{{"inside", "outside"}});
  v.field("epsilon", s.epsilon, Between{1e-30, 1});
  v.field("beta_1", s.beta_1, Between{0, kBelowOne});
  v.field("beta_2", s.beta_2, Between{0, kBelowOne});
  v.field("epsilon_hat", s.epsilon_hat, Anything{});
  v.field("weight_decay", s.weight_decay, Between{0, 10});
  v.field("momentum", s.momentum, Between{0, kBelowOne});
  v.field("global_clipnorm", s.global_clipnorm, Between{0, 1e9});
}

template <class Visitor>
void rows(Visitor& v, ScheduleSettings& s) {
  v.field("kind", s.kind, OneOf{{"constant", "inverse_square_root", "cosine", "linear"}});
  v.field("warmup_steps", s.warmup_steps, Between{0, 1e9});
  v.field("final_rate", s.final_rate, Between{0, 1000});
}

template <class Visitor>
void rows(Visitor& v, CheckpointSettings& s) {
  v.field("every_steps", s.every_steps, Between{0, 1e9});
  v.field("keep", s.keep, Between{1, 100000});
}

template <class Visitor>
void rows(Visitor& v, EarlyStoppingSettings& s) {
  v.field("metric", s.metric, kMetrics);
  v.field("patience", s.patience, Between{0, 1e6});
}

template <class Visitor>
void rows(Visitor& v, TrainingSettings& s) {
  v.field("epochs", s.epochs, Between{1, 1e6});
  v.field("most_steps", s.most_steps, Between{0, 1e9});
  v.field("batch_sequences", s.batch_sequences, Between{1, 1e6});
  v.field("accumulate", s.accumulate, Between{1, 8});
  v.field("label_smoothing", s.label_smoothing, kShare);
  v.field("log_every", s.log_every, Between{1, 1e9});
  v.field("best_metric", s.best_metric, kMetrics);
  v.field("ema_decay", s.ema_decay, Between{0, kBelowOne});
  v.section("optimizer", s.optimizer);
  v.section("schedule", s.schedule);
  v.section("checkpoint", s.checkpoint);
  v.section("early_stopping", s.early_stopping);
}

template <class Visitor>
void rows(Visitor& v, DecodingSettings& s) {
  v.field("most_tokens", s.most_tokens, Between{0, 1e6});
}

template <class Visitor>
void rows(Visitor& v, Expectation& s) {
  v.field("metric", s.metric,
          OneOf{{"parameters", "training_loss", "validation_loss", "validation_accuracy",
                 "validation_macro_f1", "validation_roc_auc", "reference_loss", "reference_accuracy",
                 "best_epoch", "seconds_an_epoch", "tokens_a_second", "test_loss", "test_accuracy",
                 "test_macro_f1", "test_roc_auc", "bleu", "chrf"}});
  v.field("value", s.value, Between{-1e18, 1e18});
  v.field("tolerance", s.tolerance, Between{0, 1e18});
  v.field("compare", s.compare, OneOf{{"near", "at_least", "at_most"}});
  v.field("source", s.source, Text::any);
}

template <class Visitor>
void rows(Visitor& v, Recipe& s) {
  v.field("name", s.name, Text::needed);
  v.field("seed", s.seed, Anything{});
  v.section("data", s.data);
  v.section("source_tokenizer", s.source_tokenizer);
  v.section("target_tokenizer", s.target_tokenizer);
  v.section("terms", s.terms);
  v.section("model", s.model);
  v.section("training", s.training);
  v.section("decoding", s.decoding);
  v.list("expected", s.expected);
}

}  // namespace headwater::schema
