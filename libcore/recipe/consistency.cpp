#include "recipe/consistency.hpp"

#include <initializer_list>

#include "support/error.hpp"

namespace headwater {
namespace {

// The place of a key given as a path, or of the nearest map above it.
Place place_of(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* at = &root;
  Place place = root.place;
  for (const std::string_view key : path) {
    const Node::Entry* found = nullptr;
    for (const Node::Entry& entry : at->entries) {
      if (entry.key == key) found = &entry;
    }
    if (found == nullptr) break;
    at = &found->value;
    place = at->kind == Node::Kind::map ? found->place : at->place;
  }
  return place;
}

// A key that the optimizer of this kind does not read is a mistake, unless it says the default (as printed
// recipes do).
void check_optimizer(const OptimizerSettings& s, const Node& map, Problems& problems) {
  const OptimizerSettings defaults;
  const bool is_adam = s.kind == "adam", is_adamw = s.kind == "adamw", is_rmsprop = s.kind == "rmsprop";
  const auto check_use = [&](std::string_view key, bool is_read, bool is_default, const char* readers) {
    if (is_read || is_default) return;
    problems.add(place_of(map, {"training", "optimizer", key}),
                 "training.optimizer." + std::string(key) + ": " + s.kind +
                     " does not read it (it belongs to " + readers + "; remove it)");
  };
  check_use("rho", is_rmsprop, s.rho == defaults.rho, "rmsprop");
  check_use("epsilon_placement", is_rmsprop, s.epsilon_placement == defaults.epsilon_placement, "rmsprop");
  check_use("epsilon", s.kind != "sgd", s.epsilon == defaults.epsilon, "rmsprop, adam and adamw");
  check_use("beta_1", is_adam || is_adamw, s.beta_1 == defaults.beta_1, "adam and adamw");
  check_use("beta_2", is_adam || is_adamw, s.beta_2 == defaults.beta_2, "adam and adamw");
  check_use("epsilon_hat", is_adam || is_adamw, s.epsilon_hat == defaults.epsilon_hat, "adam and adamw");
  check_use("weight_decay", is_adamw, s.weight_decay == defaults.weight_decay, "adamw");
  check_use("momentum", s.kind == "sgd", s.momentum == defaults.momentum, "sgd");
}

// The same for models and the sections that only some of them read.
void check_kind(const Recipe& recipe, const Node& map, Problems& problems) {
  const ModelSettings &s = recipe.model, defaults;
  const bool is_translator = s.kind == "encoder_decoder", is_classifier = s.kind == "classifier",
             is_bag = s.kind == "bag_of_words", has_tokens = !is_bag;
  const bool has_attention = is_translator || (is_classifier && s.mixing == "attention");
  const std::string who = is_classifier && !has_attention ? "a classifier with mixing: " + s.mixing
                                                          : (is_translator ? "an " : "a ") + s.kind;
  const auto check_use = [&](std::string_view key, bool is_read, bool is_default, const char* readers) {
    if (is_read || is_default) return;
    problems.add(place_of(map, {"model", key}), "model." + std::string(key) + ": " + who +
                                                    " does not read it (it belongs to " + readers +
                                                    "; remove it)");
  };
  constexpr const char* kTokens = "encoder_decoder and classifier";
  constexpr const char* kAttention = "encoder_decoder, and classifier with mixing: attention";
  constexpr const char* kClassifiers = "classifier and bag_of_words";
  check_use("heads", has_attention, s.heads == defaults.heads, kAttention);
  check_use("head_width", has_attention, s.head_width == defaults.head_width, kAttention);
  check_use("attention_dropout", has_attention, s.attention_dropout == defaults.attention_dropout,
            kAttention);
  check_use("feed_forward_width", has_tokens, s.feed_forward_width == defaults.feed_forward_width, kTokens);
  check_use("encoder_layers", has_tokens, s.encoder_layers == defaults.encoder_layers, kTokens);
  check_use("decoder_layers", is_translator, s.decoder_layers == defaults.decoder_layers, "encoder_decoder");
  check_use("norm", has_tokens, s.norm == defaults.norm, kTokens);
  check_use("norm_epsilon", has_tokens, s.norm_epsilon == defaults.norm_epsilon, kTokens);
  check_use("activation", has_tokens, s.activation == defaults.activation, kTokens);
  check_use("positions", has_tokens, s.positions == defaults.positions, kTokens);
  check_use("scale_embedding", has_tokens, s.scale_embedding == defaults.scale_embedding, kTokens);
  check_use("length", has_tokens, s.length == defaults.length, kTokens);
  check_use("dropout", has_tokens, s.dropout == defaults.dropout, kTokens);
  check_use("mixing", is_classifier, s.mixing == defaults.mixing, "classifier");
  check_use("mixing_width", is_classifier && s.mixing == "mlp", s.mixing_width == defaults.mixing_width,
            "classifier with mixing: mlp");
  check_use("pooling", is_classifier, s.pooling == defaults.pooling, "classifier");
  check_use("keeps_padding", is_classifier, s.keeps_padding == defaults.keeps_padding, "classifier");
  check_use("pools_padding", is_classifier && s.mixing == "attention",
            s.pools_padding == defaults.pools_padding, "classifier with mixing: attention");
  check_use("head", !is_translator, s.head == defaults.head, kClassifiers);
  check_use("classes", !is_translator, s.classes == defaults.classes, kClassifiers);

  const auto check_section = [&](std::string_view key, bool is_read, bool is_default, const char* readers) {
    if (is_read || is_default) return;
    problems.add(place_of(map, {key}), std::string(key) + ": " + who + " does not read it (it belongs to " +
                                           readers + "; remove it)");
  };
  check_section("target_tokenizer", is_translator, recipe.target_tokenizer == TokenizerSettings(),
                "encoder_decoder");
  check_section("decoding", is_translator, recipe.decoding == DecodingSettings(), "encoder_decoder");
  check_section("terms", is_bag, recipe.terms == TermSettings(), "bag_of_words");
}

// Parts are whole shards of the batch, of which there are 8.
void check_parts(const TrainingSettings& training, const Node& map, Problems& problems) {
  if (8 % training.accumulate == 0) return;
  problems.add(place_of(map, {"training", "accumulate"}),
               "training.accumulate: a batch cannot be computed in " + std::to_string(training.accumulate) +
                   " equal parts (write 1, 2, 4 or 8)");
}

void check_heads(const ModelSettings& model, const Node& map, Problems& problems) {
  const bool has_attention =
      model.kind == "encoder_decoder" || (model.kind == "classifier" && model.mixing == "attention");
  if (has_attention && model.head_width == 0 && model.width % model.heads != 0) {
    problems.add(place_of(map, {"model", "heads"}),
                 "model.heads: " + std::to_string(model.heads) + " heads do not divide the width " +
                     std::to_string(model.width) + " (give head_width or another number of heads)");
  }
  if (model.positions == "sinusoidal" && model.width % 2 != 0) {
    problems.add(place_of(map, {"model", "width"}),
                 "model.width: sinusoidal positions need an even width, not " + std::to_string(model.width) +
                     " (change the width or the positions)");
  }
}

void check_padding(const ModelSettings& model, const Node& map, Problems& problems) {
  if (!model.keeps_padding || !model.pools_padding) return;
  problems.add(place_of(map, {"model", "pools_padding"}),
               "model.pools_padding: attention reads the padding that keeps_padding keeps (remove one of the "
               "two)");
}

void check_classes(const Recipe& recipe, const Node& map, Problems& problems) {
  if (recipe.model.kind == "encoder_decoder" || recipe.model.head != "sigmoid") return;
  if (recipe.model.classes != 2) {
    problems.add(place_of(map, {"model", "classes"}),
                 "model.classes: a sigmoid head tells two classes apart, not " +
                     std::to_string(recipe.model.classes) + " (write head: softmax)");
  }
  if (recipe.training.label_smoothing != 0) {
    problems.add(place_of(map, {"training", "label_smoothing"}),
                 "training.label_smoothing: a sigmoid head learns without it (remove it, or write head: "
                 "softmax)");
  }
}

// A model must have the metric that its epochs are chosen by.
void check_metrics(const Recipe& recipe, const Node& map, Problems& problems) {
  const bool is_translator = recipe.model.kind == "encoder_decoder";
  const auto check = [&](const std::string& metric, std::initializer_list<std::string_view> path) {
    std::string key;
    for (const std::string_view word : path) key += (key.empty() ? "" : ".") + std::string(word);
    const auto refuse = [&](const std::string& what) {
      problems.add(place_of(map, path), key + ": " + what);
    };
    if (is_translator && (metric == "macro_f1" || metric == "roc_auc")) {
      refuse(metric + " is of classifiers, an encoder_decoder has loss, accuracy and perplexity");
    } else if (!is_translator && metric == "perplexity") {
      refuse("perplexity is of an encoder_decoder, a " + recipe.model.kind +
             " has loss, accuracy, macro_f1 and roc_auc");
    } else if (!is_translator && metric == "roc_auc" && recipe.model.classes != 2) {
      refuse("roc_auc is of two classes, not " + std::to_string(recipe.model.classes) +
             " (write loss, accuracy or macro_f1)");
    }
  };
  check(recipe.training.best_metric, {"training", "best_metric"});
  check(recipe.training.early_stopping.metric, {"training", "early_stopping", "metric"});
}

void check_columns(const Recipe& recipe, const Node& map, Problems& problems) {
  const std::vector<std::string>& columns = recipe.data.columns;
  const bool is_translator = recipe.model.kind == "encoder_decoder";
  const std::string second = is_translator ? "target" : "label";
  if (columns == std::vector<std::string>{"source", second} ||
      columns == std::vector<std::string>{second, "source"})
    return;
  problems.add(place_of(map, {"data", "columns"}),
               "data.columns: " + std::string(is_translator ? "an " : "a ") + recipe.model.kind +
                   " reads source and " + second + " (write [source, " + second + "])");
}

}  // namespace

void check_together(const Recipe& recipe, const Node& map, Problems& problems) {
  check_kind(recipe, map, problems);
  check_heads(recipe.model, map, problems);
  check_padding(recipe.model, map, problems);
  check_classes(recipe, map, problems);
  check_metrics(recipe, map, problems);
  check_columns(recipe, map, problems);
  check_parts(recipe.training, map, problems);
  check_optimizer(recipe.training.optimizer, map, problems);
  const ScheduleSettings& schedule = recipe.training.schedule;
  if (schedule.kind == "inverse_square_root" && schedule.warmup_steps == 0) {
    problems.add(place_of(map, {"training", "schedule", "kind"}),
                 "training.schedule.kind: inverse_square_root needs warmup_steps (write warmup_steps: 4000)");
  }
}

}  // namespace headwater
