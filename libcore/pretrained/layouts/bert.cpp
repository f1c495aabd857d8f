// BERT that gives texts a label, as Hugging Face's transformers keeps it.
#include "pretrained/layouts/bert_rows.hpp"
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

constexpr ConfigRow kHeadConfig[] = {
    own("classifier_dropout", "output_dropout", read_head_dropout, write_head_dropout),
    fixed("problem_type", "\"single_label_classification\""), label_names_row()};
constexpr auto kClassifierConfig = joined(bert_rows::kEncoderConfig, kHeadConfig);

constexpr UnsaidKey kHeadUnsaid[] = {
    {"special_tokens", "template"}, {"pooling", "first"}, {"pooler", "true"}, {"head", "softmax"}};
constexpr auto kClassifierUnsaid = joined(bert_rows::kEncoderUnsaid, kHeadUnsaid);

constexpr TensorRow kHeadTensors[] = {{"classifier", "head", kLinear}};
constexpr auto kClassifierTensors = joined(bert_rows::kEncoderTensors, kHeadTensors);

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
                             .config = kClassifierConfig,
                             .unsaid = kClassifierUnsaid,
                             .prefix = "bert.",
                             .tensors = kClassifierTensors,
                             .unread = bert_rows::kEncoderUnread,
                             .tokenizers = one_tokenizer,
                             .parts = bert_classifier_parts};
  return layout;
}

}  // namespace headwater
