// The rows of how an experiment is trained.
#include <algorithm>

#include "metrics/registry.hpp"
#include "recipe/rows.hpp"

namespace headwater::schema {

namespace {

// What a run is steered by, measured on validation data; ModelKind says which kind has which.
const OneOf& metric_words() {
  static const std::vector<std::pair<std::string_view, std::string>> kMeanings = [] {
    std::vector<std::pair<std::string_view, std::string>> all;
    for (const Metric* metric : all_metrics()) {
      const bool is_lowest = metric->best == Metric::Best::lowest;
      if (metric->is_validated())
        all.emplace_back(metric->name, std::string(metric->meaning) +
                                           (is_lowest ? "; lowest is best" : "; highest is best"));
    }
    return all;
  }();
  static const OneOf kWords = [] {
    OneOf words;
    for (const auto& [name, meaning] : kMeanings) words.words.emplace_back(name, meaning);
    return words;
  }();
  return kWords;
}

bool is_of_translations(std::string_view name) {
  const Metric* const metric = find_metric(name);
  return metric != nullptr && metric->of == MetricOf::texts;
}

void rows(Visitor& v, OptimizerSettings& s, const ScheduleSettings& schedule) {
  const auto belongs_to = [&](bool is_read, const char* readers) {
    return When{is_read, std::string(name_of(s.kind)), readers};
  };
  v.field("kind", &s.kind,
          {"divides by the root of the mean of squared gradients (Hinton 2012)",
           "means of gradients and of their squares, corrected (Kingma and Ba 2015)",
           "adam with decoupled weight decay (Loshchilov and Hutter 2019)",
           "stochastic gradient descent, with momentum (Polyak 1964) where that is not 0"},
          "the rule by which a gradient changes the weights");
  // What is read depends on what the reader has just put there.
  const bool is_rmsprop = s.kind == OptimizerKind::rmsprop, is_adamw = s.kind == OptimizerKind::adamw,
             is_adam = s.kind == OptimizerKind::adam || is_adamw, is_sgd = s.kind == OptimizerKind::sgd;
  v.field("learning_rate", &s.learning_rate, Between{1e-12, 1000, kNoUnit}, "the rate at the schedule's peak",
          When{schedule.kind != ScheduleKind::inverse_square_root, "the schedule inverse_square_root",
               "constant, linear, cosine and step"});
  v.field("rho", &s.rho, Between{0, kBelowOne, kNoUnit}, "decay of the mean of squared gradients, a step",
          belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon_placement", &s.epsilon_placement, {"sqrt(mean + epsilon)", "sqrt(mean) + epsilon"},
          "whether epsilon is added inside the root or to it", belongs_to(is_rmsprop, "rmsprop"));
  v.field("epsilon", &s.epsilon, Between{1e-30, 1, kNoUnit}, "keeps the denominator away from 0",
          belongs_to(!is_sgd, "rmsprop, adam and adamw"));
  v.field("beta_1", &s.beta_1, Between{0, kBelowOne, kNoUnit}, "decay of the mean of gradients, a step",
          belongs_to(is_adam, "adam and adamw"));
  v.field("beta_2", &s.beta_2, Between{0, kBelowOne, kNoUnit},
          "decay of the mean of squared gradients, a step", belongs_to(is_adam, "adam and adamw"));
  v.field("epsilon_hat", &s.epsilon_hat, Anything{},
          "epsilon is added to the root of the uncorrected second moment (Kingma and Ba 2015, section 2)",
          belongs_to(is_adam, "adam and adamw"));
  v.field("weight_decay", &s.weight_decay, Between{0, 10, kNoUnit},
          "weights shrink by learning rate times this in each step (Loshchilov and Hutter 2019)",
          belongs_to(is_adamw, "adamw"));
  v.field("weight_decay_of", &s.weight_decay_of,
          {"weights of layers; not norms, biases and lookup tables (embeddings, positions, the first "
           "layer of a bag of words)",
           "every parameter"},
          "what weight_decay acts on", belongs_to(is_adamw, "adamw"));
  v.field("layer_decay", &s.layer_decay, Between{1e-6, 1, kNoUnit},
          "factor from the rate of a layer to that of the layer below, from the head down to the embeddings "
          "(ELECTRA, Clark et al. 2020)");
  v.field("momentum", &s.momentum, Between{0, kBelowOne, kNoUnit},
          "momentum (Polyak 1964): each update adds this share of the previous one; 0: none",
          belongs_to(is_sgd, "sgd"));
  v.field("global_clipnorm", &s.global_clipnorm, Between{0, 1e9, kNoUnit},
          "gradients with a larger Euclidean norm are scaled down to it (Pascanu et al. 2013); 0: no limit");
}

void rows(Visitor& v, ScheduleSettings& s) {
  const bool falls = s.kind == ScheduleKind::cosine || s.kind == ScheduleKind::linear,
             is_step = s.kind == ScheduleKind::step;
  const std::string kind(name_of(s.kind));
  v.field("kind", &s.kind,
          {"optimizer.learning_rate",
           "width^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) (Vaswani et al. 2017, section 5.3)",
           "falls to final_rate at the last step as half a cosine (Loshchilov and Hutter 2017)",
           "falls to final_rate at the last step as a line",
           "is multiplied by factor every every_epochs or every_steps"},
          "the learning rate after the warm-up");
  v.field("warmup_steps", &s.warmup_steps, Between{0, 1e9, "steps"},
          "steps in which the rate rises from 0 to its peak, as a line");
  v.field("final_rate", &s.final_rate, Between{0, 1000, kNoUnit},
          "the rate of the last step; with step the lowest rate",
          When{falls || is_step, kind, "cosine, linear and step"});
  v.field("factor", &s.factor, Between{1e-6, 1, kNoUnit}, "what the rate is multiplied by",
          When{is_step, kind, "step"});
  v.field("every_epochs", &s.every_epochs, Between{0, 1e6, "epochs"},
          "epochs from one multiplication to the next; 0: by every_steps",
          When{is_step && s.every_steps == 0, is_step ? "a schedule with every_steps" : kind,
               is_step ? "schedules without it" : "step"});
  v.field("every_steps", &s.every_steps, Between{0, 1e9, "steps"},
          "the same in steps, instead; 0: by every_epochs",
          When{is_step && s.every_epochs == 0, is_step ? "a schedule with every_epochs" : kind,
               is_step ? "schedules without it" : "step"});
}

void rows(Visitor& v, CheckpointSettings& s) {
  v.field("every_steps", &s.every_steps, Between{0, 1e9, "steps"},
          "steps from one checkpoint to the next; 0: by every_minutes and at the end of each epoch only");
  v.field(
      "every_minutes", &s.every_minutes, Between{0, 1e6, "minutes"},
      "a checkpoint also after the first step that ends this long after the last one (no bit of the model "
      "depends on it); 0: not by time");
  v.field("every_epochs", &s.every_epochs, Between{1, 1e6, "epochs"},
          "epochs from one checkpoint to the next; the last epoch and each new best get one, too");
  v.field(
      "keep", &s.keep, Between{1, 100000, "checkpoints"},
      "the newest checkpoints that are kept besides the best, at least two; with every_epochs above 1 only "
      "those of its epochs count, and others go when there are two newer ones");
}

void rows(Visitor& v, EarlyStoppingSettings& s, const std::string& best_metric, const OneOf& metrics) {
  v.field("metric", &s.metric, metrics, "the validation metric that must get better",
          Follows{"training.best_metric", best_metric, "loss"},
          When{s.patience > 0, "early stopping without patience", "a patience of 1 or more"});
  v.field("patience", &s.patience, Between{0, 1e6, "epochs"},
          "the run ends after this many epochs in a row without a better value; 0: never");
}

void rows(Visitor& v, UnfreezeSettings& s) {
  v.field("every_epochs", &s.every_epochs, Between{0, 1e6, "epochs"},
          "epochs from one layer to the one below; 0: by every_steps",
          When{s.every_steps == 0, "unfreezing with every_steps", "unfreezing without every_steps"});
  v.field("every_steps", &s.every_steps, Between{0, 1e9, "steps"},
          "the same in steps, instead; both 0: all layers learn from the start",
          When{s.every_epochs == 0, "unfreezing with every_epochs", "unfreezing without every_epochs"});
}

void rows(Visitor& v, SubwordSamplingSettings& s) {
  v.field("dropout", &s.dropout, Between{0, kBelowOne, kNoUnit},
          "of BPE: share of the merges that are skipped (BPE dropout: Provilkov et al. 2020); 0: none");
  v.field(
      "alpha", &s.alpha, Between{0, 1000, kNoUnit},
      "of Unigram: a segmentation is drawn with its probability to this power (Kudo 2018); 0: the best is "
      "taken");
}

void rows(Visitor& v, SampleSettings& s) {
  const When prompts{!s.prompts.empty(), "training without samples.prompts", "training with samples.prompts"};
  v.field(
      "prompts", &s.prompts, Text::required,
      "texts that the model continues after each epoch, into samples.tsv of its directory: a line for each, "
      "with the epoch and the text");
  v.field("max_new_tokens", &s.max_new_tokens, Between{1, 1e6, "tokens"},
          "the longest continuation; it also ends with the model's positions", prompts);
  v.field("top_k", &s.top_k, Between{0, 1e7, "tokens"},
          "tokens are drawn from this many most likely ones (Fan et al. 2018); 0: from all", prompts);
  v.field("temperature", &s.temperature, Between{1e-3, 1000, kNoUnit},
          "what logits are divided by: below 1 likely tokens become likelier", prompts);
  v.field("allow_unknown", &s.allow_unknown, Anything{}, "[UNK] may be drawn", prompts);
}

bool is_translator(const ModelKind& kind) {
  return std::find(kind.columns.begin(), kind.columns.end(), "target") != kind.columns.end();
}

}  // namespace

bool measures_translations(const ModelSection& model) {
  const std::vector<std::string_view>& metrics = model.kind().metrics;
  return std::any_of(metrics.begin(), metrics.end(), is_of_translations);
}

void rows(Visitor& v, TrainingSettings& s, const ModelSection& model) {
  v.field("epochs", &s.epochs, Between{1, 1e6, "epochs"}, "passes over the training examples");
  v.field("max_steps", &s.max_steps, Between{0, 1e9, "steps"},
          "the run ends after this many steps; 0: no limit");
  v.renamed("most_steps", "max_steps");
  v.field("batch_sequences", &s.batch_sequences, Between{1, 1e6, "examples"},
          "size of a batch: examples that one step learns from",
          When{s.batch_tokens == 0, "training with batch_tokens", "training without batch_tokens"});
  v.field(
      "batch_tokens", &s.batch_tokens, Between{0, 1e9, "tokens"},
      "instead: the most tokens of a batch, source and target together; examples are taken in the order of "
      "the epoch, not by length; 0: by batch_sequences",
      When{!model || !model.kind().columns.empty(), "", "models of texts"});
  v.field("shuffle", &s.shuffle, Anything{},
          "each epoch takes the examples in a new random order; `false`: in the order of the data");
  v.field(
      "shuffle_window", &s.shuffle_window, Between{0, 1e12, "examples"},
      "the order is drawn for this many examples at a time, from 64 places of the data, each with its "
      "neighbours, so that a data set larger than memory is read in runs (vectorize --output dataset); 0: "
      "for all examples at once",
      When{s.shuffle, "training without shuffle", "training with shuffle"});
  v.field(
      "accumulate", &s.accumulate, Between{1, 8, "parts"},
      "parts in which a batch is computed, one after the other, with the memory of one and the same bits: 1, "
      "2, 4 or 8");
  v.field("init_from", &s.init_from, Text::any,
          "fine-tuning: the model directory or checkpoint, also in a published layout, whose weights the run "
          "begins with; a path from the current folder, not from the data root; empty: weights are drawn");
  v.field("drop", &s.drop, Text::required,
          "patterns of names of parameters that are drawn nevertheless: `[head.*]`",
          When{!s.init_from.empty(), "training without init_from", "training with init_from"});
  v.field("freeze", &s.freeze, Text::required,
          "patterns of names of parameters that keep their values; * stands for any text: `[encoder.*]`");
  v.field("label_smoothing", &s.label_smoothing, kShare,
          "share of the probability that is spread over all classes (Szegedy et al. 2016)");
  v.field(
      "r_drop", &s.r_drop, Between{0, 1000, kNoUnit},
      "each batch is computed twice, under different dropout, and the divergence of both predictions times "
      "this is added to the loss (R-Drop, Liang et al. 2021: 5); a step takes twice as long; 0: once",
      When{!model || measures_translations(model), "", "translators"});
  const OneOf weight_words{{{"none", "each counts once"},
                            {"balanced",
                             "n / (k · n_c) of n training examples, k labels that occur and n_c "
                             "examples of label c, as scikit-learn has it: all labels weigh alike"}}};
  v.field("class_weights", &s.class_weights, weight_words,
          "how often an example counts in training's loss, by its label; also a map, as in "
          "`{spam: 4, ham: 0.5}`: from 1e-6 to 1e6, labels that it lacks count once",
          When{!model || model.kind().family == "classifiers", "", "classifiers"});
  v.field("log_every", &s.log_every, Between{1, 1e9, "steps"},
          "steps from one row of log.csv to the next; each epoch's end has one, too");
  OneOf metrics = metric_words();
  if (model) metrics.fitting = model.kind().metrics;
  v.field("best_metric", &s.best_metric, metrics, "the validation metric whose best epoch is the model");
  v.field("validation_translations", &s.validation_translations, Between{0, 1e9, "sentences"},
          "validation sentences, spread evenly, at most all, that are translated greedily after each epoch: "
          "log.csv and the table that ends the run have their BLEU and chrF",
          Follows{"1000 where bleu or chrf is a metric, else 0: none",
                  is_of_translations(s.best_metric) || is_of_translations(s.early_stopping.metric)
                      ? std::int64_t{1000}
                      : std::int64_t{0}},
          When{!model || measures_translations(model), "", "translators"});
  v.field("ema_decay", &s.ema_decay, Between{0, kBelowOne, kNoUnit},
          "decay of the moving average of the weights, a step (Polyak and Juditsky 1992); the average is "
          "validated and saved as the model; 0: none",
          When{s.average_last == 0, "training with average_last", "training without average_last"});
  v.field("average_last", &s.average_last, Between{0, 1000, "epochs"},
          "the mean of the weights after each of the last epochs, this many or all so far, is validated and "
          "saved "
          "as the model; each takes the memory and the disk of the weights; 0: the weights themselves",
          When{s.ema_decay == 0, "training with ema_decay", "training without ema_decay"});
  v.section("optimizer", "how a gradient changes the weights",
            [&](Visitor& below) { rows(below, s.optimizer, s.schedule); });
  v.section("schedule", "the learning rate, step by step", [&](Visitor& below) { rows(below, s.schedule); });
  v.section("checkpoint", "when the run is saved", [&](Visitor& below) { rows(below, s.checkpoint); });
  v.section("early_stopping", "when the run ends before its epochs are over",
            [&](Visitor& below) { rows(below, s.early_stopping, s.best_metric, metrics); });
  v.section(
      "unfreeze",
      "gradual unfreezing (ULMFiT, Howard and Ruder 2018): at first the head learns alone, then a layer "
      "more at a time, from the top down to the embeddings",
      [&](Visitor& below) { rows(below, s.unfreeze); });
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

}  // namespace headwater::schema
