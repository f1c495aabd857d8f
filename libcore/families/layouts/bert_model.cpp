// BERT without a head, as Hugging Face's transformers keeps it, in directories of sentence-transformers too.
#include "families/layouts/bert_rows.hpp"
#include "families/layouts/encoder_parts.hpp"
#include "families/layouts/sentence_transformers.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"

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
