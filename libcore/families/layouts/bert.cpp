// BERT (Devlin et al. 2019), as Hugging Face's transformers keeps it: the encoder of texts with a head or
// without. A weight is [out, in] there.
#include <algorithm>

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

// --- The encoder and its pooler ----------------------------------------------------------------------------

constexpr ConfigRow kEncoderConfig[] = {count("vocab_size", "vocabulary_size", 10000000),
                                        count("max_position_embeddings", "length", 1000000),
                                        count("hidden_size", "width", 65536),
                                        count("num_hidden_layers", "encoder_layers", 1000),
                                        heads("num_attention_heads", "hidden_size"),
                                        count("intermediate_size", "feed_forward_width", 1000000),
                                        count_or("type_vocab_size", "segments", 2, "2"),
                                        activation("hidden_act", "\"gelu\""),
                                        share("hidden_dropout_prob", "dropout", "0.1"),
                                        share("attention_probs_dropout_prob", "attention_dropout", "0.1"),
                                        epsilon("layer_norm_eps", "1e-12"),
                                        fixed("position_embedding_type", "\"absolute\""),
                                        copied("pad_token_id", "pad_token_id"),
                                        written("dtype", "\"float32\""),
                                        fixed_if_said("is_decoder", "false"),
                                        fixed_if_said("add_cross_attention", "false"),
                                        absent("quantization_config", kWholeNumberWeights)};

constexpr UnsaidKey kEncoderUnsaid[] = {{"mixing", "attention"},
                                        {"mixing_width", kAnyValue},
                                        {"kernel_size", kAnyValue},
                                        {"attention_window", "0"},
                                        {"bidirectional", kAnyValue},
                                        {"reset_after", kAnyValue},
                                        {"norm", "post"},
                                        {"positions", "learned"},
                                        {"head_width", kWidthByHeads},
                                        {"scale_embedding", "false"},
                                        {"segments", "2"},
                                        {"embedding_norm", "true"},
                                        {"padding", "none"},
                                        {"initialization", kAnyValue, "normal"}};

constexpr TensorRow kEncoderTensors[] = {
    {"bert.embeddings.word_embeddings.weight", "embedding.tokens", kTensor},
    {"bert.embeddings.position_embeddings.weight", "embedding.positions", kTensor},
    {"bert.embeddings.token_type_embeddings.weight", "embedding.segments", kTensor},
    {"bert.embeddings.LayerNorm", "embedding.norm", kNorm},
    {"bert.encoder.layer.{}.attention.self.query", "encoder.{}.self_attention.query", kLinear},
    {"bert.encoder.layer.{}.attention.self.key", "encoder.{}.self_attention.key", kLinear},
    {"bert.encoder.layer.{}.attention.self.value", "encoder.{}.self_attention.value", kLinear},
    {"bert.encoder.layer.{}.attention.output.dense", "encoder.{}.self_attention.output", kLinear},
    {"bert.encoder.layer.{}.attention.output.LayerNorm", "encoder.{}.self_attention_norm", kNorm},
    {"bert.encoder.layer.{}.intermediate.dense", "encoder.{}.feed_forward.inner", kLinear},
    {"bert.encoder.layer.{}.output.dense", "encoder.{}.feed_forward.outer", kLinear},
    {"bert.encoder.layer.{}.output.LayerNorm", "encoder.{}.feed_forward_norm", kNorm},
    {"bert.pooler.dense", "pooler", kLinear}};

// 0, 1, 2 and so on, in old files.
constexpr UnreadTensor kEncoderUnread[] = {{"bert.embeddings.position_ids"}};

// --- A label for each text ---------------------------------------------------------------------------------

constexpr ConfigRow kHeadConfig[] = {head_dropout_row(), problem_type_row(), label_names_row()};
constexpr auto kClassifierConfig = joined(kEncoderConfig, kHeadConfig);

constexpr UnsaidKey kHeadUnsaid[] = {{"special_tokens", "template"},
                                     {"pairs", kAnyValue, "false"},
                                     {"pooling", "first"},
                                     {"pooler", "true"},
                                     {"head", "softmax"}};
constexpr auto kClassifierUnsaid = joined(kEncoderUnsaid, kHeadUnsaid);

constexpr TensorRow kHeadTensors[] = {{"classifier", "head", kLinear}};
constexpr auto kClassifierTensors = joined(kEncoderTensors, kHeadTensors);

}  // namespace

