// BERT without a head, as Hugging Face's transformers keeps it, in directories of sentence-transformers too.
#include <memory>
#include <utility>

#include "pretrained/layouts/bert_rows.hpp"
#include "pretrained/layouts/language_model_files.hpp"
#include "pretrained/layouts/sentence_transformers.hpp"
#include "pretrained/registry.hpp"
#include "pretrained/text_encoder.hpp"
#include "pretrained/tokenizer_files.hpp"

namespace headwater {

namespace {

// Files beside config.json say it.
constexpr UnsaidKey kVectorUnsaid[] = {{"pooling", kAnyValue, "mean"},
                                       {"pooler", kAnyValue, "false"},
                                       {"normalize", kAnyValue, "false"},
                                       {"max_tokens", kAnyValue, "0"},
                                       {"output_dropout", kAnyValue, "0"}};
constexpr auto kBertModelUnsaid = joined(bert_rows::kEncoderUnsaid, kVectorUnsaid);

ExportParts bert_model_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedTextEncoder>(load_text_encoder(folder));
  const TextEmbedder& model = *loaded->model;
  const std::int32_t pad = loaded->tokenizer.pad_id();
  ours.set("pad_token_id", pad >= 0 ? Json(std::int64_t{pad}) : Json());
  ExportParts parts{.parameters = {loaded, &model.parameters()},
                    .files = {tokenizer_file(loaded->tokenizer, true),
                              tokenizer_config_file(loaded->tokenizer, model.length())}};
  for (DirectoryFile& file : sentence_modules(model.settings())) parts.files.push_back(std::move(file));
  return parts;
}

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
                             .parts = bert_model_parts};
  return layout;
}

}  // namespace headwater
