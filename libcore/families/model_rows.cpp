#include "families/model_rows.hpp"

#include "metrics/class_metrics.hpp"

namespace headwater {

using schema::Anything;
using schema::Between;
using schema::Follows;
using schema::kNoUnit;
using schema::kShare;
using schema::OneOf;

void rows(schema::Visitor& v, TransformerSettings& s, const BlockKeys& keys) {
  block_rows(v, s, keys);
  v.field("attention_window", &s.attention_window, Between{0, 1e6, "tokens"},
          "W: self-attention sees the tokens less than W away, of a decoder the last W (Beltagy et al. "
          "2020); 0: all",
          keys.window);
  sequence_rows(v, s);
  output_dropout_row(v, s.output_dropout);
  initialization_row(v, s.initialization, Reads::texts);
}

void block_rows(schema::Visitor& v, TransformerSettings& s, const BlockKeys& keys) {
  v.field("width", &s.width, Between{1, 65536, "features"}, "D, the numbers of a token between the layers");
  v.field("heads", &s.heads, Between{1, 1024, "heads"}, "H, of attention, each with weights of its own",
          keys.attention);
  v.field("head_width", &s.head_width, Between{0, 65536, "features"}, "K, of each head",
          Follows{"model.width / model.heads", head_width_of(s)}, keys.attention);
  v.field("feed_forward_width", &s.feed_forward_width, Between{0, 1e6, "features"},
          "F, hidden layer of the feed-forward",
          Follows{"4 · model.width (Vaswani et al. 2017)", feed_forward_width_of(s), 2048},
          keys.feed_forward);
  v.field("norm", &s.norm,
          {"after each sub-layer and its residual (Vaswani et al. 2017)",
           "before each sub-layer, and once at the end (Xiong et al. 2020)"},
          "where the norms are", keys.feed_forward);
  v.field("norm_epsilon", &s.norm_epsilon, Between{1e-12, 0.1, kNoUnit},
          "added to the variance under the root of a norm", keys.feed_forward);
  v.field("activation", &s.activation,
          OneOf{{{ops::Activation::relu, "max(x, 0)"},
                 {ops::Activation::gelu, "x · Φ(x), by erf (Hendrycks and Gimpel 2016)"},
                 {ops::Activation::gelu_tanh, "the same approximated by tanh"},
                 {ops::Activation::silu, "x · sigmoid(x) (Elfwing et al. 2018)"}}},
          "the function between the two layers of the feed-forward", keys.feed_forward);
  v.field("dropout", &s.dropout, kShare,
          keys.has_embedding_dropout
              ? "share of the numbers that is set to 0 in training, of embeddings and after each sub-layer "
                "(Srivastava et al. 2014)"
              : "share of the numbers that is set to 0 in training, after each sub-layer (Srivastava et al. "
                "2014)");
  v.field("attention_dropout", &s.attention_dropout, kShare,
          "share of the attention weights that is set to 0 in training", keys.attention);
}

void sequence_rows(schema::Visitor& v, TransformerSettings& s) {
  v.field("positions", &s.positions,
          {"a table of parameters, a row for each place",
           "sines and cosines of the place (Vaswani et al. 2017, section 3.5)",
           "the same numbers, all sines before all cosines (Hugging Face's MarianMTModel)",
           "in halves, too, with the wavelengths of the program of that paper, 2π to 20000π (Marian NMT)",
           "nothing; attention turns queries and keys by angles of the place (Su et al. 2021)",
           "nothing: the order of tokens is not seen"},
          "what is added to a token for its place");
  v.field("scale_embedding", &s.scale_embedding, Anything{},
          "embeddings are multiplied by sqrt(width) (Vaswani et al. 2017, section 3.4)");
  v.field("length", &s.length, Between{1, 1e6, "tokens"},
          {"N, number of positions; longer texts are truncated", "make recipe (vectorize), train, inspect"});
}

void output_dropout_row(schema::Visitor& v, double& output_dropout) {
  v.field("output_dropout", &output_dropout, kShare,
          "share of the numbers that is set to 0 in training before the output layer");
}

void initialization_row(schema::Visitor& v, Initialization& initialization, Reads reads) {
  v.field("initialization", &initialization,
          {"Glorot uniform (Glorot and Bengio 2010), the maps of attention as kernels of a convolution, as "
           "Keras' layer has them; tables of embeddings uniform(-0.05, 0.05)",
           "the same, the maps of attention as matrices: limit sqrt(6 / (inputs + outputs))",
           "all of mean 0 and standard deviation 0.02 (Radford et al. 2018)",
           "as keras; tables of embeddings normal of mean 0 and standard deviation 1 / sqrt(width), "
           "for scaled and tied ones (Vaswani et al. 2017)",
           reads == Reads::images
               ? "Glorot normal, the map of patches as the kernel of a strided convolution; positions "
                 "normal of mean 0 and standard deviation 1; a class token 0"
               : "Glorot normal; tables of embeddings normal of mean 0 and standard deviation 1"},
          "first weights");
}

void rows(schema::Visitor& v, ClassHeadSettings& s) {
  v.field("head", &s.head,
          {"sigmoid of two classes, softmax of more",
           "one output, the probability of the second of two classes", "an output for each class"},
          "the last layer");
  classes_row(v, s.classes);
}

void classes_row(schema::Visitor& v, std::int64_t& classes) {
  v.field("classes", &classes, Between{0, 100000, "labels"},
          "labels that the head tells apart; 0: as many as there are");
}

static void check_rotary(const TransformerSettings& s, bool has_attention, const Complain& complain) {
  if (!has_attention)
    complain({"model", "positions"},
             "rotary positions are of attention, which this model has not (write learned)");
  if (head_width_of(s) % 2 != 0)
    complain({"model", "head_width"}, "rotary positions need an even head_width, not " +
                                          std::to_string(head_width_of(s)) + " (change it or the positions)");
}

void check_transformer(const TransformerSettings& s, bool has_attention, const Complain& complain,
                       std::int64_t embedding_width) {
  if (s.positions == Positions::rotary) check_rotary(s, has_attention, complain);
  if (has_attention && s.head_width == 0 && s.width % s.heads != 0) {
    complain({"model", "heads"}, std::to_string(s.heads) + " heads do not divide the width " +
                                     std::to_string(s.width) +
                                     " (give head_width or another number of heads)");
  }
  constexpr std::int64_t kKeysOfDropout = 65536;  // numbers are drawn for so many of a query
  if (has_attention && s.attention_dropout > 0 && s.length > kKeysOfDropout)
    complain({"model", "attention_dropout"},
             "is for lengths of at most " + std::to_string(kKeysOfDropout) + " (write 0)");
  const std::int64_t width = embedding_width > 0 ? embedding_width : s.width;
  if (is_sinusoidal(s.positions) && width % 2 != 0) {
    complain({"model", embedding_width > 0 ? "embedding_width" : "width"},
             "sinusoidal positions need an even width, not " + std::to_string(width) +
                 " (change the width or the positions)");
  }
}

void check_classes(const ClassHeadSettings& s, const Recipe& recipe, const Complain& complain) {
  if (s.classes == 1)
    complain({"model", "classes"},
             "one class is nothing to tell apart (remove it: classes are as many as labels)");
  if (s.head == HeadType::sigmoid && s.classes > 2) {
    complain({"model", "classes"}, "a sigmoid head tells two classes apart, not " +
                                       std::to_string(s.classes) + " (write head: softmax)");
  }
  const bool is_sigmoid = with_classes(s, s.classes).head == HeadType::sigmoid;
  if (is_sigmoid && recipe.training.label_smoothing != 0) {
    complain({"training", "label_smoothing"},
             "a sigmoid head learns without it (remove it, or write head: softmax)");
  }
  if (s.classes == 0) return;  // not known yet
  const auto check_metric = [&](const std::string& name, std::initializer_list<std::string_view> path) {
    const ClassMetric* const metric = find_class_metric(name);
    if (metric == nullptr || metric->is_of(s.classes)) return false;
    complain(path, name + " is of " + metric->classes() + ", not " + std::to_string(s.classes) +
                       " (write loss, accuracy or macro_f1)");
    return true;
  };
  const TrainingSettings& training = recipe.training;
  const bool is_wrong = check_metric(training.best_metric, {"training", "best_metric"});
  if (!is_wrong || training.early_stopping.metric != training.best_metric)
    check_metric(training.early_stopping.metric, {"training", "early_stopping", "metric"});
}

}  // namespace headwater
