// Which file, or which files of a directory, a tokenizer is read from.
#include <algorithm>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "text/formats/class_parts.hpp"
#include "text/formats/foreign_tokenizers.hpp"
#include "text/formats/tokenizer_folder.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {
namespace {

SpecialTokenRoles roles_of(const TokenizerFolder& settings) {
  const auto first = [&](const char* name, const char* other) {
    std::string surface = settings.role(name);
    return surface.empty() ? settings.role(other) : surface;
  };
  return {.pad = settings.role("pad_token"),
          .start = first("bos_token", "cls_token"),
          .end = first("eos_token", "sep_token")};
}

std::string json_of_tokenizer_json(const FolderFiles& folder, const TokenizerFolder& settings) {
  const std::string where = (folder.path / "tokenizer.json").string();
  const std::string& text = folder.read("tokenizer.json");
  Json file;
  try {
    file = Json::parse(text, where);
  } catch (const Error&) {
    return text;  // the reader says what is wrong
  }
  return apply_settings(file, settings, where) ? file.dump(2) + "\n" : text;
}

std::string json_of_vocab_txt(const FolderFiles& folder, const TokenizerFolder& settings) {
  return tokenizer_json_of_vocab_txt(folder.read("vocab.txt"), settings,
                                     (folder.path / "vocab.txt").string());
}

std::string json_of_merges(const FolderFiles& folder, const TokenizerFolder& settings) {
  return tokenizer_json_of_merges(folder.read("vocab.json"), (folder.path / "vocab.json").string(),
                                  folder.read("merges.txt"), (folder.path / "merges.txt").string(), settings);
}

// The files beside a .model must change nothing of it but roles.
void check_beside_model(const Tokenizer& tokenizer, const TokenizerFolder& settings) {
  constexpr const char* kAdvice = " (save the tokenizer as tokenizer.json)";
  // Their ids or their normalization are not those of the model.
  constexpr std::string_view kOthers[] = {
      "AlbertTokenizer",     "BarthezTokenizer", "BartphoTokenizer",     "CamembertTokenizer",
      "CpmTokenizer",        "FNetTokenizer",    "LasrTokenizer",        "LayoutXLMTokenizer",
      "M2M100Tokenizer",     "MBart50Tokenizer", "MBartTokenizer",       "MLukeTokenizer",
      "NllbTokenizer",       "PLBartTokenizer",  "PegasusTokenizer",     "ReformerTokenizer",
      "RemBertTokenizer",    "SiglipTokenizer",  "SeamlessM4TTokenizer", "Speech2TextTokenizer",
      "Tipsv2Tokenizer",     "UdopTokenizer",    "VideoPrismTokenizer",  "XGLMTokenizer",
      "XLMRobertaTokenizer", "XLNetTokenizer"};
  if (settings.tokenizer_class != TokenizerClass::file ||
      std::ranges::find(kOthers, settings.class_name) != std::end(kOthers))
    throw Error((settings.names_class
                     ? settings.config_path() + ": \"tokenizer_class\" is " + quote(settings.class_name)
                     : (settings.folder / "config.json").string() + ": \"model_type\" is " +
                           quote(settings.model_type)) +
                ", which reads the model's file in another way" + kAdvice);
  check_members_beside_model(settings);
  for (const Json& token : settings.added) {
    const std::int64_t id = token.at("id").as_integer();
    const std::string& surface = token.at("content").as_string();
    if (id < tokenizer.vocabulary_size() && tokenizer.surface(static_cast<std::int32_t>(id)) != surface)
      throw Error(settings.added_where + ": the id " + std::to_string(id) + " of " + quote(surface) +
                  " is not that of the model" + kAdvice);
    if (!token.at("special").as_bool())
      throw Error(settings.added_where + ": " + quote(surface) + " is not special" + kAdvice);
  }
  if (const std::string surface = special_without_role(settings); !surface.empty())
    throw Error(settings.config_path() + ": the special token " + quote(surface) +
                " can stand in a text, where beside a .model none is found" + kAdvice);
}

constexpr const char* kSentencePieceNames[] = {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"};

}  // namespace

bool Tokenizer::is_in(const std::filesystem::path& directory) {
  return is_there(directory / "tokenizer.json") || is_there(directory / "vocab.txt") ||
         (is_there(directory / "vocab.json") && is_there(directory / "merges.txt")) ||
         std::ranges::any_of(kSentencePieceNames,
                             [&](const char* name) { return is_there(directory / name); });
}

Tokenizer Tokenizer::load(const FolderFiles& folder) {
  const std::string where = folder.path.string();
  const auto read_as = [&](const std::string& place, const auto& text_of) {
    const TokenizerFolder settings = read_tokenizer_folder(folder);
    return parse_with_roles(text_of(folder, settings), place, roles_of(settings));
  };
  if (folder.has("tokenizer.json"))
    return read_as((folder.path / "tokenizer.json").string(), json_of_tokenizer_json);
  if (folder.has("vocab.json") && folder.has("merges.txt")) return read_as(where, json_of_merges);
  if (folder.has("vocab.txt")) return read_as(where, json_of_vocab_txt);
  for (const char* name : kSentencePieceNames) {
    if (!folder.has(name)) continue;
    const TokenizerFolder settings = read_tokenizer_folder(folder);
    Tokenizer tokenizer =
        parse_with_roles(folder.read(name), (folder.path / name).string(), roles_of(settings));
    check_beside_model(tokenizer, settings);
    return tokenizer;
  }
  return parse_any(read_file(folder.path), where);  // which says that it is a folder
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return load(FolderFiles(path));
  const FolderFiles folder(path.parent_path());
  const std::string name = path.filename().string();
  if (name == "vocab.json" || name == "merges.txt" || name == "vocab.txt") {
    const TokenizerFolder settings = read_tokenizer_folder(folder);
    const auto text_of = name == "vocab.txt" ? json_of_vocab_txt : json_of_merges;
    return parse_with_roles(text_of(folder, settings), path.string(), roles_of(settings));
  }
  return parse_any(read_file(path), path.string());
}

Tokenizer Tokenizer::parse_any(std::string_view file, std::string_view where) {
  if (file.starts_with(kSubwordsHeader))
    return parse(subword_text_encoder_json(parse_subwords(file, where)), where);
  return parse(file, where);
}

}  // namespace headwater
