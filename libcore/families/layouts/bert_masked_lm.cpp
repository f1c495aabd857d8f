// BERT that tells hidden tokens and, where it does, whether a text follows another, as Hugging Face's
// transformers keeps it.
#include <algorithm>

#include "families/layouts/bert_rows.hpp"
#include "families/layouts/encoder_parts.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

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
  if (folder.weights().find(kNextSentenceWeight) == nullptr) ours.set("next_sentence", false);
}

constexpr ConfigRow kMaskedConfig[] = {
    own("architectures", "next_sentence", read_next_sentence, write_next_sentence),
    fixed_if_said("tie_word_embeddings", "true")};
constexpr auto kBertMaskedConfig = joined(bert_rows::kEncoderConfig, kMaskedConfig);

constexpr UnsaidKey kMaskedUnsaid[] = {{"span_boundary", "false"}};
constexpr auto kBertMaskedUnsaid = joined(bert_rows::kEncoderUnsaid, kMaskedUnsaid);

constexpr TensorRow kMaskedTensors[] = {{"cls.predictions.transform.dense", "lm_head.transform", kLinear},
                                        {"cls.predictions.transform.LayerNorm", "lm_head.norm", kNorm},
                                        {"cls.predictions.bias", "lm_head.bias", kTensor},
                                        {"cls.seq_relationship", "next_sentence", kLinear}};
constexpr auto kBertMaskedTensors = joined(bert_rows::kEncoderTensors, kMaskedTensors);

// Old files have the decoder beside the table that it is.
constexpr TensorCopy kDecoder[] = {{"cls.predictions.decoder.weight", "embedding.tokens"},
                                   {"cls.predictions.decoder.bias", "lm_head.bias"}};

// What a model that tells no next sentence leaves.
constexpr UnreadTensor kMaskedUnread[] = {{"bert.pooler.dense.*"}, {"cls.seq_relationship.*"}};
constexpr auto kBertMaskedUnread = joined(bert_rows::kEncoderUnread, kMaskedUnread);

}  // namespace

const Layout& bert_masked_lm_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertForMaskedLM", kWithNextSentence},
                             .kind = masked_lm_kind,
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
