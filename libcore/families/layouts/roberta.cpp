// RoBERTa (Liu et al. 2019), as Hugging Face's transformers keeps it: BERT's encoder with one segment, whose
// table of positions begins behind the row of the padding's id, classifiers with a head of two layers, and
// masked language models.
#include "families/config.hpp"
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

constexpr std::int64_t kMostIds = 10000000;

void read_padding(std::string_view name, const Json& theirs, Json& ours) {
  const bool is_said = member_said(theirs, name) != nullptr;
  ours.set(name, is_said ? whole(theirs, name, 0, kMostIds) : std::int64_t{1});
  ours.set("uncounted_token", ours.at(name));
}
// The padding id that a model of this layout came with, whatever the tokenizer pads with.
std::int64_t padding_of(const Json& ours) {
  const Json* const uncounted = ours.find("uncounted_token");
  return (uncounted != nullptr ? *uncounted : ours.at("pad_token_id")).as_integer();
}
void write_padding(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, padding_of(ours));
}

// Positions count from behind the padding's id on, whose row padding has.
std::int64_t rows_of_padding(const Json& ours) { return padding_of(ours) + 1; }
void read_positions(std::string_view name, const Json& theirs, Json& ours) {
  const std::int64_t before = rows_of_padding(ours);
  ours.set("length", whole(theirs, name, before + 1, before + 1000000) - before);
}
void write_positions(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("length").as_integer() + rows_of_padding(ours));
}

constexpr ConfigRow kRobertaConfig[] = {
    count("vocab_size", "vocabulary_size", kMostIds),
    own("pad_token_id", "pad_token_id", read_padding, write_padding),
    own("max_position_embeddings", "length", read_positions, write_positions),
    count("hidden_size", "width", 65536),
    count("num_hidden_layers", "encoder_layers", 1000),
    heads("num_attention_heads", "hidden_size"),
    count("intermediate_size", "feed_forward_width", 1000000),
    fixed("type_vocab_size", "1",
          "all tokens are in segment 0: in Python, keep that row of token_type_embeddings and save"),
    activation("hidden_act", "\"gelu\""),
    share("hidden_dropout_prob", "dropout", "0.1"),
    share("attention_probs_dropout_prob", "attention_dropout", "0.1"),
    epsilon("layer_norm_eps", "1e-12"),
    fixed("position_embedding_type", "\"absolute\""),
    written("dtype", "\"float32\""),
    fixed_if_said("is_decoder", "false"),
    fixed_if_said("add_cross_attention", "false"),
    absent("quantization_config", kWholeNumberWeights)};
constexpr ConfigRow kRobertaHead[] = {head_dropout_row(), problem_type_row(), label_names_row()};
constexpr auto kRobertaClassifierConfig = joined(kRobertaConfig, kRobertaHead);
// The head's activation is GELU, whatever that of the blocks is.
constexpr ConfigRow kRobertaDecoder[] = {fixed_if_said("hidden_act", "\"gelu\""),
                                         fixed_if_said("tie_word_embeddings", "true")};
constexpr auto kRobertaMaskedConfig = joined(kRobertaConfig, kRobertaDecoder);

constexpr UnsaidKey kRobertaUnsaid[] = {{"mixing", "attention"},
                                        {"mixing_width", kAnyValue},
                                        {"kernel_size", kAnyValue},
                                        {"attention_window", "0"},
                                        {"bidirectional", kAnyValue},
                                        {"reset_after", kAnyValue},
                                        {"norm", "post"},
                                        {"positions", "learned"},
                                        {"head_width", kWidthByHeads},
                                        {"scale_embedding", "false"},
                                        {"segments", "1"},
                                        {"embedding_norm", "true"},
                                        {"padding", "none"},
                                        {"initialization", kAnyValue, "normal"}};
constexpr UnsaidKey kRobertaHeadUnsaid[] = {{"special_tokens", "template"},
                                            {"pairs", kAnyValue, "false"},
                                            {"pooling", "first"},
                                            {"pooler", "true"},
                                            {"head", "softmax"}};
constexpr auto kRobertaModelUnsaid = joined(kRobertaUnsaid, kVectorUnsaid);
constexpr UnsaidKey kRobertaDecoderUnsaid[] = {{"activation", "gelu"}};
constexpr auto kRobertaMaskedUnsaid = joined(kRobertaUnsaid, kHiddenTokensAlone, kRobertaDecoderUnsaid);
constexpr auto kRobertaClassifierUnsaid = joined(kRobertaUnsaid, kRobertaHeadUnsaid);

