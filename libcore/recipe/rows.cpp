// The rows of everything but models, which say theirs in tasks/.
#include "recipe/recipe.hpp"

namespace headwater::schema {

namespace {

// What a run is steered by, measured on validation data; ModelKind says which kind has which.
const OneOf kMetrics{{"loss", "accuracy", "perplexity", "macro_f1", "roc_auc"}};

void rows(Visitor& v, DataSettings& s, const ModelSection& model) {
  const bool has_columns = !model || !model.kind().columns.empty();
  const When lines{has_columns, "", "models of texts"};
  v.field("set", &s.set, Text::any,
          "a public data set, which data/prepare-SET.sh prepares; empty: the files are your own");
  v.field("split", &s.split, OneOf{{"fixed", "seed"}},
          "how the set was split: once for all, or anew for each seed (in the folder SET-seed-N)",
          When{!s.set.empty(), "data without a set", "public sets"});
  v.field("train", &s.train, PathInData{}, "examples to learn from: lines of columns separated by TABs");
  v.field("validation", &s.validation, PathInData{}, "examples that epochs are chosen by");
  v.field("test", &s.test, PathInData{}, "examples that the finished model is measured on");
  v.field("tokenizer_text", &s.tokenizer_text, PathInData{}, "what tokenizers are learned from; empty: train",
          lines);
  v.field("train_examples", &s.train_examples, Between{0, 1e9},
          "so many of the training lines, spread evenly over the file; 0: all", lines);
  v.field("validation_examples", &s.validation_examples, Between{0, 1e9}, "the same of validation", lines);
  v.field("test_examples", &s.test_examples, Between{0, 1e9}, "the same of the test", lines);
  v.field("columns", &s.columns, OneOf{{"source", "target", "label"}}, "what the columns of a line are",
          lines);
  v.field("validation_fraction", &s.validation_fraction, Between{0, 0.9},
          "share of the examples that is held out by seed where there is no validation data",
          When{s.validation.empty(), "data with validation examples", "data without"});
}

void rows(Visitor& v, TokenizerSettings& s) {
  v.field("kind", &s.kind, OneOf{{"word", "character"}},
          "word: white space separates tokens; character: each code point is one");
  v.field("size", &s.size, Between{3, 1e7}, "vocabulary V, special tokens included");
  v.field("standardize", &s.standardize,
          OneOf{{"lower_and_strip_punctuation", "lower", "strip_punctuation", "none"}},
          "what is done to a text before it is split, as Keras' TextVectorization does it");
  v.field("lower", &s.lower, OneOf{{"ascii", "unicode"}}, "which letters are made lower case: A-Z, or all");
}

void rows(Visitor& v, TermSettings& s) {
  v.field("ngrams", &s.ngrams, Between{1, 10}, "maximum number of tokens in a term");
  v.field("size", &s.size, Between{2, 1e7}, "number of terms, [UNK] for all others included");
  v.field("output", &s.output, OneOf{{"multi-hot", "count", "tf-idf", "sublinear-tf-idf"}},
          "what stands for a term that occurs: 1, how often, or that weighted by inverse document frequency");
}

void rows(Visitor& v, OptimizerSettings& s, const ScheduleSettings& schedule) {
  const auto belongs_to = [&](bool is_read, const char* readers) { return When{is_read, s.kind, readers}; };
  const bool is_adam = s.kind == "adam" || s.kind == "adamw", is_rmsprop = s.kind == "rmsprop";
  v.field("kind", &s.kind, OneOf{{"rmsprop", "adam", "adamw", "sgd"}},
          "Hinton 2012; Kingma and Ba 2015; Loshchilov and Hutter 2019; stochastic gradient descent");
  v.field("learning_rate", &s.learning_rate, Between{1e-12, 1000}, "the rate at the schedule's peak",
          When{schedule.kind != "inverse_square_root", "the schedule inverse_square_root",
               "constant, linear and cosine"});
  v.field("rho", &s.rho, Between{0, kBelowOne}, "decay of the mean of squared gradients",
          belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon_placement", &s.epsilon_placement, OneOf{{"inside", "outside"}},
          "whether epsilon is added inside the root or to it", belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon", &s.epsilon, Between{1e-30, 1}, "keeps the denominator away from 0",
          belongs_to(s.kind != "sgd", "rmsprop, adam and adamw"));
  v.field("beta_1", &s.beta_1, Between{0, kBelowOne}, "decay of the first moment",
          belongs_to(is_adam, "adam and adamw"));
  v.field("beta_2", &s.beta_2, Between{0, kBelowOne}, "decay of the second moment",
          belongs_to(is_adam, "adam and adamw"));
  v.field("epsilon_hat", &s.epsilon_hat, Anything{},
          "epsilon is added to the root of the uncorrected second moment (the paper's section 2)",
          belongs_to(is_adam, "adam and adamw"));
  v.field("weight_decay", &s.weight_decay, Between{0, 10}, "decoupled: weights shrink by rate times this",
          belongs_to(s.kind == "adamw", "adamw"));
  v.field("weight_decay_of", &s.weight_decay_of, OneOf{{"matrices", "all"}},
          "what weight_decay acts on: matrices of layers, but neither norms and biases nor tables; or all",
          belongs_to(s.kind == "adamw", "adamw"));
  v.field(
      "layer_decay", &s.layer_decay, Between{1e-6, 1},
      "the rate of a layer is so many times that of the layer above, from the head down to the embeddings "
      "(ELECTRA, Clark et al. 2020)");
  v.field("momentum", &s.momentum, Between{0, kBelowOne}, "share of the last step in this one",
          belongs_to(s.kind == "sgd", "sgd"));
  v.field("global_clipnorm", &s.global_clipnorm, Between{0, 1e9},
          "a gradient of a larger Euclidean norm is scaled down to it; 0: none is");
}

void rows(Visitor& v, ScheduleSettings& s) {
  const bool falls = s.kind == "cosine" || s.kind == "linear";
  v.field("kind", &s.kind, OneOf{{"constant", "inverse_square_root", "cosine", "linear"}},
          "the rate after the warm-up: constant; width^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) "
          "(Vaswani et al. 2017, section 5.3); falling to final_rate at the last step as half a cosine or a "
          "line");
  v.field("warmup_steps", &s.warmup_steps, Between{0, 1e9},
          "steps in which the rate rises from 0 to its peak");
  v.field("final_rate", &s.final_rate, Between{0, 1000}, "the rate of the last step",
          When{falls, s.kind, "cosine and linear"});
}

void rows(Visitor& v, CheckpointSettings& s) {
  v.field("every_steps", &s.every_steps, Between{0, 1e9},
          "steps from one checkpoint to the next; 0: at the end of each epoch only");
  v.field("keep", &s.keep, Between{1, 100000}, "how many of the newest are kept beside the best");
}

void rows(Visitor& v, EarlyStoppingSettings& s) {
  v.field("metric", &s.metric, kMetrics, "of validation, as best_metric",
          When{s.patience > 0, "early stopping without patience", "a patience of 1 or more"});
  v.field("patience", &s.patience, Between{0, 1e6},
          "the run ends after so many epochs in a row without a better value; 0: never");
}

void rows(Visitor& v, TrainingSettings& s) {
  v.field("epochs", &s.epochs, Between{1, 1e6}, "passes over the training examples");
  v.field("max_steps", &s.max_steps, Between{0, 1e9}, "the run ends after so many steps; 0: no limit");
  v.renamed("most_steps", "max_steps");
  v.field("batch_sequences", &s.batch_sequences, Between{1, 1e6}, "examples of a step");
  v.field("accumulate", &s.accumulate, Between{1, 8},
          "the batch is computed in so many parts one after the other, with the memory of one and the same "
          "bits: 1, 2, 4 or 8");
  v.field("freeze", &s.freeze, Text::required,
          "patterns of names of parameters that keep their values; * stands for any text: `[encoder.*]`");
  v.field("label_smoothing", &s.label_smoothing, kRate,
          "share of the probability that is spread over all classes (Szegedy et al. 2016)");
  v.field("log_every", &s.log_every, Between{1, 1e9},
          "steps from one row of log.csv to the next; each epoch's end has one too");
  v.field("best_metric", &s.best_metric, kMetrics,
          "of validation: the epoch that is best by it is the model");
  v.field("ema_decay", &s.ema_decay, Between{0, kBelowOne},
          "of the moving average of the weights, which is what the run measures and gives; 0: none");
  v.section("optimizer", "how a gradient changes the weights",
            [&](Visitor& below) { rows(below, s.optimizer, s.schedule); });
  v.section("schedule", "the learning rate, step by step", [&](Visitor& below) { rows(below, s.schedule); });
  v.section("checkpoint", "when the run is saved", [&](Visitor& below) { rows(below, s.checkpoint); });
  v.section("early_stopping", "when the run ends before its epochs are over",
            [&](Visitor& below) { rows(below, s.early_stopping); });
}

void rows(Visitor& v, DecodingSettings& s) {
  v.renamed("most_tokens", "max_new_tokens");
  v.field("max_new_tokens", &s.max_new_tokens, Between{0, 1e6},
          "tokens of an output, the end token not counted; 0: the model's length");
}

}  // namespace

void rows(Visitor& v, Expectation& s) {
  v.field("metric", &s.metric,
          OneOf{{"parameters", "training_loss", "validation_loss", "validation_accuracy",
                 "validation_macro_f1", "validation_roc_auc", "reference_loss", "reference_accuracy",
                 "best_epoch", "seconds_an_epoch", "tokens_a_second", "test_loss", "test_accuracy",
                 "test_macro_f1", "test_roc_auc", "test_perplexity", "bleu", "chrf"}},
          "the figure: of the run, or of the test data");
  v.field("value", &s.value, Between{-1e18, 1e18}, "what it should be");
  v.field("tolerance", &s.tolerance, Between{0, 1e18}, "of compare: near, how far it may be away");
  v.field("compare", &s.compare, OneOf{{"near", "at_least", "at_most"}}, "how it is judged");
  v.field("source", &s.source, Text::any, "where the value is from");
}

void rows(Visitor& v, Recipe& s) {
  v.field("name", &s.name, Text::required, "the experiment's name; the file's name where it is not given");
  v.field("seed", &s.seed, Anything{},
          "of everything that is drawn: first weights, the order of examples, dropout, held-out examples");
  v.section("data", "where the examples are and what they hold",
            [&](Visitor& below) { rows(below, s.data, s.model); });
  v.model("model", "what is trained", s.model);
  v.section_of_kinds("source_tokenizer", "how texts become ids", s.model,
                     [&](Visitor& below) { rows(below, s.source_tokenizer); });
  v.section_of_kinds("target_tokenizer", "the same of what is to be written", s.model,
                     [&](Visitor& below) { rows(below, s.target_tokenizer); });
  v.section_of_kinds("terms", "the terms of a bag of words: n-grams of the source tokenizer's tokens",
                     s.model, [&](Visitor& below) { rows(below, s.terms); });
  v.section("training", "how it is trained", [&](Visitor& below) { rows(below, s.training); });
  v.section_of_kinds("decoding", "how the trained model writes", s.model,
                     [&](Visitor& below) { rows(below, s.decoding); });
  v.list("expected", "what the run should reach: one line each of the table that ends it", s.expected);
}

}  // namespace headwater::schema
