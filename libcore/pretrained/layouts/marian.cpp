// A directory in Marian's layout, read whole.
#include "pretrained/layouts/marian.hpp"

#include <algorithm>

#include "pretrained/generation_config.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/tokenizer_files.hpp"
#include "support/error.hpp"
#include "text/formats/marian_tokenizer.hpp"

namespace headwater {

namespace {

struct TokenizerSides {
  Tokenizer source, target;
  bool appends_end = false;  // to sources
};

TokenizerSides marian_tokenizers(const ModelFolder& folder) {
  const std::filesystem::path& files = folder.path;
  const auto has = [&](const char* name) { return folder.has(name); };
  if (has("source-tokenizer.json") && has("target-tokenizer.json")) {
    return {Tokenizer::load(files / "source-tokenizer.json"),
            Tokenizer::load(files / "target-tokenizer.json")};
  }
  if (has("tokenizer.json")) {
    const Tokenizer both = Tokenizer::load(files / "tokenizer.json");
    return {both, both};
  }
  if (has("source.spm") && has("target.spm") && has("vocab.json")) {
    const MarianVocabulary source = read_marian_vocabulary(files / "vocab.json");
    const bool has_two = has("target_vocab.json");
    return {load_marian_tokenizer(files / "source.spm", source),
            load_marian_tokenizer(files / "target.spm",
                                  has_two ? read_marian_vocabulary(files / "target_vocab.json") : source),
            true};
  }
  throw Error(
      files.string() +
      ": has no tokenizer.json, and no source.spm with target.spm and vocab.json (a model without its "
      "tokenizers reads no text)");
}

void check_rows(const Tokenizer& tokenizer, Index rows, const std::string& side,
                const std::filesystem::path& files) {
  if (tokenizer.vocabulary_size() <= rows) return;
  throw Error(files.string() + ": the " + side + " tokenizer has " +
              std::to_string(tokenizer.vocabulary_size()) + " tokens, config.json has rows for " +
              std::to_string(rows));
}

// Their max_length counts the start, and the end where that is forced to be the last of so many. 0: not said.
std::int64_t max_new_tokens_of(const GenerationConfig& generation, const Json& config) {
  if (!generation.max_length) return 0;
  const Json* const forced = config.find("forced_eos_token_id");
  const bool forces_end = generation.forces_end.value_or(forced != nullptr && !forced->is_null());
  return std::max<std::int64_t>(1, *generation.max_length - (forces_end ? 2 : 1));
}

}  // namespace

LoadedTranslator load_marian(const ModelFolder& folder) {
  const std::filesystem::path& files = folder.path;
  std::unique_ptr<EncoderDecoder> model =
      encoder_decoder_of_config(folder.config, folder.config_path().string());
  auto [source, target, appends_end] = marian_tokenizers(folder);
  check_rows(source, model->source_vocabulary(), "source", files);
  check_rows(target, model->target_vocabulary(), "target", files);
  read_marian_parameters(folder.weights(), model->parameters());
  const GenerationConfig generation = read_generation_config(folder);
  return {.files = files,
          .source_tokenizer = std::move(source),
          .target_tokenizer = std::move(target),
          .model = std::move(model),
          .max_new_tokens = max_new_tokens_of(generation, folder.config),
          .decoding = generation.decoding,
          .ids = marian_ids(folder.config),
          .uses_template = true,
          .appends_end = appends_end};
}

// What their search never chooses, as ours: padding, start, the unknown token, and rows without a token.
static Json marian_generation_config(const LoadedTranslator& model) {
  const std::int64_t length = model.model->length(), most = model.max_new_tokens;
  Json::Array suppressed;
  for (const std::int32_t id : {model.ids.pad, model.ids.start, model.target_tokenizer.unknown_id()}) {
    const Json value(std::int64_t{id});
    if (id >= 0 && id != model.ids.end) suppressed.push_back(value);
  }
  for (std::int64_t id = model.target_tokenizer.vocabulary_size(); id < model.model->target_vocabulary();
       ++id)
    suppressed.emplace_back(id);
  Json config;
  config.set("decoder_start_token_id", std::int64_t{model.ids.start});
  config.set("eos_token_id", std::int64_t{model.ids.end});
  config.set("pad_token_id", std::int64_t{model.ids.pad});
  config.set("max_length", (most > 0 ? std::min(most, length) : length) + 1);
  write_decoding(config, model.decoding);
  config.set("suppress_tokens", std::move(suppressed));
  return config;
}

std::vector<DirectoryFile> marian_files(const LoadedTranslator& model) {
  if (model.appends_end)
    throw Error(
        "has tokenizers of SentencePiece, which are not exported (the directory is in that layout already)");
  return {{"config.json", marian_config_of(*model.model, model.ids).dump(2) + "\n"},
          {"generation_config.json", marian_generation_config(model).dump(2) + "\n"},
          tokenizer_file(model.source_tokenizer, model.uses_template),
          tokenizer_config_file(model.source_tokenizer, model.model->length()),
          {"source-tokenizer.json", tokenizer_text(model.source_tokenizer, model.uses_template)},
          {"target-tokenizer.json", model.target_tokenizer.to_json()}};
}

}  // namespace headwater
