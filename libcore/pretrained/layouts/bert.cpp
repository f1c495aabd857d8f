// BERT and models of its kind (Devlin et al. 2019), as Hugging Face's transformers keeps them. A weight is
// [out, in] there.
#include "pretrained/layouts/foreign_config.hpp"
#include "pretrained/layouts/label_row.hpp"
#include "pretrained/layouts/language_model_files.hpp"
#include "pretrained/layouts/layout.hpp"
#include "pretrained/registry.hpp"
#include "pretrained/text_classifier.hpp"
#include "pretrained/tokenizer_files.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

// Before the labels; where it is not said as many as elsewhere.
void read_head_dropout(std::string_view name, const Json& theirs, Json& ours) {
  const std::string_view said = member_said(theirs, name) != nullptr ? name : "hidden_dropout_prob";
  ours.set("output_dropout", share_of(theirs, said, 0.1));
}
void write_head_dropout(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("output_dropout"));
}

constexpr ConfigRow kBertConfig[] = {
    count("vocab_size", "vocabulary_size", 10000000),
    count("max_position_embeddings", "length", 1000000),
    count("hidden_size", "width", 65536),
    count("num_hidden_layers", "encoder_layers", 1000),
    heads("num_attention_heads", "hidden_size"),
    count("intermediate_size", "feed_forward_width", 1000000),
    fixed("type_vocab_size", "2"),
    activation("hidden_act", "\"gelu\""),
    share("hidden_dropout_prob", "dropout", "0.1"),
    share("attention_probs_dropout_prob", "attention_dropout", "0.1"),
    own("classifier_dropout", "output_dropout", read_head_dropout, write_head_dropout),
    epsilon("layer_norm_eps", "1e-12"),
    fixed("position_embedding_type", "\"absolute\""),
    copied("pad_token_id", "pad_token_id"),
    fixed("problem_type", "\"single_label_classification\""),
    label_names_row(),
    written("dtype", "\"float32\""),
    fixed_if_said("is_decoder", "false"),
    fixed_if_said("add_cross_attention", "false"),
    absent("quantization_config", kWholeNumberWeights)};

constexpr UnsaidKey kBertUnsaid[] = {{"mixing", "attention"},
                                     {"mixing_width", kAnyValue},
                                     {"norm", "post"},
                                     {"positions", "learned"},
                                     {"head_width", kWidthByHeads},
                                     {"scale_embedding", "false"},
                                     {"segments", "2"},
                                     {"embedding_norm", "true"},
                                     {"special_tokens", "template"},
                                     {"pooling", "first"},
                                     {"pooler", "true"},
                                     {"padding", "none"},
                                     {"head", "softmax"},
                                     {"initialization", kAnyValue, "normal"}};

constexpr TensorRow kBertTensors[] = {
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
    {"bert.pooler.dense", "pooler", kLinear},
    {"classifier", "head", kLinear}};
constexpr UnreadTensor kBertUnread[] = {{"bert.embeddings.position_ids"}};  // 0, 1, 2 and so on, in old files

ExportParts bert_classifier_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedClassifier>(load_classifier(folder));
  const std::int32_t pad = loaded->tokenizer.pad_id();
  ours.set("pad_token_id", pad >= 0 ? Json(std::int64_t{pad}) : Json());
  return {{loaded, &loaded->model->parameters()},
          {tokenizer_file(loaded->tokenizer, loaded->around > 0),
           tokenizer_config_file(loaded->tokenizer, loaded->model->length())}};
}

}  // namespace

const Layout& bert_classifier_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertForSequenceClassification"},
                             .kind = classifier_kind,
                             .config = kBertConfig,
                             .unsaid = kBertUnsaid,
                             .prefix = "bert.",
                             .tensors = kBertTensors,
                             .unread = kBertUnread,
                             .tokenizers = one_tokenizer,
                             .parts = bert_classifier_parts};
  return layout;
}

}  // namespace headwater
