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

std::string json_of_vocab_txt(const TokenizerFolder& settings) {
  const fs::path path = settings.folder / "vocab.txt";
  return tokenizer_json_of_vocab_txt(read_file(path), settings, path.string());
}

std::string json_of_merges(const TokenizerFolder& settings) {
  const fs::path vocab = settings.folder / "vocab.json", merges = settings.folder / "merges.txt";
  return tokenizer_json_of_merges(read_file(vocab), vocab.string(), read_file(merges), merges.string(),
                                  settings);
}

// The files beside a .model must change nothing of it but roles.
void check_beside_model(const Tokenizer& tokenizer, const TokenizerFolder& settings) {
  constexpr const char* kAdvice = " (save the tokenizer as tokenizer.json)";
  // Their ids or their normalization are not those of the model.
  constexpr std::string_view kOthers[] = {
      "AlbertTokenizer",  "BarthezTokenizer",    "CamembertTokenizer", "FNetTokenizer",    "M2M100Tokenizer",
      "MBart50Tokenizer", "MBartTokenizer",      "NllbTokenizer",      "PegasusTokenizer", "RemBertTokenizer",
      "XGLMTokenizer",    "XLMRobertaTokenizer", "XLNetTokenizer"};
  if (std::ranges::find(kOthers, settings.class_name) != std::end(kOthers))
    throw Error(settings.config_path() + ": \"tokenizer_class\" is " + quote(settings.class_name) +
                ", which reads the model's file in another way" + kAdvice);
  if (settings.lowercase.value_or(false))
    throw Error(settings.config_path() + ": \"do_lower_case\" is true, expected false" + kAdvice);
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

static Json parsed_file(const std::string& text, const fs::path& path) {
  try {
    return Json::parse(text, path.string());
  } catch (const Error&) {
    return nullptr;  // the reader says what is wrong
  }
}

Tokenizer Tokenizer::load_with_settings(const std::filesystem::path& folder) {
  const fs::path path = folder / "tokenizer.json";
  std::string text = read_file(path);
  const TokenizerFolder settings = read_tokenizer_folder(folder);
  if (Json file = parsed_file(text, path); apply_settings(file, settings, path.string()))
    text = file.dump(2) + "\n";
  return parse_with_roles(text, path.string(), roles_of(settings));
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_directory = fs::is_directory(path, ignored);
  const std::string name = path.filename().string();
  if (is_directory && is_there(path / "tokenizer.json")) return load_with_settings(path);
  const bool has_merges = name == "vocab.json" || name == "merges.txt";
  const fs::path folder = is_directory ? path : path.parent_path();
  if (has_merges || (is_directory && has_merges_in(path))) {
    const TokenizerFolder settings = read_tokenizer_folder(folder);
    return parse_with_roles(json_of_merges(settings), path.string(), roles_of(settings));
  }
  if (name == "vocab.txt" || (is_directory && is_there(path / "vocab.txt"))) {
    const TokenizerFolder settings = read_tokenizer_folder(folder);
    return parse_with_roles(json_of_vocab_txt(settings), path.string(), roles_of(settings));
  }
  for (const char* model : kSentencePieceNames) {
    if (!is_directory || !is_there(path / model)) continue;
    const fs::path file = path / model;
    const TokenizerFolder settings = read_tokenizer_folder(path);
    Tokenizer tokenizer = parse_with_roles(read_file(file), file.string(), roles_of(settings));
    check_beside_model(tokenizer, settings);
    return tokenizer;
  }
  return parse_any(read_file(path), path.string());
}

Tokenizer Tokenizer::parse_any(std::string_view file, std::string_view where) {
  if (file.starts_with(kSubwordsHeader))
    return parse(subword_text_encoder_json(parse_subwords(file, where)), where);
  return parse(file, where);
}

}  // namespace headwater