constexpr TensorRow kRobertaTensors[] = {
    {"roberta.embeddings.word_embeddings.weight", "embedding.tokens", kTensor},
    {"roberta.embeddings.position_embeddings.weight", "embedding.positions", kPositions},
    {"roberta.embeddings.token_type_embeddings.weight", "embedding.segments", kTensor},
    {"roberta.embeddings.LayerNorm", "embedding.norm", kNorm},
    {"roberta.encoder.layer.{}.attention.self.query", "encoder.{}.self_attention.query", kLinear},
    {"roberta.encoder.layer.{}.attention.self.key", "encoder.{}.self_attention.key", kLinear},
    {"roberta.encoder.layer.{}.attention.self.value", "encoder.{}.self_attention.value", kLinear},
    {"roberta.encoder.layer.{}.attention.output.dense", "encoder.{}.self_attention.output", kLinear},
    {"roberta.encoder.layer.{}.attention.output.LayerNorm", "encoder.{}.self_attention_norm", kNorm},
    {"roberta.encoder.layer.{}.intermediate.dense", "encoder.{}.feed_forward.inner", kLinear},
    {"roberta.encoder.layer.{}.output.dense", "encoder.{}.feed_forward.outer", kLinear},
    {"roberta.encoder.layer.{}.output.LayerNorm", "encoder.{}.feed_forward_norm", kNorm}};
constexpr TensorRow kRobertaPooler[] = {{"roberta.pooler.dense", "pooler", kLinear}};
constexpr TensorRow kRobertaHeadTensors[] = {{"classifier.dense", "pooler", kLinear},
                                             {"classifier.out_proj", "head", kLinear}};
constexpr auto kRobertaModelTensors = joined(kRobertaTensors, kRobertaPooler);
constexpr auto kRobertaClassifierTensors = joined(kRobertaTensors, kRobertaHeadTensors);
constexpr TensorRow kRobertaMaskedHead[] = {{"lm_head.dense", "lm_head.transform", kLinear},
                                            {"lm_head.layer_norm", "lm_head.norm", kNorm},
                                            {"lm_head.bias", "lm_head.bias", kTensor}};
constexpr auto kRobertaMaskedTensors = joined(kRobertaTensors, kRobertaMaskedHead);
constexpr TensorCopy kRobertaMaskedCopies[] = {{"lm_head.decoder.weight", "embedding.tokens"},
                                               {"lm_head.decoder.bias", "lm_head.bias"}};

// The pooler of the pretraining is no part of a classifier or of what tells hidden tokens.
constexpr UnreadTensor kRobertaUnread[] = {{"roberta.embeddings.position_ids"}};
constexpr UnreadTensor kRobertaHeadUnread[] = {{"roberta.embeddings.position_ids"},
                                               {"roberta.pooler.dense.*"}};

}  // namespace

const Layout& roberta_model_layout() {
  static const Layout layout{.name = "RoBERTa",
                             .model_type = "roberta",
                             .architectures = {"RobertaModel"},
                             .family = text_encoder_family,
                             .config = kRobertaConfig,
                             .unsaid = kRobertaModelUnsaid,
                             .prefix = "roberta.",
                             .tensors = kRobertaModelTensors,
                             .unread = kRobertaUnread,
                             .tokenizers = one_tokenizer,
                             .read_beside = read_sentence_modules,
                             .parts = text_encoder_parts};
  return layout;
}

const Layout& roberta_classifier_layout() {
  static const Layout layout{.name = "RoBERTa",
                             .model_type = "roberta",
                             .architectures = {"RobertaForSequenceClassification"},
                             .family = classifier_family,
                             .config = kRobertaClassifierConfig,
                             .unsaid = kRobertaClassifierUnsaid,
                             .prefix = "roberta.",
                             .tensors = kRobertaClassifierTensors,
                             .unread = kRobertaHeadUnread,
                             .tokenizers = one_tokenizer,
                             .parts = text_classifier_parts};
  return layout;
}

const Layout& roberta_masked_lm_layout() {
  static const Layout layout{.name = "RoBERTa",
                             .model_type = "roberta",
                             .architectures = {"RobertaForMaskedLM"},
                             .family = masked_lm_family,
                             .config = kRobertaMaskedConfig,
                             .unsaid = kRobertaMaskedUnsaid,
                             .prefix = "roberta.",
                             .tensors = kRobertaMaskedTensors,
                             .copies = kRobertaMaskedCopies,
                             .unread = kRobertaHeadUnread,
                             .tokenizers = one_tokenizer,
                             .parts = masked_lm_parts};
  return layout;
}

}  // namespace headwater
