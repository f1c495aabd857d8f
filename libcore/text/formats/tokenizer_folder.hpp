// What the files beside a tokenizer say: tokenizer_config.json, special_tokens_map.json, added_tokens.json,
// and config.json of the kind of model. Hugging Face's transformers 5 decides what each member does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/directories.hpp"
#include "support/json.hpp"
#include "text/formats/member_table.hpp"

namespace headwater {

// Which parts of a tokenizer follow from its class, whatever tokenizer.json says of them.
enum class TokenizerClass {
  file,     // none: tokenizer.json is read as it is
  bert,     // BERT's and DistilBERT's: all but the vocabulary
  gpt2,     // all but vocabulary, merges and post_processor
  roberta,  // all but vocabulary and merges
};

// In the order in which the library adds those that a vocabulary lacks.
inline constexpr const char* kTokenRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                              "pad_token", "cls_token", "mask_token"};

struct TokenizerFolder {
  static constexpr std::string_view kConfigName = "tokenizer_config.json",
                                    kMapName = "special_tokens_map.json", kAddedName = "added_tokens.json";
  std::filesystem::path folder;
  TokenizerClass tokenizer_class = TokenizerClass::file;
  Json config;                    // tokenizer_config.json; null: it is not there
  bool names_class = false;       // one of the two files does
  std::string class_name;         // as it is named, without "Fast", or that of the kind of model
  std::string model_type;         // of config.json, where no class is named
  bool keeps_json = false;        // the class makes no part of a tokenizer.json
  std::optional<bool> lowercase;  // BERT's is true where it is not said
  bool handle_chinese_chars = true, add_prefix_space = false;
  Json strip_accents;                        // null: as lowercase
  bool cleans_up_spaces = false;             // of decoded text
  std::optional<bool> has_two_vocabularies;  // of Marian
  bool adds_ends = false;                    // bos_token or eos_token around a text, without a tokenizer.json
  bool gives_segments = false;               // the second text of a pair is told apart
  std::string truncation_side;               // "left", "right"; empty: not said
  // The longest text in tokens, special ones counted; 0: not said.
  std::int64_t max_length = 0;
  // Surfaces by the names of their roles, "cls_token"; without those that no file names.
  std::map<std::string, std::string, std::less<>> roles;
  // Tokens that were added to the vocabulary, in the order of their ids, as tokenizer.json has them in
  // "added_tokens".
  Json::Array added;
  std::string added_where;    // the file and the member that say them
  bool is_added_all = false;  // they go before those of tokenizer.json
  Json::Array extra;          // special ones without a role, as there; their ids are not known
  std::map<std::string, Json, std::less<>> flags;  // of roles' tokens, by their surfaces: the same
  bool splits_special = false;                     // no special token comes from text
  bool is_ours =
      false;  // a run of train: text gives what its tokenizer.json says, and no other special token

  std::string config_path() const { return (folder / kConfigName).string(); }
  // The token of a role, by the class where no file names it; empty: none.
  std::string role(std::string_view name) const;
};

// Throws Error "file: what".
TokenizerFolder read_tokenizer_folder(const FolderFiles& folder);

// The rows of the three files.
std::span<const MemberRow> tokenizer_member_rows();
// Throws Error naming a member of tokenizer_config.json that would make other ids of a SentencePiece .model.
void check_members_beside_model(const TokenizerFolder& settings);
// The same of a tokenizer.json, of a class that makes its parts and that is read as the file says.
void check_class_arguments(const TokenizerFolder& settings, const Json& tokenizer);
// Throws Error where tokenizer_config.json asks for tokens around a text.
void check_adds_no_ends(const TokenizerFolder& settings);

}  // namespace headwater
