// One experiment as one YAML file: the structs whose initialisers are the only home of each default. Keys of
// the file, members here and options of the tools are the same words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/model_section.hpp"

namespace headwater {

struct TokenizerSettings {
  std::string kind = "word";                           // word | character | byte_bpe | bpe: rows.cpp
  std::int64_t size = 15000;                           // vocabulary with all special tokens
  std::string standardize;                             // empty: by the kind; the words: rows.cpp
  std::string lower = "ascii";                         // ascii | unicode
  bool split_punctuation = false;                      // of words: punctuation is tokens of its own
  std::int64_t min_frequency = 2;                      // of byte_bpe and bpe: of a pair that is merged
  std::string end_of_word_suffix = {};                 // of bpe: ends words; empty: U+2581 begins them
  double character_coverage = 0.9995;                  // of unigram: of the characters that have a piece
  std::vector<std::string> user_defined_symbols = {};  // texts that are one token each
  bool operator==(const TokenizerSettings&) const = default;
};

// Whether tokens are parts of words, and which standardisation a tokenizer has that says none.
bool is_subword_kind(std::string_view kind);
// Whether the size of a tokenizer is the most that it has, or only aimed at.
bool keeps_size(std::string_view kind);
std::string default_standardization(std::string_view kind);

// The terms of bags of words: n-grams of the source tokenizer's tokens.
struct TermSettings {
  std::int64_t ngrams = 1;           // the most tokens of a term
  std::int64_t size = 20000;         // with [UNK], which stands for all others
  std::string output = "multi-hot";  // also count | tf-idf | sublinear-tf-idf
  bool operator==(const TermSettings&) const = default;
};

enum class MaskedExamples { lines, pieces, sentence_pairs };
enum class MaskingUnit { token, word, span };  // span: of whole words

// Which tokens of a text are hidden from a masked language model (masked_lm/masking.hpp).
struct MaskingSettings {
  MaskedExamples examples = MaskedExamples::lines;
  double share = 0.15;
  MaskingUnit unit = MaskingUnit::token;
  double mask_share = 0.8, random_share = 0.1;
  double span_probability = 0.2;
  std::int64_t longest_span = 10;
  bool operator==(const MaskingSettings&) const = default;
};

enum class DataSplit { fixed, seed };  // seed: the set is split anew for each seed
enum class DataExamples { lines, blocks, random };
enum class SplitBy { line, source };  // what goes as a whole to what is held out

struct DataSettings {
  std::string set;  // prepared by data/prepare-SET.sh; empty: the user's own files
  DataSplit split = DataSplit::fixed;
  std::string train, validation, test;                                          // paths below the data root
  std::int64_t train_examples = 0, validation_examples = 0, test_examples = 0;  // 0: all
  std::int64_t max_tokens = 0;  // ids of a side of training and validation examples; 0: any
  std::string tokenizer_text;   // what tokenizers are learned from; empty: train
  std::string teacher;          // a translator that writes the targets to learn from; empty: those of train
  std::vector<std::string> columns = {"source", "target"};
  std::vector<std::string>
      csv_columns;         // the files are CSV: the header's names of the columns; empty: no CSV
  bool summaries = false;  // targets are summaries of their sources
  DataExamples examples = DataExamples::lines;  // of language models
  std::int64_t stride = 0;                      // blocks: from the start of one to the next; 0: model.length
  std::int64_t epoch_examples = 0;              // random: windows of an epoch; 0: as many as blocks
  bool line_ends = false;                       // line ends are text too
  double test_fraction = 0;                     // of train, held out where no test file is given; 0: none
  SplitBy split_by = SplitBy::line;
  std::vector<std::string> test_orders;  // of reversed | shuffled: the test is read so, too
  double validation_fraction = 0.15;     // held out by seed where no validation file is given
  bool operator==(const DataSettings&) const = default;
};

enum class OptimizerKind { rmsprop, adam, adamw, sgd };
enum class EpsilonPlacement { inside, outside };  // of the root
enum class DecayedParameters { matrices, all };   // matrices: not norms, biases and tables

struct OptimizerSettings {
  OptimizerKind kind = OptimizerKind::rmsprop;
  double learning_rate = 1e-3;
  double rho = 0.9;                                                // rmsprop
  EpsilonPlacement epsilon_placement = EpsilonPlacement::outside;  // rmsprop
  double epsilon = 1e-7;
  double beta_1 = 0.9, beta_2 = 0.999;  // adam, adamw
  bool epsilon_hat = false;             // adam: epsilon added to the root of the uncorrected second moment
  double weight_decay = 0.0;            // adamw
  DecayedParameters weight_decay_of = DecayedParameters::matrices;  // adamw
  double layer_decay = 1.0;      // learning rate of a layer: this times that of the layer above
  double momentum = 0.0;         // sgd
  double global_clipnorm = 0.0;  // 0: no clipping
  bool operator==(const OptimizerSettings&) const = default;
};

enum class ScheduleKind { constant, inverse_square_root, cosine, linear, step };

struct ScheduleSettings {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t warmup_steps = 0;
  double final_rate = 0.0;                         // cosine, linear; of step: the lowest
  double factor = 0.5;                             // step: at each of its steps down
  std::int64_t every_epochs = 0, every_steps = 0;  // step: from one to the next; 0: by the other
  bool operator==(const ScheduleSettings&) const = default;
};

struct CheckpointSettings {
  std::int64_t every_steps = 0;   // 0: by time and at the end of each epoch only
  double every_minutes = 10;      // 0: by steps and at the end of each epoch only
  std::int64_t every_epochs = 1;  // at the end of so many epochs; and of the best and the last one
  std::int64_t keep = 2;          // newest kept besides the best
  bool operator==(const CheckpointSettings&) const = default;
};

struct EarlyStoppingSettings {
  std::string metric;         // as of best_metric; empty: that one
  std::int64_t patience = 0;  // end after so many epochs in a row without a better value; 0: never
  bool operator==(const EarlyStoppingSettings&) const = default;
};

// From when on layers learn: those next to the head first.
struct UnfreezeSettings {
  std::int64_t every_epochs = 0, every_steps = 0;  // from one layer to the next; both 0: all from the start
  bool operator==(const UnfreezeSettings&) const = default;
};

// Random choices of the tokenizers, drawn anew for each example and epoch; 0: none.
struct SubwordSamplingSettings {
  double dropout = 0;  // of BPE: share of the merges that are passed over
  double alpha = 0;    // of Unigram: a segmentation is drawn with its probability to this power
  bool operator==(const SubwordSamplingSettings&) const = default;
};

// What a language model writes after each epoch, drawn at random.
struct SampleSettings {
  std::vector<std::string> prompts;  // none: it writes nothing
  std::int64_t max_new_tokens = 40;
  std::int64_t top_k = 10;  // the most likely so many at each step; 0: all
  double temperature = 1;
  bool allow_unknown = false;  // [UNK] may be drawn
  bool operator==(const SampleSettings&) const = default;
};

struct TrainingSettings {
  std::int64_t epochs = 15;
  std::int64_t max_steps = 0;  // 0: no limit
  std::int64_t batch_sequences = 64;
  std::int64_t batch_tokens = 0;  // the most of a batch, instead; 0: by batch_sequences
  bool shuffle = true;  // examples are taken in an order drawn for each epoch; else in that of the data
  std::int64_t shuffle_window = 0;  // so many at a time, from few places of the data; 0: all at once
  // A batch is computed in so many parts one after the other, with the memory of one and the same results: 1,
  // 2, 4 or 8.
  std::int64_t accumulate = 1;
  std::string init_from;            // a model whose weights the run begins with; empty: drawn ones
  std::vector<std::string> drop;    // patterns of parameters that are drawn all the same
  std::vector<std::string> freeze;  // patterns ("source_embedding.*") of parameters that keep their values
  double label_smoothing = 0.0;
  double r_drop = 0.0;           // of translators: weight of the divergence of two passes; 0: one pass
  ClassWeights class_weights;    // of classifiers
  std::int64_t log_every = 100;  // steps between rows of log.csv; each epoch's end has one too
  // The metric of validation that chooses: one of metrics/registry.hpp that is measured after each epoch and
  // that the kind of model has.
  std::string best_metric = "loss";
  // Validation sentences that are translated after each epoch; 0: 1000 where a metric is of them, else none.
  std::int64_t validation_translations = 0;
  double ema_decay = 0.0;  // of the moving average of the weights, which is what the run gives; 0: none
  std::int64_t average_last =
      0;  // the run gives the mean of the last so many epochs' weights; 0: the weights
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  CheckpointSettings checkpoint;
  EarlyStoppingSettings early_stopping;
  UnfreezeSettings unfreeze;
  SubwordSamplingSettings subword_sampling;  // of translators
  SampleSettings samples;                    // of language models
  bool operator==(const TrainingSettings&) const = default;
};

enum class LengthPenaltyKind { power, gnmt };
enum class BeamStopping { heuristic, never, first };

// What a translation may consist of: target tokens by the tokens of its source (vectorize shortlist).
struct ShortlistSettings {
  std::int64_t best = 0;     // for each source token; 0: any token may stand in a translation
  std::int64_t first = 100;  // for every source
  bool operator==(const ShortlistSettings&) const = default;
};

struct DecodingSettings {
  std::int64_t max_new_tokens = 0;  // 0: the model's length
  double max_length_ratio = 0;      // of new tokens to source tokens; 0: no limit
  std::int64_t min_new_tokens = 0;
  std::int64_t no_repeat_ngram_size = 0;  // 0: any n-gram may be repeated
  std::int64_t num_beams = 1;             // 1: greedy
  double length_penalty = 1;              // alpha
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::power;
  BeamStopping early_stopping = BeamStopping::heuristic;
  ShortlistSettings shortlist = {};
  bool operator==(const DecodingSettings&) const = default;
};

enum class Comparison { near, at_least, at_most };

// One line of the table that ends a run.
struct Expectation {
  std::string metric;  // validation_loss, bleu, ...: the words are in schema.hpp
  double value = 0;
  std::optional<double> tolerance;  // absolute; or one-sided by at_least / at_most
  Comparison compare = Comparison::near;
  std::string source;
  bool operator==(const Expectation&) const = default;
};

struct Recipe {
  std::string name;
  std::uint64_t seed = 1;
  DataSettings data;
  bool shared_tokenizer = false;  // target_tokenizer is source_tokenizer, learned from both columns
  TokenizerSettings source_tokenizer, target_tokenizer;
  TermSettings terms;
  MaskingSettings masking;
  ModelSection model;
  TrainingSettings training;
  DecodingSettings decoding;
  std::vector<Expectation> expected;
  bool operator==(const Recipe&) const = default;
};

namespace schema {
// The rows of a whole recipe, of an expectation and of the section decoding.
void rows(Visitor& visitor, Recipe& recipe);
void rows(Visitor& visitor, Expectation& expectation);
void rows(Visitor& visitor, DecodingSettings& settings);
// The key `kind` of a model section: any of the names of `kinds`.
void kind_row(Visitor& visitor, ModelKinds kinds, std::string& kind);
}  // namespace schema

// Reads a recipe strictly (libcore/FORMATS.md, recipes). Throws UsageError whose message holds up to ten
// lines "path:line:column: what; fix" joined by '\n'. `scale`: where the file has a top-level section
// `quick:` of the same schema and scale is "quick", its keys replace the others. `changes` are keys that the
// command line sets, "training.epochs=3", after that; an error there is "--set training.epochs=3: what; fix".
// The path - is standard input.
Recipe read_recipe(const std::filesystem::path& path, ModelKinds kinds, std::string_view scale,
                   const std::vector<std::string>& changes = {});
// The text of that file, for parse_recipe.
std::string recipe_text(const std::filesystem::path& path);
Recipe parse_recipe(std::string_view text, std::string_view where, ModelKinds kinds, std::string_view scale,
                    const std::vector<std::string>& changes = {});

// The same where the recipe's tokenizers and terms are given by a model, whose recipe is `model`: what the
// document and `changes` do not say of them is as there. `others` gets a line for each key that they say
// otherwise: "source_tokenizer.size: 5000 here, 8000 there".
Recipe parse_recipe_over(const Recipe& model, std::string_view text, std::string_view where, ModelKinds kinds,
                         std::string_view scale, const std::vector<std::string>& changes,
                         std::vector<std::string>& others);

// Puts in the defaults that follow from other keys, of the keys that are read and not said. What is read has
// them already.
void fill_in(Recipe& recipe);
Recipe filled_in(Recipe recipe);

// The resolved recipe as YAML, every key that is read written, in a fixed order: reads back equal.
std::string print_recipe(const Recipe& recipe);

// "training.epochs: 15 here, 20 there", one for each key that differs once defaults are filled in.
std::vector<std::string> differences(const Recipe& here, const Recipe& there);

}  // namespace headwater
