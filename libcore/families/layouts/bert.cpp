// BERT that gives texts a label, as Hugging Face's transformers keeps it.
#include "families/layouts/bert_rows.hpp"
#include "families/layouts/encoder_parts.hpp"
#include "families/layouts/foreign_config.hpp"
#include "families/layouts/label_row.hpp"
#include "families/layouts/layout.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

constexpr ConfigRow kHeadConfig[] = {head_dropout_row(), problem_type_row(), label_names_row()};
constexpr auto kClassifierConfig = joined(bert_rows::kEncoderConfig, kHeadConfig);

constexpr UnsaidKey kHeadUnsaid[] = {{"special_tokens", "template"},
                                     {"pairs", kAnyValue, "false"},
                                     {"pooling", "first"},
                                     {"pooler", "true"},
                                     {"head", "softmax"}};
constexpr auto kClassifierUnsaid = joined(bert_rows::kEncoderUnsaid, kHeadUnsaid);

constexpr TensorRow kHeadTensors[] = {{"classifier", "head", kLinear}};
constexpr auto kClassifierTensors = joined(bert_rows::kEncoderTensors, kHeadTensors);

}  // namespace

const Layout& bert_classifier_layout() {
  static const Layout layout{.name = "BERT",
                             .model_type = "bert",
                             .architectures = {"BertForSequenceClassification"},
                             .kind = classifier_kind,
                             .config = kClassifierConfig,
                             .unsaid = kClassifierUnsaid,
                             .prefix = "bert.",
                             .tensors = kClassifierTensors,
                             .unread = bert_rows::kEncoderUnread,
                             .tokenizers = one_tokenizer,
                             .parts = text_classifier_parts};
  return layout;
}

}  // namespace headwater
