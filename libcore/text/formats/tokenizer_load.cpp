// Which file, or which files of a directory, a tokenizer is read from.
#include <algorithm>

#include "support/error.hpp"
#include "support/files.hpp"
#include "text/formats/foreign_tokenizers.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {
namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// An object, or null where the file is not there.
Json read_settings(const fs::path& path) {
  if (!is_there(path)) return nullptr;
  Json settings = Json::parse(read_file(path), path.string());
  if (!settings.is_object()) throw Error(path.string() + ": expected an object");
  return settings;
}

// A special token is named by its text, or by an object that has it as "content".
std::string token_name(const Json& settings, std::string_view member) {
  const Json* token = settings.is_object() ? settings.find(member) : nullptr;
  if (token != nullptr && token->is_object()) token = token->find("content");
  return token != nullptr && token->is_string() ? token->as_string() : std::string();
}

std::string first_name(const Json& first, const Json& second,
                       std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members) {
    for (const Json* settings : {&first, &second}) {
      if (std::string name = token_name(*settings, member); !name.empty()) return name;
    }
  }
  return {};
}

struct Directory {
  explicit Directory(fs::path path)
      : folder(std::move(path)), config(read_settings(folder / "tokenizer_config.json")) {
    const Json map = read_settings(folder / "special_tokens_map.json");
    roles = {.pad = first_name(config, map, {"pad_token"}),
             .start = first_name(config, map, {"bos_token", "cls_token"}),
             .end = first_name(config, map, {"eos_token", "sep_token"})};
  }
  bool option(std::string_view name, bool otherwise) const {
    return config.is_null()
               ? otherwise
               : json_bool_or(config, name, otherwise, (folder / "tokenizer_config.json").string());
  }
  fs::path folder;
  Json config;
  SpecialTokenRoles roles;
};

std::string json_of_vocab_txt(const Directory& directory) {
  const fs::path path = directory.folder / "vocab.txt";
  BertOptions options{.lowercase = directory.option("do_lower_case", true),
                      .handle_chinese_chars = directory.option("tokenize_chinese_chars", true),
                      .strip_accents = nullptr};
  if (const Json* strip = directory.config.is_null() ? nullptr : directory.config.find("strip_accents");
      strip != nullptr && !strip->is_null()) {
    options.strip_accents = directory.option("strip_accents", true);
  }
  return tokenizer_json_of_vocab_txt(read_file(path), options, path.string());
}

std::string json_of_merges(const Directory& directory) {
  const fs::path vocab = directory.folder / "vocab.json", merges = directory.folder / "merges.txt";
  if (is_there(directory.folder / "added_tokens.json")) {
    throw Error((directory.folder / "added_tokens.json").string() +
                ": not supported beside merges.txt (save the tokenizer as tokenizer.json)");
  }
  return tokenizer_json_of_merges(read_file(vocab), vocab.string(), read_file(merges), merges.string(),
                                  {.add_prefix_space = directory.option("add_prefix_space", false)});
}

constexpr const char* kSentencePieceNames[] = {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"};

bool has_merges_in(const fs::path& directory) {
  return is_there(directory / "vocab.json") && is_there(directory / "merges.txt");
}

}  // namespace

bool Tokenizer::is_in(const std::filesystem::path& directory) {
  return is_there(directory / "tokenizer.json") || has_merges_in(directory) ||
         is_there(directory / "vocab.txt") || std::ranges::any_of(kSentencePieceNames, [&](const char* name) {
           return is_there(directory / name);
         });
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_directory = fs::is_directory(path, ignored);
  const std::string name = path.filename().string();
  if (is_directory && is_there(path / "tokenizer.json")) {
    const fs::path file = path / "tokenizer.json";
    return parse_with_roles(read_file(file), file.string(), Directory(path).roles);
  }
  const bool has_merges = name == "vocab.json" || name == "merges.txt";
  if (has_merges || (is_directory && has_merges_in(path))) {
    const Directory directory(is_directory ? path : path.parent_path());
    return parse_with_roles(json_of_merges(directory), path.string(), directory.roles);
  }
  if (name == "vocab.txt" || (is_directory && is_there(path / "vocab.txt"))) {
    const Directory directory(is_directory ? path : path.parent_path());
    return parse_with_roles(json_of_vocab_txt(directory), path.string(), directory.roles);
  }
  for (const char* model : kSentencePieceNames) {
    if (!is_directory || !is_there(path / model)) continue;
    const fs::path file = path / model;
    return parse_with_roles(read_file(file), file.string(), Directory(path).roles);
  }
  return parse_any(read_file(path), path.string());
}

Tokenizer Tokenizer::parse_any(std::string_view file, std::string_view where) {
  if (file.starts_with(kSubwordsHeader))
    return parse(subword_text_encoder_json(parse_subwords(file, where)), where);
  return parse(file, where);
}

}  // namespace headwater
