// Promise R19: bad recipes are refused with the place and a fix.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "families/registry.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace {

struct BadRecipe {
  const char* text;
  const char* place;  // line:column of the first error
  const char* says;   // a part of the first line
};

const std::vector<BadRecipe> kBadRecipes = {
    // unknown keys
    {"trainin: {}\n", "1:1", "unknown key \"trainin\"; did you mean \"training\"?"},
    {"training:\n  optimizer:\n    learing_rate: 0.1\n", "3:5",
     "unknown key \"learing_rate\" in \"training.optimizer\"; did you mean \"learning_rate\"?"},
    {"model: {widht: 3}\n", "1:9", "did you mean \"width\"?"},
    // A suggestion is near, is read with these settings, is not there already and has no other name now.
    {"nane: x\nmodel: {widt: 3, width: 4}\n", "1:1", "unknown key \"nane\"; did you mean \"name\"?"},
    {"model: {widt: 3, width: 4}\n", "1:9", "unknown key \"widt\" in \"model\" (known: kind, mixing, "},
    {"lr: 3\n", "1:1", "unknown key \"lr\" (known: name, seed"},
    {"sets: 3\n", "1:1", "unknown key \"sets\" (known: name, seed"},
    {"training: {optimizer: {kind: adam, roh: 0.9}}\n", "1:36",
     "unknown key \"roh\" in \"training.optimizer\" (known: kind"},
    {"training: {most_step: 9}\n", "1:12",
     "unknown key \"most_step\" in \"training\" (known: epochs, max_steps, "},
    {"training: {learning_rate: 9}\n", "1:12",
     "unknown key \"learning_rate\" in \"training\" (it belongs to \"training.optimizer\")"},
    {"epochs: 9\n", "1:1", "unknown key \"epochs\" (it belongs to \"training\")"},
    {"quick: {optimizer: {}}\n", "1:9",
     "unknown key \"optimizer\" in \"quick\" (it belongs to \"quick.training\")"},
    {"colour_of_the_sky: blue\n", "1:1", "unknown key \"colour_of_the_sky\" (known: name, seed"},
    {"quick: {quick: {}}\n", "1:9", "unknown key \"quick\" in \"quick\""},
    {"name: \"\xC3\xA9\"\nmodel: {norm: post, \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9: 1, widt: 4}\n", "2:21",
     "unknown key"},
    {"Seed: 1\n", "1:1", "did you mean \"seed\"?"},
    // duplicates
    {"seed: 1\nname: x\nseed: 2\n", "3:1", "duplicate key \"seed\", first in line 1 (remove one)"},
    {"model: {width: 4, width: 4}\n", "1:19", "duplicate key \"width\""},
    {"training:\n  epochs: 1\ntraining:\n  epochs: 2\n", "3:1", "duplicate key \"training\""},
    // types
    {"seed: one\n", "1:7", "seed: wanted a whole number from 0 up, not \"one\""},
    {"seed: -1\n", "1:7", "too small"},
    {"seed: 18446744073709551616\n", "1:7", "too large"},
    {"seed: \"1\"\n", "1:7", "remove the quotes"},
    {"seed: [1]\n", "1:7", "not a list"},
    {"seed: 1.0\n", "1:7", "write it without point and exponent"},
    {"training: {epochs: 1e3}\n", "1:20", "write it without point and exponent"},
    {"seed:\n", "1:1", "seed: no value"},
    {"model: {width: ~}\n", "1:9", "model.width: no value"},
    {"model: 256\n", "1:8", "model: wanted a map, not a number (write key: value below it)"},
    {"model:\n", "1:1", "model: no value"},
    {"name: 5\n", "1:7", "name: wanted a text, not a number \"5\" (put it in quotes)"},
    {"name: true\n", "1:7", "put it in quotes"},
    {"name: {a: b}\n", "1:7", "name: wanted a text, not a map"},
    {"name: \"\"\n", "1:7", "an empty text"},
    {"name: |\n  two\n  lines\n", "1:7", "several lines"},
    {"name: \"a\\x07b\"\n", "1:7", "control character"},
    {"data: {columns: source}\n", "1:17", "wanted a list, not a text (write [source])"},
    {"data: {columns: \"label , source\"}\n", "1:17",
     "wanted a list, not a quoted text (write [label, source])"},
    {"data: {columns: \",\"}\n", "1:17", "wanted a list, not a quoted text (write [source])"},
    {"training: {freeze: [1]}\n", "1:21", "wanted a text, not a number \"1\" (put it in quotes)"},
    {"data: {csv_columns: [1, 1.5]}\n", "1:25", "wanted a text, not a number \"1.5\" (put it in quotes)"},
    {"data: {csv_columns: [1, -1]}\n", "1:25", "put it in quotes"},
    {"data: {csv_columns: [2, \"2\"]}\n", "1:25", "\"2\" stands twice"},
    {"data: {columns: []}\n", "1:17", "an empty list (known: source, target, label)"},
    {"expected: 3\n", "1:11", "wanted a list, not a number"},
    {"expected:\n  - 3\n", "2:5", "expected[0]: wanted a map"},
    // keys that do not go together
    {"source_tokenizer: {split_punctuation: true}\n", "1:39",
     "source_tokenizer.split_punctuation: standardize: lower_and_strip_punctuation strips what is to be "
     "split "
     "(write standardize: none, or lower)"},
    {"target_tokenizer: {kind: character, split_punctuation: true}\n", "1:56",
     "target_tokenizer.split_punctuation: character does not read it (it belongs to word; remove it)"},
    {"source_tokenizer: {user_defined_symbols: [<br>, \"\"]}\n", "1:49", "empty"},
    {"source_tokenizer: {user_defined_symbols: <br>}\n", "1:42", "wanted a list"},
    {"source_tokenizer: {kind: subword_text_encoder, user_defined_symbols: [x]}\n", "1:70",
     "source_tokenizer.user_defined_symbols: subword_text_encoder does not read it"},
    {"target_tokenizer: {kind: bpe, end_of_word_suffix: </w>, user_defined_symbols: [x]}\n", "1:79",
     "target_tokenizer.user_defined_symbols: end_of_word_suffix does not read it"},
    {"data: {set: -h}\n", "1:13", "\"-h\" is no name of a set"},
    {"data: {set: --help}\n", "1:13", "\"--help\" is no name of a set"},
    {"decoding: {min_new_tokens: 5, max_new_tokens: 4}\n", "1:28", "5 is above max_new_tokens, 4"},
    // numbers that YAML readers bend
    {"model: {width: 010}\n", "1:16", "leave out the leading zeros"},
    {"model: {width: 0x1F}\n", "1:16", "write it in decimal"},
    {"model: {width: 1_000}\n", "1:16", "without separators"},
    {"model: {width: 1,000}\n", "1:18", "key"},
    {"model: {norm_epsilon: .inf}\n", "1:23", "finite number"},
    {"model: {norm_epsilon: .nan}\n", "1:23", "finite number"},
    {"model: {norm_epsilon: 1e-3x}\n", "1:23", "wanted a number, not \"1e-3x\""},
    {"model: {norm_epsilon: .5}\n", "1:23", "write 0 before the point"},
    {"model: {norm_epsilon: 1e999}\n", "1:23", "beyond what a double can hold"},
    {"model: {width: +5}\n", "1:16", "leave out the plus sign"},
    {"model: {scale_embedding: yes}\n", "1:26", "write true or false"},
    {"model: {scale_embedding: True}\n", "1:26", "write true or false"},
    {"model: {scale_embedding: 1}\n", "1:26", "write true or false"},
    // ranges
    {"model: {width: 0}\n", "1:16", "model.width: 0 is out of range (from 1 to 65536)"},
    {"model: {dropout: 1.5}\n", "1:18", "model.dropout: 1.5 is out of range (from 0 to 0.99)"},
    {"model: {dropout: -0.1}\n", "1:18", "out of range"},
    {"training: {epochs: 0}\n", "1:20", "out of range"},
    {"training: {optimizer: {learning_rate: 0}}\n", "1:39", "out of range"},
    {"training: {optimizer: {beta_1: 1}}\n", "1:32", "out of range"},
    {"data: {validation_fraction: 1}\n", "1:29", "out of range"},
    {"source_tokenizer: {size: 2}\n", "1:26", "out of range"},
    {"training: {checkpoint: {keep: 0}}\n", "1:31", "out of range"},
    // words
    {"model: {norm: middle}\n", "1:15", "unknown value \"middle\" (known: post, pre)"},
    {"model: {norm: 0}\n", "1:15", "model.norm: unknown value \"0\" (known: post, pre)"},
    {"model: {norm: [pre]}\n", "1:15", "model.norm: wanted a word, not a list (known: post, pre)"},
    {"decoding: {early_stopping: true}\n", "1:28",
     "decoding.early_stopping: unknown value \"true\" (known: "},
    {"data: {columns: [1]}\n", "1:18", "data.columns: unknown value \"1\" (known: "},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {best_metric: blue}\n", "3:25",
     "unknown value \"blue\" (known: loss, accuracy, "},
    {"training: {optimizer: {kind: adamW}}\n", "1:30", "unknown value \"adamW\"; did you mean \"adamw\"?"},
    {"training: {optimizer: {kind: adamww}}\n", "1:30", "did you mean \"adamw\"?"},
    {"data: {columns: [source, traget]}\n", "1:26", "did you mean \"target\"?"},
    {"data: {columns: [source, source]}\n", "1:26", "stands twice"},
    // paths
    {"data: {train: /etc/passwd}\n", "1:15", "is absolute"},
    {"data: {train: a/../../b}\n", "1:15", "leaves the data root"},
    {"data: {train: ~/x}\n", "1:15", "begins with ~"},
    {"data: {train: \"https://example.org/x\"}\n", "1:15", "remote address"},
    {"data: {train: $HOME/x}\n", "1:15", "character of the shell"},
    {"data: {train: \"|cat x\"}\n", "1:15", "character of the shell"},
    // what holds between keys
    {"source_tokenizer: {size: 99}\nmodel: {share_embeddings: all}\n", "2:27",
     "all: source_tokenizer.size is 99, target_tokenizer.size 15000: one table needs one vocabulary"},
    {"model: {share_embeddings: both}\n", "1:27", "both"},
    {"model: {width: 10, heads: 3}\n", "1:27", "3 heads do not divide the width 10"},
    {"model:\n  positions: sinusoidal\n  width: 33\n  heads: 1\n", "3:10", "need an even width"},
    {"training:\n  schedule: {kind: inverse_square_root}\n", "2:20", "needs warmup_steps"},
    {"training: {optimizer: {kind: adam, rho: 0.95}}\n", "1:41",
     "adam does not read it (it belongs to rmsprop"},
    {"training: {optimizer: {kind: adam, weight_decay: 0.1}}\n", "1:50", "it belongs to adamw"},
    {"training: {optimizer: {kind: sgd, epsilon: 1.0e-3}}\n", "1:44", "sgd does not read it"},
    {"training: {optimizer: {momentum: 0.9}}\n", "1:34", "rmsprop does not read it (it belongs to sgd"},
    {"data: {columns: [source]}\n", "1:17", "reads source and target"},
    {"data: {columns: [source, label], test: t, test_orders: [backwards]}\nmodel: {kind: classifier}\n",
     "1:56", "data.test_orders: unknown order \"backwards\" (known: reversed, shuffled)"},
    {"data: {columns: [source, label], test: t, test_orders: [reversed, reversed]}\nmodel: {kind: "
     "classifier}\n",
     "1:67", "data.test_orders: \"reversed\" stands twice (remove one)"},
    {"data: {columns: [source, label], test_orders: [reversed]}\nmodel: {kind: classifier}\n", "1:47",
     "data.test_orders: data without test examples does not read it (it belongs to classifiers of single "
     "texts with test examples; remove it)"},
    {"data: {columns: [source, label], test: t, test_orders: [reversed]}\nmodel: {kind: bag_of_words}\n",
     "1:56", "data.test_orders: a bag_of_words does not read it"},
    {"data: {columns: [source, target, label], test: t, test_orders: [reversed]}\n"
     "model: {kind: classifier, pairs: true}\n",
     "1:64", "data.test_orders: data of pairs does not read it"},
    {"training: {class_weights: balanced}\n", "1:27",
     "an encoder_decoder does not read it (it belongs to classifiers"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {class_weights: balance}\n",
     "3:27", "unknown value \"balance\"; did you mean \"balanced\"?"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {class_weights: {a: 0}}\n",
     "3:28", "training.class_weights.a: 0 is out of range (from 1e-06 to 1e+06)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {class_weights: {\"a\": 0}}\n",
     "3:28", "training.class_weights.a: 0 is out of range"},
    {"training: {\"epochs\": 3}\n", "1:12", "a key in quotes, \"epochs\" (remove the quotes)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {class_weights: {}}\n", "3:27",
     "no labels"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {class_weights: {a: x}}\n",
     "3:28", "wanted a number"},
    {"data: {csv_columns: [text]}\n", "1:21", "1 names for the 2 columns source, target (write one for each"},
    {"data: {csv_columns: [text, \"\"]}\n", "1:28", "empty"},
    {"model: {kind: classifier}\n", "1:1", "data.columns: a classifier reads source and label"},
    {"model: {pooling: first}\n", "1:18", "an encoder_decoder does not read it (it belongs to classifier"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, decoder_layers: 2}\n", "2:43",
     "a classifier does not read it (it belongs to encoder_decoder; remove it)"},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words, heads: 2}\n", "2:36",
     "a bag_of_words does not read it (it belongs to encoder_decoder, classifier, language_model, vision, "
     "text_encoder and masked_lm; remove it)"},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words, haeds: 2}\n", "2:29",
     "unknown key \"haeds\" in \"model\""},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words, heads: many}\n", "2:36",
     "a bag_of_words does not read it"},
    {"model: {kind: decoder_only}\n", "1:15",
     "unknown value \"decoder_only\" (known: encoder_decoder, classifier, bag_of_words, "
     "language_model, vision, text_encoder, masked_lm, linear)"},
    {"model: {kind: clasifier}\n", "1:15", "did you mean \"classifier\"?"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: fourier, heads: 2}\n", "2:51",
     "a classifier with mixing: fourier does not read it"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing_width: 2}\n", "2:41",
     "it belongs to classifier with mixing: mlp"},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words, positions: none}\n", "2:40",
     "a bag_of_words does not read it"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\nterms: {ngrams: 2}\n", "3:1",
     "terms: a classifier does not read it (it belongs to bag_of_words"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, head: sigmoid, classes: 3}\n", "2:51",
     "a sigmoid head tells two classes apart, not 3 (write head: softmax)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, classes: 1}\n", "2:36",
     "one class is nothing to tell apart (remove it: classes are as many as labels)"},
    {"data: {columns: [source, label], test: a.tsv, test_fraction: 0.1}\nmodel: {kind: classifier}\n", "1:62",
     "data with test examples does not read it (it belongs to models of texts without test examples"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, classes: 2}\ntraining: {label_smoothing: "
     "0.1}\n",
     "3:29", "a sigmoid head learns without it"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: fourier, padding: pooled}\n",
     "2:53", "model.padding: pooled is for mixing: attention or plain_attention (write attended, or none"},
    {"data: {columns: [source, target, label]}\nmodel: {kind: classifier, pairs: true}\n", "2:34",
     "model.pairs: the tokenizer's template joins the texts (write special_tokens: template)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, special_tokens: template, pairs: true}\n",
     "1:17",
     "data.columns: a classifier with these settings reads source, target and label (write [source, target, "
     "label])"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, pooler_activation: relu}\n", "2:46",
     "model.pooler_activation: there is no pooler that it follows (write pooler: true)"},
    {"model: {kind: classifier, keeps_padding: true}\n", "1:27",
     "model.keeps_padding: is called otherwise now (write padding: attended)"},
    {"model: {kind: classifier, keeps_padding: false, pools_padding: true}\n", "1:49",
     "model.pools_padding: is called otherwise now (write padding: pooled)"},
    {"model: {pools_padding: true}\n", "1:24",
     "an encoder_decoder does not read it (it belongs to classifier; remove it)"},
    {"model: {kind: classifier, padding: kept}\n", "1:36",
     "unknown value \"kept\" (known: none, attended, pooled)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: convolution, kernel_size: 4}\n",
     "2:61", "model.kernel_size: an even kernel has no middle (write 5)"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: convolution, kernel_size: 2}\n",
     "2:65", "model.kernel_size: an even kernel has no middle (write 3)"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: convolution, attention_window: 2}\n",
     "2:70",
     "a language_model with mixing: convolution does not read it (it belongs to language_model with mixing: "
     "attention or plain_attention; remove it)"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: plain_attention, head_width: 8}\n",
     "2:68", "model.head_width: plain_attention has heads that share the width (write 32)"},
    {"model: {mixing: plain_attention, width: 8, heads: 3, head_width: 2}\n", "1:66",
     "model.head_width: plain_attention has heads that share the width (choose heads that divide the width)"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: convolution, positions: rotary}\n",
     "2:63", "model.positions: rotary positions are of attention, which this model has not (write learned)"},
    {"model: {mixing: gru, heads: 2}\n", "1:29",
     "an encoder_decoder with mixing: gru does not read it (it belongs to"},
    {"model: {embedding_width: 2}\n", "1:26",
     "an encoder_decoder with mixing: attention does not read it (it belongs to encoder_decoder with mixing: "
     "gru"},
    {"model: {mixing: gru, embedding_width: 2, share_embeddings: all}\n", "1:39",
     "model.embedding_width: share_embeddings: all needs embeddings as wide as the model (write 256)"},
    {"model: {mixing: lstm}\n", "1:17",
     "unknown value \"lstm\" (known: attention, plain_attention, convolution, ssru, gru)"},
    {"model: {mixing: convolution, attention_window: 2}\n", "1:48",
     "model.attention_window: an encoder_decoder with mixing: convolution does not read it (it belongs to "
     "encoder_decoder with mixing: attention or plain_attention;"},
    {"model: {length: 70000, attention_dropout: 0.1}\n", "1:43",
     "model.attention_dropout: is for lengths of at most 65536 (write 0)"},
    {"model: {mixing: convolution, positions: rotary}\n", "1:41",
     "model.positions: rotary positions are of self-attention, not of mixing: convolution (write learned)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, padding: pooled, attention_window: 2}\n",
     "2:62",
     "model.attention_window: is for padding: none or attended (remove it: padding that is pooled only has "
     "no "
     "place among keys)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: lstm, heads: 2}\n", "2:48",
     "a classifier with mixing: lstm does not read it (it belongs to classifier with mixing: attention or "
     "plain_attention; remove it)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: gru, norm: pre}\n", "2:46",
     "a classifier with mixing: gru does not read it (it belongs to blocks with a feed-forward; remove it)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: mlp, bidirectional: true}\n",
     "2:55",
     "a classifier with mixing: mlp does not read it (it belongs to classifier with mixing: lstm or gru"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: lstm, reset_after: false}\n",
     "2:54", "it belongs to classifier with mixing: gru"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: lstm, positions: rotary}\n", "2:52",
     "rotary positions are of attention, which this model has not"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, mixing: lstm, bidirectional: true, "
     "pooling: "
     "last}\n",
     "2:71", "the layer that reads from the end has read nothing else at the last token (write max or mean)"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: lstm, bidirectional: true}\n", "2:60",
     "a language_model does not read it (it belongs to encoder_decoder, classifier"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, mixing: mlp}\n", "2:39",
     "unknown value \"mlp\" (known: attention, plain_attention, convolution, ssru, lstm, gru)"},
    {"model: {kind: vision, mixing: convolution}\n", "1:1",
     "model.pooling: a class token is no patch of an image, which a convolution goes over (write mean or "
     "flatten)"},
    {"model: {kind: vision, mixing: averaged_attention, width: 8, heads: 2, head_width: 4}\n", "1:83",
     "model.head_width: averaged_attention has heads as wide as the model (write 8)"},
    {"model: {kind: vision, patch_size: 29}\n", "1:35",
     "model.patch_size: a patch of 29 pixels is larger than the image"},
    {"model: {kind: classifier, mixing: fnet}\n", "1:35",
     "unknown value \"fnet\" (known: attention, plain_attention, fourier, mlp, convolution, lstm, gru)"},
    {"training: {early_stopping: {metric: accuracy}}\n", "1:37",
     "early stopping without patience does not read it (it belongs to a patience of 1 or more; remove it)"},
    {"data: {validation: v.tsv, validation_fraction: 0.2}\n", "1:48",
     "data with validation examples does not read it (it belongs to data without validation examples; remove "
     "it)"},
    {"training: {early_stopping: {patience: -1}}\n", "1:39", "out of range"},
    {"training: {accumulate: 16}\n", "1:24", "out of range"},
    {"training: {batch_tokens: -1}\n", "1:26", "out of range"},
    {"training: {batch_tokens: 4000, batch_sequences: 32}\n", "1:49",
     "training.batch_sequences: training with batch_tokens does not read it"},
    {"training: {average_last: 2, ema_decay: 0.9}\n", "1:26",
     "training.average_last: training with ema_decay does not read it"},
    {"training: {validation_translations: 1.5}\n", "1:37", "without point"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {validation_translations: 9}\n",
     "3:37", "training.validation_translations: a classifier does not read it (it belongs to translators"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {best_metric: bleu}\n", "3:25",
     "training.best_metric: bleu is of an encoder_decoder"},
    {"training: {checkpoint: {every_epochs: 0}}\n", "1:39", "out of range"},
    {"training: {schedule: {kind: step}}\n", "1:29", "step needs every_epochs or every_steps"},
    {"training: {schedule: {kind: step, every_epochs: 2, every_steps: 9}}\n", "1:49",
     "a schedule with every_steps does not read it"},
    {"training: {schedule: {kind: step, every_epochs: 2, factor: 2}}\n", "1:60", "out of range"},
    {"training: {schedule: {kind: cosine, every_epochs: 2}}\n", "1:51",
     "training.schedule.every_epochs: cosine does not read it (it belongs to step"},
    {"training: {accumulate: 3}\n", "1:24",
     "a batch cannot be computed in 3 equal parts (write 1, 2, 4 or 8)"},
    {"training: {unfreeze: {every_epochs: 1, every_steps: 5}}\n", "1:37",
     "training.unfreeze.every_epochs: unfreezing with every_steps does not read it (it belongs to unfreezing "
     "without every_steps; remove it)"},
    {"training: {freeze: encoder}\n", "1:20", "wanted a list, not a text (write [encoder])"},
    {"training: {freeze: [\"\"]}\n", "1:21", "an empty text (write one)"},
    {"training: {freeze: [\"a*\", \"a*\"]}\n", "1:27", "stands twice (remove one)"},
    {"training: {optimizer: {layer_decay: 1.5}}\n", "1:37", "out of range"},
    {"training: {optimizer: {kind: adam, weight_decay_of: all}}\n", "1:53", "adam does not read it"},
    {"training: {r_drop: -1}\n", "1:20", "out of range"},
    {"model: {dropout: 0}\ntraining: {r_drop: 5}\n", "2:20",
     "training.r_drop: without dropout both passes are one (give model.dropout, or remove r_drop)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier}\ntraining: {r_drop: 5}\n", "3:20",
     "training.r_drop: a classifier does not read it (it belongs to translators"},
    {"training: {subword_sampling: {dropout: 1}}\n", "1:40", "out of range"},
    {"training: {subword_sampling: {alpha: -0.5}}\n", "1:38", "out of range"},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words}\ntraining: {subword_sampling: {alpha: "
     "1}}\n",
     "3:12", "unknown key \"subword_sampling\""},
    {"data: {columns: [source]}\nmodel: {kind: language_model}\ntraining: {samples: {top_k: 3}}\n", "3:29",
     "training.samples.top_k: training without samples.prompts does not read it"},
    {"data: {columns: [source]}\nmodel: {kind: language_model}\ntraining: {samples: {prompts: [a], "
     "temperature: 0}}\n",
     "3:49", "out of range"},
    {"training: {samples: {prompts: [a]}}\n", "1:12", "unknown key \"samples\""},
    {"data: {columns: [source], stride: 3}\nmodel: {kind: language_model}\n", "1:35",
     "data.stride: examples: lines does not read it (it belongs to examples: blocks and random; remove it)"},
    {"data: {columns: [source], examples: blocks, epoch_examples: 3}\nmodel: {kind: language_model}\n",
     "1:61",
     "data.epoch_examples: examples: blocks does not read it (it belongs to examples: random; remove it)"},
    {"data: {columns: [source], examples: blocks, stride: 21}\nmodel: {kind: language_model}\n", "1:53",
     "data.stride: 21 is more than model.length, 20: tokens would be left out"},
    {"data: {columns: [source], examples: blocks}\nmodel: {kind: language_model}\ntraining: {batch_tokens: "
     "100}\n",
     "3:26", "windows of a long text have all the same length (write batch_sequences)"},
    {"data: {columns: [source, target], examples: blocks}\nmodel: {kind: language_model, delimiter: "
     "\"[SEP]\"}\n",
     "1:45", "data.examples: texts in two columns are lines (write examples: lines)"},
    {"data: {columns: [source], examples: blocks}\nmodel: {kind: language_model, padding: predicted}\n",
     "2:40", "model.padding: predicted is for data.examples: lines (write none: a stream has no gaps)"},
    {"data: {columns: [source, target]}\nmodel: {kind: language_model, padding: predicted, delimiter: "
     "\"[SEP]\"}\n",
     "2:40", "model.padding: predicted is for one column of texts (write none: a target ends with [END])"},
    {"data: {columns: [source]}\nmodel: {kind: language_model, padding: predicted}\ntraining: {batch_tokens: "
     "100}\n",
     "3:26", "training.batch_tokens: counts no padding, which is computed here (write batch_sequences)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, padding: attended}\ntraining: "
     "{batch_tokens: "
     "100}\n",
     "3:26", "training.batch_tokens: counts no padding, which is computed here (write batch_sequences)"},
    {"model: {kind: language_model, padding: attended}\n", "1:40",
     "unknown value \"attended\" (known: none, predicted)"},
    {"data: {examples: blocks}\n", "1:18",
     "data.examples: an encoder_decoder does not read it (it belongs to language models; remove it)"},
    {"data: {columns: [source]}\nmodel: {kind: masked_lm}\nmasking: {mask_share: 0.75, random_share: 0.3}\n",
     "3:43", "masking.random_share: is more than mask_share leaves (write 0.25 or less)"},
    {"data: {columns: [source]}\nmodel: {kind: masked_lm}\nmasking: {longest_span: 3}\n", "3:25",
     "masking.longest_span: unit: token does not read it (it belongs to unit: span; remove it)"},
    {"training: {ema_decay: 1}\n", "1:23", "out of range"},
    {"training: {best_metric: auc}\n", "1:25", "unknown value \"auc\" (known: loss, accuracy, perplexity, "},
    {"training: {early_stopping: {metric: macro_f2}}\n", "1:37",
     "unknown value \"macro_f2\" (known: loss, accuracy, perplexity, bleu, chrf)"},
    {"training: {best_metric: macro_f1}\n", "1:25",
     "training.best_metric: macro_f1 is of classifiers, an encoder_decoder has loss, accuracy, "
     "perplexity, bleu and chrf"},
    {"training: {early_stopping: {metric: roc_auc, patience: 2}}\n", "1:37",
     "training.early_stopping.metric: roc_auc is of classifiers"},
    {"data: {columns: [source, label]}\nmodel: {kind: bag_of_words}\ntraining: {best_metric: perplexity}\n",
     "3:25",
     "perplexity is of an encoder_decoder, a language_model and a masked_lm, a bag_of_words has loss, "
     "accuracy, "},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, head: softmax, classes: 3}\n"
     "training: {early_stopping: {patience: 2, metric: roc_auc}}\n",
     "3:50", "roc_auc is of two classes, not 3 (write loss, accuracy or macro_f1)"},
    {"data: {columns: [source, label]}\nmodel: {kind: classifier, classes: 5}\n"
     "training: {best_metric: top5_accuracy}\n",
     "3:25", "top5_accuracy is of more than 5 classes, not 5 (write loss, accuracy or macro_f1)"},
    {"quick: {model: {heads: 7}}\n", "1:24", "7 heads do not divide the width 256"},
    {"quick: {model: {widht: 7}}\n", "1:17", "unknown key \"widht\" in \"quick.model\""},
    {"quick: 5\n", "1:8", "quick: wanted a map"},
    {"expected:\n  - {value: 1, tolerance: 0}\n", "2:5", "no metric"},
    {"expected:\n  - {metric: bleu, tolerance: 0}\n", "2:5", "no value"},
    {"expected:\n  - {metric: bleu, value: 1}\n", "2:5", "no tolerance"},
    {"expected:\n  - {metric: valid_loss, value: 1, tolerance: 0}\n", "2:14",
     "unknown value \"valid_loss\" (known: parameters"},
    {"expected:\n  - {metric: blue, value: 1, tolerance: 0}\n", "2:14", "did you mean \"bleu\"?"},
    {"expected:\n  - {metric: bleu, value: 1, compare: at_most, tolerance: 1}\n", "2:5",
     "a tolerance beside compare"},
    // YAML's deep water
    {"name: &x y\n", "1:7", "an anchor with &"},
    {"name: *x\n", "1:7", "not valid YAML"},
    {"a: &a [*a]\n", "1:4", "an anchor with &"},
    {"x: &b {k: v}\nmodel:\n  <<: *b\n", "1:4", "an anchor with &"},
    {"model:\n  <<: {width: 3}\n", "2:3", "a merge with <<"},
    {"name: !!str 5\n", "1:7", "a tag"},
    {"model: !!map {width: 3}\n", "1:8", "a tag"},
    {"name: !foo 5\n", "1:7", "a tag"},
    {"name: a\n---\nname: b\n", "2:1", "a second document"},
    {"%YAML 1.2\n---\nname: a\n", "1:1", "a YAML directive"},
    {"? name\n: x\n", "1:1", "a complex key"},
    {"\"name\": x\n", "1:1", "a key in quotes"},
    {"{[a]: b}\n", "1:2", "a key that is a list or map"},
    {"name: [a\n", "2:1", "not valid YAML"},
    {"name: x: y\n", "1:8", "not valid YAML"},
    {"model:\n\twidth: 3\n", "2:1", "a tab in the indentation"},
    {"model:\n  width: 3\n \theads: 2\n", "3:2", "a tab in the indentation"},
    {"name: \"unfinished\n", "1:7", "a quote that is not closed"},
    {"model:\n  norm: 'post\n  width: 3\n", "2:9", "a quote that is not closed"},
    {"naseedme: \"a\\", "1:14", "a quote that is not closed"},
    {"name: \"\\q\"\n", "1:10", "not valid YAML: unknown escape character: q (look at the indentation"},
    {"- name\n", "1:1", "wanted a map at the top, not a list"},
    {"just a text\n", "1:1", "wanted a map at the top, not a text"},
    {"", "1:1", "an empty recipe"},
    {"# nothing\n\n", "1:1", "an empty recipe"},
    {"--- \n", "1:1", "an empty recipe"},
    // bytes
    {"\xEF\xBB\xBFname: x\n", "1:1", "a byte order mark"},
    {"name: caf\xE9\n", "1:10", "invalid UTF-8"},
    {"\xC3\xA9: 1\nname: \xC3\xA9\xED\xA0\x80\n", "2:8", "invalid UTF-8"},
    {"name: a\x01z\n", "1:8", "a control character"},
    {"name: a\rmodel: 3\n", "1:8", "a carriage return"},
};

