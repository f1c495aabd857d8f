// A directory in Marian's layout, read whole.
#include "pretrained/layouts/marian.hpp"

#include <algorithm>

#include "pretrained/generation_config.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/tokenizer_files.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/formats/marian_tokenizer.hpp"

namespace headwater {

namespace {

struct TokenizerSides {
  Tokenizer source, target;
  bool appends_end = false;  // to sources
};

TokenizerSides marian_tokenizers(const std::filesystem::path& files) {
  const auto has = [&](const char* name) {
    std::error_code ignored;
    return std::filesystem::exists(files / name, ignored);
  };
  if (has("source-tokenizer.json") && has("target-tokenizer.json")) {
    return {Tokenizer::load(files / "source-tokenizer.json"),
            Tokenizer::load(files / "target-tokenizer.json")};
  }
  if (has("tokenizer.json")) {
    const Tokenizer both = Tokenizer::load(files / "tokenizer.json");
    return {both, both};
  }
  if (has("source.spm") && has("target.spm") && has("vocab.json")) {
    return {load_marian_tokenizer(files / "source.spm", files / "vocab.json"),
            load_marian_tokenizer(files / "target.spm",
                                  files / (has("target_vocab.json") ? "target_vocab.json" : "vocab.json")),
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
std::int64_t max_new_tokens_of(const std::filesystem::path& files, const Json& config) {
  const std::optional<std::int64_t> most = read_max_length(files);
  if (!most) return 0;
  const std::filesystem::path path = files / "generation_config.json";
  const Json generation = Json::parse(read_file(path, 1 << 20), path.string());
  bool forces_end = false;
  for (const Json* file : {&config, &generation}) {
    if (const Json* const end = file->find("forced_eos_token_id"); end != nullptr)
      forces_end = !end->is_null();
  }
  return std::max<std::int64_t>(1, *most - (forces_end ? 2 : 1));
}

}  // namespace

LoadedTranslator load_marian(const std::filesystem::path& files, const Json& config) {
  std::unique_ptr<EncoderDecoder> model = encoder_decoder_of_config(config, (files / "config.json").string());
  auto [source, target, appends_end] = marian_tokenizers(files);
  check_rows(source, model->source_vocabulary(), "source", files);
  check_rows(target, model->target_vocabulary(), "target", files);
  read_marian_parameters(weights_of(files), model->parameters());
  const std::int64_t most = max_new_tokens_of(files, config);
  return {.files = files,
          .source_tokenizer = std::move(source),
          .target_tokenizer = std::move(target),
          .model = std::move(model),
          .max_new_tokens = most,
          .decoding = read_decoding(files),
          .ids = marian_ids(config),
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