const Layout& bert_classifier_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertForSequenceClassification"},
                             .family = classifier_family,
                             .config = kClassifierConfig,
                             .unsaid = kClassifierUnsaid,
                             .prefix = "bert.",
                             .tensors = kClassifierTensors,
                             .unread = kEncoderUnread,
                             .tokenizers = one_tokenizer,
                             .parts = text_classifier_parts};
  return layout;
}

// --- Without a head; in directories of sentence-transformers too -------------------------------------------

namespace {

constexpr auto kBertModelUnsaid = joined(kEncoderUnsaid, kVectorUnsaid);

}  // namespace

const Layout& bert_model_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertModel"},
                             .family = text_encoder_family,
                             .config = kEncoderConfig,
                             .unsaid = kBertModelUnsaid,
                             .prefix = "bert.",
                             .tensors = kEncoderTensors,
                             .unread = kEncoderUnread,
                             .tokenizers = one_tokenizer,
                             .read_beside = read_sentence_modules,
                             .parts = text_encoder_parts};
  return layout;
}

// --- Hidden tokens and, where it tells that, whether a text follows another --------------------------------

namespace {

constexpr const char* kWithNextSentence = "BertForPreTraining";
constexpr const char* kNextSentenceWeight = "cls.seq_relationship.weight";

// BertForMaskedLM has no such head, whatever its file holds: that of bert-base-uncased holds one.
void read_next_sentence(std::string_view name, const Json& theirs, Json& ours) {
  const Json* const named = member_said(theirs, name);
  const bool has_it = named != nullptr && std::ranges::any_of(named->as_array(), [](const Json& one) {
                        return one.is_string() && one.as_string() == kWithNextSentence;
                      });
  ours.set("next_sentence", has_it);
}
void write_next_sentence(std::string_view name, const Json& ours, Json& theirs) {
  if (ours.at("next_sentence").as_bool()) theirs.set(name, Json::Array{Json(kWithNextSentence)});
}

// A file from which the head was left out is read without it.
void read_missing_head(const ModelFolder& folder, Json& ours) {
  if (!ours.at("next_sentence").as_bool() || !folder.has("model.safetensors")) return;
  const char* const name = folder.is_quantized ? "next_sentence.weight" : kNextSentenceWeight;
  if (folder.weights().find(name) == nullptr) ours.set("next_sentence", false);
}

constexpr ConfigRow kMaskedConfig[] = {
    own("architectures", "next_sentence", read_next_sentence, write_next_sentence),
    fixed_if_said("tie_word_embeddings", "true")};
constexpr auto kBertMaskedConfig = joined(kEncoderConfig, kMaskedConfig);

constexpr UnsaidKey kMaskedUnsaid[] = {{"span_boundary", "false"}};
constexpr auto kBertMaskedUnsaid = joined(kEncoderUnsaid, kMaskedUnsaid);

constexpr TensorRow kMaskedTensors[] = {{"cls.predictions.transform.dense", "lm_head.transform", kLinear},
                                        {"cls.predictions.transform.LayerNorm", "lm_head.norm", kNorm},
                                        {"cls.predictions.bias", "lm_head.bias", kTensor},
                                        {"cls.seq_relationship", "next_sentence", kLinear}};
constexpr auto kBertMaskedTensors = joined(kEncoderTensors, kMaskedTensors);

// Old files have the decoder beside the table that it is.
constexpr TensorCopy kDecoder[] = {{"cls.predictions.decoder.weight", "embedding.tokens"},
                                   {"cls.predictions.decoder.bias", "lm_head.bias"}};

// What a model that tells no next sentence leaves.
constexpr UnreadTensor kMaskedUnread[] = {{"bert.pooler.dense.*"}, {"cls.seq_relationship.*"}};
constexpr auto kBertMaskedUnread = joined(kEncoderUnread, kMaskedUnread);

}  // namespace

const Layout& bert_masked_lm_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertForMaskedLM", kWithNextSentence},
                             .family = masked_lm_family,
                             .config = kBertMaskedConfig,
                             .unsaid = kBertMaskedUnsaid,
                             .prefix = "bert.",
                             .tensors = kBertMaskedTensors,
                             .copies = kDecoder,
                             .unread = kBertMaskedUnread,
                             .tokenizers = one_tokenizer,
                             .read_beside = read_missing_head,
                             .parts = masked_lm_parts};
  return layout;
}

}  // namespace headwater
