// Recipes to begin with, one for each kind of task. What stands in them is checked as it is by tests.
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "support/descriptors.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

struct Starter {
  std::string_view kind, text;
};

constexpr Starter kStarters[] = {
    {"translation", R"(# What:     a translator of my own texts
# Run:      headwater run THIS.yaml        (--scale quick: a minute, to see that everything is there)
# Files:    beside this one: a pair a line, source, TAB, target. Of two files with as many lines: paste a.txt b.txt > pairs.tsv

data:
  train: pairs.tsv
  columns: [source, target]
  test_fraction: 0.05                 # held out before anything is learned, to be scored; a file of your own: test: test.tsv
  validation_fraction: 0.05           # held out to choose the best epoch by; or validation: validation.tsv
shared_tokenizer: true                # one vocabulary for both languages
source_tokenizer:
  kind: byte_bpe                      # parts of words: no text is unknown
  size: 8000                          # fewer for less text: a thousand for some ten thousand lines
model:
  kind: encoder_decoder
  width: 256
  heads: 4
  feed_forward_width: 1024
  encoder_layers: 3
  decoder_layers: 3
  norm: post                          # this norm, its epsilon and these positions: convert writes it for Hugging Face's Marian
  norm_epsilon: 1.0e-5
  positions: sinusoidal_halves
  scale_embedding: true
  share_embeddings: all
  length: 64                          # tokens; inspect --data pairs.tsv --recipe FILE counts the lines that have more
  dropout: 0.2                        # less for more text
  initialization: vaswani
training:
  epochs: 10
  batch_sequences: 64
  label_smoothing: 0.1
  optimizer: {kind: adam, learning_rate: 1.0e-3, beta_2: 0.98}
  schedule: {kind: cosine, warmup_steps: 400}
quick:                                # what --scale quick replaces
  data: {train_examples: 2000, test_examples: 100}
  source_tokenizer: {size: 1000}
  model: {width: 32, heads: 2, feed_forward_width: 64, encoder_layers: 1, decoder_layers: 1}
  training: {epochs: 1, schedule: {warmup_steps: 10}}
)"},
    {"classification", R"(# What:     a classifier of my own texts
# Run:      headwater run THIS.yaml        (--scale quick: a minute, to see that everything is there)
# Files:    beside this one: a text and its label a line, a TAB between. Of CSV name the header's columns: csv_columns: [Review Text, Rating]

data:
  train: texts.tsv
  columns: [source, label]
  test_fraction: 0.1                  # of each label, held out before anything is learned; a file of your own: test: test.tsv
  validation_fraction: 0.1            # held out to choose the best epoch by; or validation: validation.tsv
source_tokenizer:
  kind: word
  size: 20000
  standardize: lower
  split_punctuation: true             # marks are words, too
model:
  kind: classifier                    # with few labels kind: linear is often better; measure both (recipes/classifier.md)
  width: 64
  heads: 2
  feed_forward_width: 128
  length: 256                         # tokens; inspect --data texts.tsv --recipe FILE counts the texts that have more
  dropout: 0.3
training:
  epochs: 10
  batch_sequences: 32
  best_metric: accuracy               # macro_f1 where some labels are rare, with class_weights: balanced
  optimizer: {kind: adam, learning_rate: 1.0e-3}
  early_stopping: {patience: 2}
quick:                                # what --scale quick replaces
  data: {train_examples: 2000, test_examples: 200}
  source_tokenizer: {size: 2000}
  training: {epochs: 1}
)"},
    {"language-model", R"(# What:     a language model of my own text
# Run:      headwater run THIS.yaml        (--scale quick: a minute, to see that everything is there)
# Files:    beside this one: one long text without TABs (tr '\t' ' '). Where each line is a text of its own: examples: lines, without line_ends

data:
  train: text.txt
  columns: [source]
  examples: blocks                    # all lines are one text
  line_ends: true                     # the end of a line is text, too
  validation_fraction: 0.1            # held out to choose the best epoch by; of a large text better a file: validation: validation.txt
source_tokenizer:
  kind: byte_bpe                      # parts of words; character, without line_ends, for very little text
  size: 2000
model:
  kind: language_model
  width: 192
  heads: 6
  feed_forward_width: 768
  layers: 4
  norm: pre
  norm_epsilon: 1.0e-5
  activation: gelu_tanh
  positions: learned
  tie_embeddings: true
  output_bias: false
  length: 128                         # tokens that it sees at once
  dropout: 0.2                        # less for more text
  initialization: normal
training:
  epochs: 10
  batch_sequences: 16
  optimizer: {kind: adamw, learning_rate: 1.0e-3, beta_2: 0.99, weight_decay: 0.1, global_clipnorm: 1.0}
  schedule: {kind: cosine, warmup_steps: 100, final_rate: 1.0e-4}
quick:                                # what --scale quick replaces
  data: {train_examples: 2000}
  source_tokenizer: {size: 500}
  model: {width: 32, heads: 2, feed_forward_width: 64, layers: 1, length: 32}
  training: {epochs: 1, schedule: {warmup_steps: 10}}
)"},
    {"masked-lm", R"(# What:     a small BERT that reads my own texts, which need no labels
# Run:      headwater run THIS.yaml        (--scale quick: a minute, to see that everything is there)
# Files:    beside this one: a text or document a line, without TABs. A classifier begins with the model: training: {init_from: models/recipes/THIS/model}

data:
  train: texts.txt
  columns: [source]
  validation_fraction: 0.05           # held out to choose the best epoch by; or validation: validation.txt
source_tokenizer:
  kind: wordpiece
  size: 8192
  standardize: lower
masking:
  examples: pieces                    # long texts are read whole, in pieces of model.length tokens
model:
  kind: masked_lm
  width: 128
  heads: 4
  feed_forward_width: 512
  encoder_layers: 4
  length: 128
  norm: post
  norm_epsilon: 1.0e-12
  activation: gelu
  positions: rotary
  segments: 2
  embedding_norm: true
  initialization: vaswani
training:
  epochs: 4
  batch_sequences: 32
  optimizer: {kind: adamw, learning_rate: 1.0e-3, beta_2: 0.98, epsilon: 1.0e-6, weight_decay: 0.01, global_clipnorm: 1.0}
  schedule: {kind: linear, warmup_steps: 500}
quick:                                # what --scale quick replaces
  data: {train_examples: 600}
  source_tokenizer: {size: 500}
  model: {width: 32, heads: 2, feed_forward_width: 64, encoder_layers: 1, length: 64}
  training: {epochs: 1, schedule: {warmup_steps: 10}}
)"},
    {"images", R"(# What:     a classifier of my own images
# Run:      headwater run THIS.yaml        (--scale quick: a minute, to see that everything is there)
# Files:    beside this one, made of a folder that has a folder of images for each label:
#           vectorize --images photos --resize 32x32 -o images.safetensors
#           with a test set: --validation test.safetensors --validation-fraction 0.1, and test: test.safetensors below

data:
  train: images.safetensors
  validation_fraction: 0.1            # held out to choose the best epoch by
model:
  kind: vision
  image_height: 32                    # as the images are (inspect --data images.safetensors)
  image_width: 32
  channels: 3                         # 1 where all images are grey
  patch_size: 4                       # divides both sides
  normalization: standardized         # by the mean and deviation of the training images
  width: 64
  heads: 4
  feed_forward_width: 128
  layers: 4
  norm: pre
  positions: learned
  pooling: class_token
  dropout: 0.1
training:
  epochs: 20
  batch_sequences: 32
  best_metric: accuracy
  optimizer: {kind: adamw, learning_rate: 1.0e-3, weight_decay: 1.0e-4, global_clipnorm: 1.0}
  schedule: {kind: cosine, warmup_steps: 100, final_rate: 1.0e-5}
quick:                                # what --scale quick replaces
  data: {train_examples: 500}
  model: {width: 16, heads: 2, feed_forward_width: 32, layers: 1}
  training: {epochs: 1, schedule: {warmup_steps: 10}}
)"}};

}  // namespace

