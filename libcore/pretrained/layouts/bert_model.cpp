// BERT without a head, as Hugging Face's transformers keeps it, in directories of sentence-transformers too.
#include "pretrained/layouts/bert_rows.hpp"
#include "pretrained/layouts/encoder_parts.hpp"
#include "pretrained/layouts/language_model_files.hpp"
#include "pretrained/layouts/sentence_transformers.hpp"
#include "pretrained/registry.hpp"

namespace headwater {

namespace {

constexpr auto kBertModelUnsaid = joined(bert_rows::kEncoderUnsaid, kVectorUnsaid);

}  // namespace

const Layout& bert_model_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertModel"},
                             .kind = text_encoder_kind,
                             .config = bert_rows::kEncoderConfig,
                             .unsaid = kBertModelUnsaid,
                             .prefix = "bert.",
                             .tensors = bert_rows::kEncoderTensors,
                             .unread = bert_rows::kEncoderUnread,
                             .tokenizers = one_tokenizer,
                             .read_beside = read_sentence_modules,
                             .parts = text_encoder_parts};
  return layout;
}

}  // namespace headwater