// "where:line:column: lower-case text", one line, no full stop.
void check_grammar(const std::string& line) {
  INFO(line);
  CHECK(line.starts_with("bad.yaml:"));
  CHECK(line.back() != '.');
  for (const char c : line) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

std::string message_of(const std::string& text, const char* scale = "full") {
  try {
    parse_recipe(text, "bad.yaml", scale);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("bad recipes are refused with line, column and fix") {
  CHECK(kBadRecipes.size() >= 60);
  for (const BadRecipe& bad : kBadRecipes) {
    const std::string message = message_of(bad.text);
    INFO(std::string(bad.text));
    INFO(message);
    const std::string first = message.substr(0, message.find('\n'));
    CHECK(first.starts_with(std::string("bad.yaml:") + bad.place + ": "));
    CHECK(first.find(bad.says) != std::string::npos);
    for (std::size_t at = 0; at <= message.size();) {
      const std::size_t end = std::min(message.find('\n', at), message.size());
      check_grammar(message.substr(at, end - at));
      at = end + 1;
    }
    // A part of the file is wrong whichever scale is asked for.
    CHECK(message_of(bad.text, "quick") == message);
  }
}

TEST_CASE("NUL, size, depth, number of values") {
  using namespace std::string_literals;
  CHECK(message_of("name: a\0b\n"s) == "bad.yaml:1:8: a NUL byte (is this a text file?)");
  CHECK(message_of("name: " + std::string(1 << 20, 'a')).find("more than 1 MiB") != std::string::npos);
  for (const char* open : {"[", "{a: ", "- "}) {
    std::string deep = "name: ";
    if (open[0] == '-') deep = "name:\n";
    for (int i = 0; i < 100000; ++i) deep += open;
    INFO(open);
    CHECK(message_of(deep).find("nested deeper than 64 levels") != std::string::npos);
  }
  std::string stairs;  // block style, one level a line
  for (int i = 0; i < 300; ++i) stairs += std::string(i, ' ') + "a:\n";
  CHECK(message_of(stairs).find("nested deeper than 64 levels") != std::string::npos);
  std::string wide = "expected: [";
  for (int i = 0; i < 20000; ++i) wide += "1,";
  CHECK(message_of(wide + "1]\n").find("more than 10,000 values") != std::string::npos);
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i > 0 ? "," : "") + "*" + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  CHECK(message_of(bomb).starts_with("bad.yaml:1:4: an anchor with &"));
}

TEST_CASE("a text of the recipe cannot drive the terminal") {
  const std::string message = message_of("model: {norm: \"\\e[2J\"}\n");
  INFO(message);
  CHECK(message.find('\x1b') == std::string::npos);
}