std::vector<std::string_view> starter_kinds() {
  std::vector<std::string_view> kinds;
  for (const Starter& starter : kStarters) kinds.push_back(starter.kind);
  return kinds;
}

void write_starter(const Options& o) {
  if (o.words.size() > 1)
    throw UsageError("new: " + o.words[0] + " and " + o.words[1] + " are two kinds, expected one of " +
                     alternatives(starter_kinds()));
  if (o.words.empty())
    throw UsageError("new: one of " + alternatives(starter_kinds()) + " (headwater new KIND)");
  for (const Starter& starter : kStarters) {
    if (starter.kind != o.words.front()) continue;
    if (o.output.empty() || o.output == "-") {
      cli::LineWriter out;
      out.text(starter.text);
      out.flush();
      return;
    }
    // No other name with an ending is that of a recipe (is_recipe).
    if (const std::string ending = o.output.extension().string(); !ending.empty() && ending != ".yaml")
      throw UsageError("new: -o " + shown(o.output) + ": ends in " + ending +
                       ", where a recipe is written (name FILE.yaml)");
    // A recipe that somebody has edited is not to be lost.
    if (descriptor_of_link(o.output) >= 0) return cli::write_result_file(o.output, starter.text);
    if (is_taken(o.output))
      throw Error(o.output.string() + ": is there already (take another name, or remove it)");
    std::string text(starter.text);
    const std::string_view kThis = "THIS.yaml";
    if (const std::size_t at = text.find(kThis); at != std::string::npos)
      text.replace(at, kThis.size(), o.output.filename().string());
    return cli::write_result_file(o.output, text);
  }
  throw UsageError("new: " + unknown_word("kind", o.words.front(), starter_kinds()));
}

}  // namespace headwater::front
