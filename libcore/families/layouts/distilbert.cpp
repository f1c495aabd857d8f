// DistilBERT (Sanh et al. 2019), as Hugging Face's transformers keeps it: BERT's encoder without segments,
// classifiers whose pooler is followed by ReLU, and masked language models.
#include "families/layouts/config_table.hpp"
#include "families/layouts/encoder_parts.hpp"
#include "families/layouts/label_row.hpp"
#include "families/layouts/layout.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/sentence_transformers.hpp"
#include "families/tokenizer_files.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

// Positions are a table of the file, whatever sinusoidal_pos_embds says it began with.
constexpr ConfigRow kDistilBertConfig[] = {count("vocab_size", "vocabulary_size", 10000000),
                                           count("max_position_embeddings", "length", 1000000),
                                           count("dim", "width", 65536),
                                           count("n_layers", "encoder_layers", 1000),
                                           heads("n_heads", "dim"),
                                           count("hidden_dim", "feed_forward_width", 1000000),
                                           activation("activation", "\"gelu\""),
                                           share("dropout", "dropout", "0.1"),
                                           share("attention_dropout", "attention_dropout", "0.1"),
                                           copied("pad_token_id", "pad_token_id"),
                                           written("sinusoidal_pos_embds", "false"),
                                           written("dtype", "\"float32\""),
                                           absent("quantization_config", kWholeNumberWeights)};
constexpr ConfigRow kDistilBertHead[] = {share("seq_classif_dropout", "output_dropout", "0.2"),
                                         problem_type_row(), label_names_row()};
constexpr auto kDistilBertClassifierConfig = joined(kDistilBertConfig, kDistilBertHead);
constexpr ConfigRow kDistilBertDecoder[] = {fixed_if_said("tie_word_embeddings", "true")};
constexpr auto kDistilBertMaskedConfig = joined(kDistilBertConfig, kDistilBertDecoder);

constexpr UnsaidKey kDistilBertUnsaid[] = {{"mixing", "attention"},
                                           {"mixing_width", kAnyValue},
                                           {"kernel_size", kAnyValue},
                                           {"attention_window", "0"},
                                           {"bidirectional", kAnyValue},
                                           {"reset_after", kAnyValue},
                                           {"norm", "post"},
                                           {"norm_epsilon", "1e-12"},
                                           {"positions", "learned"},
                                           {"head_width", kWidthByHeads},
                                           {"scale_embedding", "false"},
                                           {"segments", "0"},
                                           {"embedding_norm", "true"},
                                           {"padding", "none"},
                                           {"initialization", kAnyValue, "normal"}};
constexpr UnsaidKey kDistilBertHeadUnsaid[] = {{"special_tokens", "template"}, {"pairs", kAnyValue, "false"},
                                               {"pooling", "first"},           {"pooler", "true"},
                                               {"pooler_activation", "relu"},  {"head", "softmax"}};
constexpr auto kDistilBertModelUnsaid = joined(kDistilBertUnsaid, kVectorUnsaid);
constexpr auto kDistilBertMaskedUnsaid = joined(kDistilBertUnsaid, kHiddenTokensAlone);
constexpr auto kDistilBertClassifierUnsaid = joined(kDistilBertUnsaid, kDistilBertHeadUnsaid);

constexpr TensorRow kDistilBertTensors[] = {
    {"distilbert.embeddings.word_embeddings.weight", "embedding.tokens", kTensor},
    {"distilbert.embeddings.position_embeddings.weight", "embedding.positions", kTensor},
    {"distilbert.embeddings.LayerNorm", "embedding.norm", kNorm},
    {"distilbert.transformer.layer.{}.attention.q_lin", "encoder.{}.self_attention.query", kLinear},
    {"distilbert.transformer.layer.{}.attention.k_lin", "encoder.{}.self_attention.key", kLinear},
    {"distilbert.transformer.layer.{}.attention.v_lin", "encoder.{}.self_attention.value", kLinear},
    {"distilbert.transformer.layer.{}.attention.out_lin", "encoder.{}.self_attention.output", kLinear},
    {"distilbert.transformer.layer.{}.sa_layer_norm", "encoder.{}.self_attention_norm", kNorm},
    {"distilbert.transformer.layer.{}.ffn.lin1", "encoder.{}.feed_forward.inner", kLinear},
    {"distilbert.transformer.layer.{}.ffn.lin2", "encoder.{}.feed_forward.outer", kLinear},
    {"distilbert.transformer.layer.{}.output_layer_norm", "encoder.{}.feed_forward_norm", kNorm}};
constexpr TensorRow kDistilBertHeadTensors[] = {{"pre_classifier", "pooler", kLinear},
                                                {"classifier", "head", kLinear}};
constexpr auto kDistilBertClassifierTensors = joined(kDistilBertTensors, kDistilBertHeadTensors);
constexpr TensorRow kDistilBertMaskedHead[] = {{"vocab_transform", "lm_head.transform", kLinear},
                                               {"vocab_layer_norm", "lm_head.norm", kNorm},
                                               {"vocab_projector.bias", "lm_head.bias", kTensor}};
constexpr auto kDistilBertMaskedTensors = joined(kDistilBertTensors, kDistilBertMaskedHead);
constexpr TensorCopy kDistilBertMaskedCopies[] = {{"vocab_projector.weight", "embedding.tokens"}};

constexpr UnreadTensor kDistilBertUnread[] = {{"distilbert.embeddings.position_ids"}};

}  // namespace

const Layout& distilbert_model_layout() {
  static const Layout layout{.name = "DistilBERT",
                             .model_type = "distilbert",
                             .architectures = {"DistilBertModel"},
                             .family = text_encoder_family,
                             .config = kDistilBertConfig,
                             .unsaid = kDistilBertModelUnsaid,
                             .prefix = "distilbert.",
                             .tensors = kDistilBertTensors,
                             .unread = kDistilBertUnread,
                             .tokenizers = one_tokenizer,
                             .read_beside = read_sentence_modules,
                             .parts = text_encoder_parts};
  return layout;
}

const Layout& distilbert_classifier_layout() {
  static const Layout layout{.name = "DistilBERT",
                             .model_type = "distilbert",
                             .architectures = {"DistilBertForSequenceClassification"},
                             .family = classifier_family,
                             .config = kDistilBertClassifierConfig,
                             .unsaid = kDistilBertClassifierUnsaid,
                             .prefix = "distilbert.",
                             .tensors = kDistilBertClassifierTensors,
                             .unread = kDistilBertUnread,
                             .tokenizers = one_tokenizer,
                             .parts = text_classifier_parts};
  return layout;
}

const Layout& distilbert_masked_lm_layout() {
  static const Layout layout{.name = "DistilBERT",
                             .model_type = "distilbert",
                             .architectures = {"DistilBertForMaskedLM"},
                             .family = masked_lm_family,
                             .config = kDistilBertMaskedConfig,
                             .unsaid = kDistilBertMaskedUnsaid,
                             .prefix = "distilbert.",
                             .tensors = kDistilBertMaskedTensors,
                             .copies = kDistilBertMaskedCopies,
                             .unread = kDistilBertUnread,
                             .tokenizers = one_tokenizer,
                             .parts = masked_lm_parts};
  return layout;
}

}  // namespace headwater
