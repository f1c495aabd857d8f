#include "families/layouts/encoder_parts.hpp"

#include <memory>
#include <utility>

#include "families/classifier/directory.hpp"
#include "families/layouts/config_table.hpp"
#include "families/masked_lm/directory.hpp"
#include "families/text_encoder/directory.hpp"
#include "families/text_encoder/sentence_transformers.hpp"
#include "families/tokenizer_files.hpp"

namespace headwater {

void read_head_dropout(std::string_view name, const Json& theirs, Json& ours) {
  const std::string_view said = member_said(theirs, name) != nullptr ? name : "hidden_dropout_prob";
  ours.set("output_dropout", share_of(theirs, said, 0.1));
}
void write_head_dropout(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("output_dropout"));
}

static void set_padding(const Tokenizer& tokenizer, Json& ours) {
  const std::int32_t pad = tokenizer.pad_id();
  ours.set("pad_token_id", pad >= 0 ? Json(std::int64_t{pad}) : Json());
}

ExportParts text_encoder_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedTextEncoder>(load_text_encoder(folder));
  TextEmbedderSettings settings = loaded->model->settings();
  settings.max_tokens = loaded->length;
  set_padding(loaded->tokenizer, ours);
  ExportParts parts{
      .parameters = {loaded, &loaded->model->parameters()},
      .files = {{"tokenizer.json", published_tokenizer_text(loaded->tokenizer, true)},
                tokenizer_config_file(loaded->tokenizer, loaded->length, settings.segments == 2)}};
  for (DirectoryFile& file : sentence_modules(settings)) parts.files.push_back(std::move(file));
  return parts;
}

ExportParts text_classifier_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedClassifier>(load_classifier(folder));
  set_padding(loaded->tokenizer, ours);
  return {{loaded, &loaded->model->parameters()},
          {{"tokenizer.json", published_tokenizer_text(loaded->tokenizer, loaded->around > 0)},
           tokenizer_config_file(loaded->tokenizer, loaded->length, loaded->model->segments() == 2)}};
}

// The text of a tokenizer.json whose mask takes the white space before it, as a word of this tokenizer does.
static std::string with_mask_before_space(const std::string& text, const std::string& mask) {
  Json file = Json::parse(text, "tokenizer.json");
  Json::Array tokens = file.at("added_tokens").as_array();
  for (Json& token : tokens) {
    if (token.at("content").as_string() == mask) token.set("lstrip", true);
  }
  file.set("added_tokens", std::move(tokens));
  return file.dump(2) + "\n";
}

ExportParts masked_lm_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedMaskedLm>(load_masked_lm(folder));
  set_padding(loaded->tokenizer, ours);
  std::string tokenizer = published_tokenizer_text(loaded->tokenizer, true);
  if (loaded->takes_space && loaded->published_mask.empty())
    tokenizer = with_mask_before_space(tokenizer, loaded->mask());
  return {
      {loaded, &loaded->model->parameters()},
      {{"tokenizer.json", std::move(tokenizer)},
       tokenizer_config_file(loaded->tokenizer, loaded->length, loaded->model->settings().segments == 2)}};
}

}  // namespace headwater
