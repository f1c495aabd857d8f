// The rows of everything but models, which say theirs in tasks/.
#include <algorithm>

#include "recipe/recipe.hpp"

namespace headwater::schema {

namespace {

// What a run is steered by, measured on validation data; ModelKind says which kind has which.
const OneOf kMetrics{
    {{"loss", "the mean cross-entropy, in nats; lowest is best"},
     {"accuracy", "the share of what is predicted right; highest is best"},
     {"perplexity", "exp(loss): of translators and language models; lowest is best"},
     {"macro_f1", "the mean of the classes' F1: of classifiers; highest is best"},
     {"roc_auc", "the area under the ROC curve: of classifiers of two classes; highest is best"},
     {"bleu", "of translations of validation_translations sentences (Papineni et al. 2002); highest is best"},
     {"chrf", "of the same translations (Popović 2015); highest is best"}}};

bool is_of_translations(std::string_view metric) { return metric == "bleu" || metric == "chrf"; }

bool has_metric(const ModelSection& model, std::string_view metric) {
  const std::vector<std::string_view>& metrics = model.kind().metrics;
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

// Which programs read a row, where they are not those of its section. `make recipe` runs the stages of
// recipes/stages.mk.
constexpr std::string_view kMake = "make recipe";

void rows(Visitor& v, DataSettings& s, const ModelSection& model) {
  const bool has_columns = !model || !model.kind().columns.empty();
  const When lines{has_columns, "", "models of texts"};
  const bool has_streams = !model || model.kind().reads("data.examples"), is_stream = s.examples != "lines";
  const When streams{has_streams && is_stream, has_streams ? "examples: lines" : "",
                     "examples: blocks and random"};
  v.field("set", &s.set, Text::any,
          "a public data set, which data/prepare-SET.sh prepares; empty: the files are your own");
  v.field("split", &s.split,
          OneOf{{{"fixed", "once for all"}, {"seed", "anew for each seed, in the folder SET-seed-N"}}},
          "how the set was split into training, validation and test",
          When{!s.set.empty(), "data without a set", "public sets"});
  v.field("train", &s.train, PathInData{}, "examples to learn from: lines of columns separated by TABs");
  v.field("validation", &s.validation, PathInData{}, "examples that epochs are chosen by");
  v.field("test", &s.test, PathInData{}, "examples that the finished model is measured on");
  v.field("tokenizer_text", &s.tokenizer_text, PathInData{}, "what tokenizers are learned from",
          Follows{"data.train", s.train}, lines);
  v.field("train_examples", &s.train_examples, Between{0, 1e9, "lines"},
          "so many of the training lines, spread evenly over the file; 0: all", lines);
  v.field("validation_examples", &s.validation_examples, Between{0, 1e9, "lines"}, "the same of validation",
          lines);
  v.field("test_examples", &s.test_examples, Between{0, 1e9, "lines"}, "the same of the test", lines);
  v.field(
      "max_tokens", &s.max_tokens, Between{0, 1e6, "ids"},
      "training and validation examples with a longer side are left out, start and end token counted; below "
      "model.length, to which texts are truncated; 0: none is",
      When{has_columns && !is_stream, is_stream ? "data of one long text" : "", "models of texts"});
  v.field("columns", &s.columns,
          OneOf{{{"source", "the text that the model reads"},
                 {"target", "the text that a translator learns to write"},
                 {"label", "the name of the class that a classifier learns to tell"}}},
          {"what the columns of a line are, from left to right", "make recipe, train, inspect --data"},
          lines);
  v.field("csv_columns", &s.csv_columns, Text::or_number,
          {"where the files are CSV with a header: its names of these columns, or their numbers, in the same "
           "order; empty: TABs separate columns",
           "make recipe, vectorize --csv"},
          lines);
  const bool has_targets = std::find(s.columns.begin(), s.columns.end(), "target") != s.columns.end();
  v.field("summaries", &s.summaries, Anything{},
          {"targets are summaries of their sources: the report scores them with ROUGE, beside the first "
           "sentences of the sources",
           kMake},
          When{has_columns && has_targets, "data without targets", "pairs of source and target"});
  v.field("examples", &s.examples,
          OneOf{{{"lines", "each line is one"},
                 {"blocks",
                  "all lines together are one long text, cut into windows of model.length tokens and "
                  "one more"},
                 {"random",
                  "windows of the same text at places that are drawn anew in every epoch; validation "
                  "has the blocks"}}},
          {"what an example is", "make recipe, train"}, When{has_streams, "", "language models"});
  v.field("stride", &s.stride, Between{0, 1e6, "tokens"},
          {"from the start of one block to that of the next, at most model.length; 0: model.length, so that "
           "every token but the first is predicted once",
           "train"},
          streams);
  v.field("epoch_examples", &s.epoch_examples, Between{0, 4e9, "windows"},
          {"windows of an epoch, after which the model is measured; 0: as many as blocks", "train"},
          When{has_streams && s.examples == "random", has_streams ? "examples: " + s.examples : "",
               "examples: random"});
  v.field(
      "line_ends", &s.line_ends, Anything{},
      {"the end of a line is text too: a token of its own, of tokenizers of bytes", "make recipe (tokenize)"},
      streams);
  v.field("validation_fraction", &s.validation_fraction, Between{0, 0.9, kNoUnit},
          {"share of the training examples that is held out by seed, to validate on", "train"},
          When{s.validation.empty(), "data with validation examples", "data without validation examples"});
}

void rows(Visitor& v, TokenizerSettings& s) {
  v.field("kind", &s.kind,
          OneOf{{{"word", "white space separates tokens"},
                 {"character", "each code point is a token"},
                 {"byte_bpe", "merges of bytes, as GPT-2 has them: no text is unknown (Radford et al. 2019)"},
                 {"bpe", "merges of characters (Sennrich et al. 2016)"},
                 {"wordpiece", "words and marks, cut from the left, ## inside a word (Devlin et al. 2019)"},
                 {"unigram", "the likeliest cut into pieces with probabilities (Kudo 2018)"},
                 {"subword_text_encoder",
                  "what tensorflow-datasets has under this name: words, parts of words, bytes"}}},
          "what a token is");
  v.field("size", &s.size, Between{3, 1e7, "tokens"},
          {"vocabulary V, special tokens included; of words the most frequent ones of the text",
           "make recipe (tokenize), train"});
  v.field("standardize", &s.standardize,
          OneOf{{{"lower_and_strip_punctuation", "both of the next two"},
                 {"lower", "lower case"},
                 {"strip_punctuation", "ASCII punctuation is removed"},
                 {"none", "the text as it is"},
                 {"unicode_punctuation",
                  "lower case, and typographic quotes, dashes and the like are removed with those of ASCII, "
                  "but no decimal point"},
                 {"lower_and_set_off_punctuation",
                  "lower case, `<br />` becomes a space, and a space goes before each ASCII punctuation "
                  "mark, which so begins a word"}}},
          "what is done to a text before it is split, as Keras' TextVectorization does it",
          Follows{"none of subwords, lower_and_strip_punctuation of words and characters",
                  default_standardization(s.kind)});
  v.field("lower", &s.lower,
          OneOf{{{"ascii", "A to Z, as Keras does"}, {"unicode", "the letters of every alphabet"}}},
          "which letters are made lower case");
  v.field("split_punctuation", &s.split_punctuation, Anything{},
          "punctuation characters and symbols are tokens of their own, and joining tokens gives the text "
          "again; with standardize: none it keeps case too",
          When{s.kind == "word", s.kind, "word"});
  v.field("min_frequency", &s.min_frequency, Between{1, 1e9, "occurrences"},
          "a pair is merged that occurs so often",
          When{s.kind == "byte_bpe" || s.kind == "bpe" || s.kind == "wordpiece", s.kind,
               "byte_bpe, bpe and wordpiece"});
  v.field("character_coverage", &s.character_coverage, Between{0.5, 1, kNoUnit},
          "the share of the text's characters that have a piece of their own; the others are unknown",
          When{s.kind == "unigram", s.kind, "unigram"});
  v.field("end_of_word_suffix", &s.end_of_word_suffix, Text::any,
          "what the last token of a word ends with, as `</w>`; empty: ▁ (U+2581) stands for the space "
          "before a word",
          When{s.kind == "bpe", s.kind, "bpe"});
}

void rows(Visitor& v, TermSettings& s) {
  v.field("ngrams", &s.ngrams, Between{1, 10, "tokens"}, "maximum number of tokens in a term");
  v.field("size", &s.size, Between{2, 1e7, "terms"},
          {"number of terms: the most frequent ones, and [UNK] for all others",
           "make recipe (vectorize), train"});
  v.field(
      "output", &s.output,
      OneOf{{{"multi-hot", "1"},
             {"count", "how often it occurs"},
             {"tf-idf", "how often, weighted by inverse document frequency (Sparck Jones 1972)"},
             {"sublinear-tf-idf",
              "1 + ln(how often), weighted so, and each text's numbers divided by their Euclidean norm"}}},
      {"what stands for a term that occurs", "make recipe (vectorize), train"});
}

void rows(Visitor& v, OptimizerSettings& s, const ScheduleSettings& schedule) {
  const auto belongs_to = [&](bool is_read, const char* readers) { return When{is_read, s.kind, readers}; };
  v.field("kind", &s.kind,
          OneOf{{{"rmsprop", "divides by the root of the mean of squared gradients (Hinton 2012)"},
                 {"adam", "means of gradients and of their squares, corrected (Kingma and Ba 2015)"},
                 {"adamw", "adam with decoupled weight decay (Loshchilov and Hutter 2019)"},
                 {"sgd", "stochastic gradient descent, with momentum (Polyak 1964) where that is not 0"}}},
          "the rule by which a gradient changes the weights");
  // What is read depends on what the reader has just put there.
  const bool is_adam = s.kind == "adam" || s.kind == "adamw", is_rmsprop = s.kind == "rmsprop";
  v.field("learning_rate", &s.learning_rate, Between{1e-12, 1000, kNoUnit}, "the rate at the schedule's peak",
          When{schedule.kind != "inverse_square_root", "the schedule inverse_square_root",
               "constant, linear, cosine and step"});
  v.field("rho", &s.rho, Between{0, kBelowOne, kNoUnit}, "decay of the mean of squared gradients, a step",
          belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon_placement", &s.epsilon_placement,
          OneOf{{{"inside", "sqrt(mean + epsilon)"}, {"outside", "sqrt(mean) + epsilon"}}},
          "whether epsilon is added inside the root or to it", belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon", &s.epsilon, Between{1e-30, 1, kNoUnit}, "keeps the denominator away from 0",
          belongs_to(s.kind != "sgd", "rmsprop, adam and adamw"));
  v.field("beta_1", &s.beta_1, Between{0, kBelowOne, kNoUnit}, "decay of the mean of gradients, a step",
          belongs_to(is_adam, "adam and adamw"));
  v.field("beta_2", &s.beta_2, Between{0, kBelowOne, kNoUnit},
          "decay of the mean of squared gradients, a step", belongs_to(is_adam, "adam and adamw"));
  v.field("epsilon_hat", &s.epsilon_hat, Anything{},
          "epsilon is added to the root of the uncorrected second moment (Kingma and Ba 2015, section 2)",
          belongs_to(is_adam, "adam and adamw"));
  v.field("weight_decay", &s.weight_decay, Between{0, 10, kNoUnit},
          "weights shrink by learning rate times this in each step (Loshchilov and Hutter 2019)",
          belongs_to(s.kind == "adamw", "adamw"));
  v.field("weight_decay_of", &s.weight_decay_of,
          OneOf{{{"matrices", "weights of layers; neither norms and biases nor tables of embeddings"},
                 {"all", "every parameter"}}},
          "what weight_decay acts on", belongs_to(s.kind == "adamw", "adamw"));
  v.field(
      "layer_decay", &s.layer_decay, Between{1e-6, 1, kNoUnit},
      "the rate of a layer is so many times that of the layer above, from the head down to the embeddings "
      "(ELECTRA, Clark et al. 2020)");
  v.field("momentum", &s.momentum, Between{0, kBelowOne, kNoUnit},
          "share of the last step that this one goes on with", belongs_to(s.kind == "sgd", "sgd"));
  v.field("global_clipnorm", &s.global_clipnorm, Between{0, 1e9, kNoUnit},
          "a gradient of a larger Euclidean norm is scaled down to it (Pascanu et al. 2013); 0: none is");
}

void rows(Visitor& v, ScheduleSettings& s) {
  const bool falls = s.kind == "cosine" || s.kind == "linear", is_step = s.kind == "step";
  v.field(
      "kind", &s.kind,
      OneOf{{{"constant", "optimizer.learning_rate"},
             {"inverse_square_root",
              "width^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) (Vaswani et al. 2017, section 5.3)"},
             {"cosine", "falls to final_rate at the last step as half a cosine (Loshchilov and Hutter 2017)"},
             {"linear", "falls to final_rate at the last step as a line"},
             {"step", "is multiplied by factor every so many epochs or steps"}}},
      "the learning rate after the warm-up");
  v.field("warmup_steps", &s.warmup_steps, Between{0, 1e9, "steps"},
          "steps in which the rate rises from 0 to its peak, as a line");
  v.field("final_rate", &s.final_rate, Between{0, 1000, kNoUnit},
          "the rate of the last step; of step the lowest there is",
          When{falls || is_step, s.kind, "cosine, linear and step"});
  v.field("factor", &s.factor, Between{1e-6, 1, kNoUnit}, "what the rate is multiplied by",
          When{is_step, s.kind, "step"});
  v.field("every_epochs", &s.every_epochs, Between{0, 1e6, "epochs"},
          "epochs from one multiplication to the next; 0: by every_steps",
          When{is_step && s.every_steps == 0, is_step ? "a schedule with every_steps" : s.kind,
               is_step ? "schedules without it" : "step"});
  v.field("every_steps", &s.every_steps, Between{0, 1e9, "steps"},
          "the same in steps, instead; 0: by every_epochs",
          When{is_step && s.every_epochs == 0, is_step ? "a schedule with every_epochs" : s.kind,
               is_step ? "schedules without it" : "step"});
}

void rows(Visitor& v, CheckpointSettings& s) {
  v.field("every_steps", &s.every_steps, Between{0, 1e9, "steps"},
          "steps from one checkpoint to the next; 0: by every_minutes and at the end of each epoch only");
  v.field(
      "every_minutes", &s.every_minutes, Between{0, 1e6, "minutes"},
      "a checkpoint also after the first step that ends so many minutes after the last one (the model has "
      "the same bits); 0: not by time");
  v.field("every_epochs", &s.every_epochs, Between{1, 1e6, "epochs"},
          "a checkpoint at the end of each so many epochs, of the last and of one that is the best so far");
  v.field("keep", &s.keep, Between{1, 100000, "checkpoints"},
          "how many of the newest checkpoints are kept beside the best; with every_epochs above 1 only those "
          "of its epochs count, and others go when two newer ones are there");
}

void rows(Visitor& v, EarlyStoppingSettings& s, const std::string& best_metric) {
  v.field("metric", &s.metric, kMetrics, "of validation: what must get better",
          Follows{"training.best_metric", best_metric, "loss"},
          When{s.patience > 0, "early stopping without patience", "a patience of 1 or more"});
  v.field("patience", &s.patience, Between{0, 1e6, "epochs"},
          "the run ends after so many epochs in a row without a better value; 0: never");
}

void rows(Visitor& v, SubwordSamplingSettings& s) {
  v.field("dropout", &s.dropout, Between{0, kBelowOne, kNoUnit},
          "of BPE: share of the merges that are passed over (BPE dropout: Provilkov et al. 2020); 0: none");
  v.field(
      "alpha", &s.alpha, Between{0, 1000, kNoUnit},
      "of Unigram: a segmentation is drawn with its probability to this power (Kudo 2018); 0: the best is "
      "taken");
}

void rows(Visitor& v, SampleSettings& s) {
  const When prompts{!s.prompts.empty(), "training without samples.prompts", "training with samples.prompts"};
  v.field("prompts", &s.prompts, Text::required,
          "texts that the model goes on with after each epoch: samples.tsv of the model's directory has a "
          "line for each, the epoch and the text; none: it writes nothing");
  v.field("max_new_tokens", &s.max_new_tokens, Between{1, 1e6, "tokens"},
          "the longest continuation; it ends with the model's positions too", prompts);
  v.field("top_k", &s.top_k, Between{0, 1e7, "tokens"},
          "a token is drawn of the most likely so many (Fan et al. 2018); 0: of all", prompts);
  v.field("temperature", &s.temperature, Between{1e-3, 1000, kNoUnit},
          "what logits are divided by: below 1 likely tokens become likelier", prompts);
}

bool is_translator(const ModelKind& kind) {
  return std::find(kind.columns.begin(), kind.columns.end(), "target") != kind.columns.end();
}

void rows(Visitor& v, TrainingSettings& s, const ModelSection& model) {
  v.field("epochs", &s.epochs, Between{1, 1e6, "epochs"}, "passes over the training examples");
  v.field("max_steps", &s.max_steps, Between{0, 1e9, "steps"},
          "the run ends after so many steps; 0: no limit");
  v.renamed("most_steps", "max_steps");
  v.field("batch_sequences", &s.batch_sequences, Between{1, 1e6, "examples"},
          "size of a batch: examples that one step learns from",
          When{s.batch_tokens == 0, "training with batch_tokens", "training without batch_tokens"});
  v.field("batch_tokens", &s.batch_tokens, Between{0, 1e9, "tokens"},
          "the most tokens of a batch instead, those that a translator reads and those that it predicts "
          "together; examples are taken in the order of the epoch, not by length; 0: by batch_sequences",
          When{!model || !model.kind().columns.empty(), "", "models of texts"});
  v.field("accumulate", &s.accumulate, Between{1, 8, "parts"},
          "the batch is computed in so many parts one after the other, with the memory of one and the same "
          "bits: 1, 2, 4 or 8");
  v.field("init_from", &s.init_from, Text::any,
          "a model directory or checkpoint whose weights the run begins with (fine-tuning), a path from the "
          "folder in which train or make is called, not from the data root; empty: they are drawn");
  v.field("drop", &s.drop, Text::required,
          "patterns of names of parameters that are drawn anew all the same: `[head.*]`",
          When{!s.init_from.empty(), "training without init_from", "training with init_from"});
  v.field("freeze", &s.freeze, Text::required,
          "patterns of names of parameters that keep their values; * stands for any text: `[encoder.*]`");
  v.field("label_smoothing", &s.label_smoothing, kShare,
          "share of the probability that is spread over all classes (Szegedy et al. 2016)");
  const OneOf weight_words{{{"none", "each counts once"},
                            {"balanced",
                             "n / (k · n_c) of n training examples, k labels that occur and n_c "
                             "examples of label c, as scikit-learn has it: all labels weigh alike"}}};
  v.field("class_weights", &s.class_weights, weight_words,
          "how often an example counts in the loss of training, by its label; also a map, as in "
          "`{spam: 4, ham: 0.5}`: from 1e-6 to 1e6, labels that it lacks count once",
          When{!model || model.kind().family == "classifiers", "", "classifiers"});
  v.field("log_every", &s.log_every, Between{1, 1e9, "steps"},
          "steps from one row of log.csv to the next; each epoch's end has one too");
  v.field("best_metric", &s.best_metric, kMetrics,
          "of validation: the epoch that is best by it is the model");
  v.field("validation_translations", &s.validation_translations, Between{0, 1e9, "sentences"},
          "validation sentences, spread evenly, that are translated greedily after each epoch: log.csv and "
          "the table that ends the run have their BLEU and chrF; a number beyond those there are is all",
          Follows{"1000 where bleu or chrf is a metric, else 0: none",
                  is_of_translations(s.best_metric) || is_of_translations(s.early_stopping.metric)
                      ? std::int64_t{1000}
                      : std::int64_t{0}},
          When{!model || has_metric(model, "bleu"), "", "translators"});
  v.field(
      "ema_decay", &s.ema_decay, Between{0, kBelowOne, kNoUnit},
      "of the moving average of the weights (Polyak and Juditsky 1992), a step; the average is what the run "
      "measures and gives; 0: none",
      When{s.average_last == 0, "training with average_last", "training without average_last"});
  v.field(
      "average_last", &s.average_last, Between{0, 1000, "epochs"},
      "the run measures and gives the mean of the weights that the last so many epochs ended with, or of "
      "all there are so far; each costs the memory and the disk of the weights; 0: the weights as they are",
      When{s.ema_decay == 0, "training with ema_decay", "training without ema_decay"});
  v.section("optimizer", "how a gradient changes the weights",
            [&](Visitor& below) { rows(below, s.optimizer, s.schedule); });
  v.section("schedule", "the learning rate, step by step", [&](Visitor& below) { rows(below, s.schedule); });
  v.section("checkpoint", "when the run is saved", [&](Visitor& below) { rows(below, s.checkpoint); });
  v.section("early_stopping", "when the run ends before its epochs are over",
            [&](Visitor& below) { rows(below, s.early_stopping, s.best_metric); });
  if (!model || is_translator(model.kind())) {
    v.section("subword_sampling",
              "random choices of a translator's tokenizers: every epoch cuts the text of its training "
              "examples anew",
              [&](Visitor& below) { rows(below, s.subword_sampling); });
  }
  if (!model || model.kind().reads("training.samples")) {
    v.section("samples", "what a language model writes after each epoch, drawn from the recipe's seed",
              [&](Visitor& below) { rows(below, s.samples); });
  }
}

}  // namespace

void rows(Visitor& v, DecodingSettings& s) {
  v.renamed("most_tokens", "max_new_tokens");
  v.field("max_new_tokens", &s.max_new_tokens, Between{0, 1e6, "tokens"},
          "the longest output, the end token not counted; 0: model.length");
  v.field("max_length_ratio", &s.max_length_ratio, Between{0, 1000, kNoUnit},
          "the longest output for each token of the source; 0: no limit");
  v.field("min_new_tokens", &s.min_new_tokens, Between{0, 1e6, "tokens"},
          "the end token is not chosen before so many others");
  v.field("no_repeat_ngram_size", &s.no_repeat_ngram_size, Between{0, 1000, "tokens"},
          "no sequence of so many tokens occurs twice in an output (Paulus et al. 2018); 0: any may");
  v.field("num_beams", &s.num_beams, Between{1, 256, "hypotheses"},
          "hypotheses that beam search keeps side by side; 1: greedy decoding, the most likely token at each "
          "step");
  const When beams{s.num_beams > 1, "greedy decoding", "num_beams above 1"};
  v.field("length_penalty", &s.length_penalty, Between{-10, 10, kNoUnit},
          "alpha: hypotheses of n tokens, the end token counted, are compared by log-probability divided by "
          "the penalty; above 0 long ones are favoured",
          beams);
  v.field("length_penalty_kind", &s.length_penalty_kind,
          OneOf{{{"power", "n^alpha, as Marian and Hugging Face's library have it"},
                 {"gnmt", "((5 + n) / 6)^alpha (Wu et al. 2016)"}}},
          "the penalty", beams);
  v.field("early_stopping", &s.early_stopping,
          OneOf{{{"heuristic",
                  "when num_beams have ended and no other would be better than the worst of them if it ended "
                  "now (Hugging Face: false)"},
                 {"never", "when no other can become better than those that are given: exact (\"never\")"},
                 {"first", "as soon as num_beams have ended (true)"}}},
          "when the search for a sentence ends", beams);
}

void rows(Visitor& v, Expectation& s) {
  v.field("metric", &s.metric,
          OneOf{{{"parameters", "numbers that are learned"},
                 {"training_loss", "mean loss of the last epoch's steps, with dropout at work"},
                 {"validation_loss", "of the best epoch"},
                 {"validation_accuracy", "of the best epoch"},
                 {"validation_macro_f1", "of the best epoch"},
                 {"validation_roc_auc", "of the best epoch"},
                 {"validation_top5_accuracy", "of the best epoch"},
                 {"validation_bleu", "of the best epoch: of its validation_translations"},
                 {"validation_chrf", "of the best epoch: of its validation_translations"},
                 {"reference_loss", "of the best epoch, over padded positions as the source counts"},
                 {"reference_accuracy", "of the best epoch, over padded positions as the source counts"},
                 {"best_epoch", "its number, from 1"},
                 {"seconds_an_epoch", "mean time of an epoch, in seconds"},
                 {"tokens_a_second", "tokens read and predicted in a second of training"},
                 {"waiting_share", "of the time of training, how much its steps waited for their batches"},
                 {"test_loss", "of the test data"},
                 {"test_accuracy", "of the test data"},
                 {"test_top5_accuracy", "of the test data"},
                 {"test_macro_f1", "of the test data"},
                 {"test_roc_auc", "of the test data"},
                 {"test_perplexity", "of the test data"},
                 {"bleu", "of the test data's translations, from 0 to 100 (Papineni et al. 2002)"},
                 {"chrf", "of the test data's translations, from 0 to 100 (Popović 2015)"}}},
          "the figure");
  v.field("value", &s.value, Between{-1e18, 1e18, kNoUnit}, "what it should be");
  v.field("tolerance", &s.tolerance, Between{0, 1e18, kNoUnit}, "how far it may be away, with compare: near");
  v.field("compare", &s.compare,
          OneOf{{{"near", "within the tolerance"}, {"at_least", "no less"}, {"at_most", "no more"}}},
          "how it is judged");
  v.field("source", &s.source, Text::any, "where the value is from");
}

void kind_row(Visitor& v, ModelKinds kinds, std::string& kind) {
  OneOf names;
  for (const ModelKind* known : kinds) names.words.emplace_back(known->name, known->meaning);
  v.field("kind", &kind, names, "which kind of model");
}

void rows(Visitor& v, Recipe& s) {
  v.field("name", &s.name, Text::required,
          {"the experiment's name: of its folder and in its table", "train, make recipe"},
          Follows{"the file's name"});
  v.field("seed", &s.seed, Anything{},
          {"of everything that is drawn: first weights, the order of examples, dropout, held-out examples",
           "train, make recipe"});
  v.section("data", {"where the examples are and what they hold", kMake},
            [&](Visitor& below) { rows(below, s.data, s.model); });
  v.model("model", {"what is trained", "train, inspect"}, s.model);
  const bool has_sides = !s.model || s.model.kind().reads("target_tokenizer");
  v.field(
      "shared_tokenizer", &s.shared_tokenizer, Anything{},
      {"one tokenizer for both sides, learned from both columns: source_tokenizer says which, and there is "
       "no target_tokenizer",
       "make recipe (tokenize), train"},
      When{has_sides, "", "translators"});
  v.section_of_kinds("source_tokenizer", {"how texts become ids", "make recipe (tokenize)"}, s.model,
                     [&](Visitor& below) { rows(below, s.source_tokenizer); });
  if (!s.shared_tokenizer)
    v.section_of_kinds("target_tokenizer", {"the same of what is to be written", "make recipe (tokenize)"},
                       s.model, [&](Visitor& below) { rows(below, s.target_tokenizer); });
  v.section_of_kinds(
      "terms",
      {"the terms of a bag of words: n-grams of the source tokenizer's tokens", "make recipe (vectorize)"},
      s.model, [&](Visitor& below) { rows(below, s.terms); });
  v.section("training", {"how it is trained", "train"},
            [&](Visitor& below) { rows(below, s.training, s.model); });
  v.section_of_kinds("decoding", {"how the trained model writes", "train, translate"}, s.model,
                     [&](Visitor& below) { rows(below, s.decoding); });
  v.list("expected",
         {"what the run should reach: one line each of the table that ends it", "train, evaluate"},
         s.expected);
}

bool OneOf::has(std::string_view word) const {
  return std::any_of(words.begin(), words.end(), [&](const Word& known) { return known.word == word; });
}

std::vector<std::string_view> OneOf::names() const {
  std::vector<std::string_view> all;
  for (const Word& known : words) all.push_back(known.word);
  return all;
}

}  // namespace headwater::schema

namespace headwater {

bool is_subword_kind(std::string_view kind) { return kind != "word" && kind != "character"; }

std::string default_standardization(std::string_view kind) {
  return is_subword_kind(kind) ? "none" : "lower_and_strip_punctuation";
}

}  // namespace headwater
