#include "text/formats/tokenizer_folder.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "support/error.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {
namespace {

// An object, or null where the file is not there.
Json read_object(const FolderFiles& folder, std::string_view name) {
  if (!folder.has(name)) return nullptr;
  const std::string where = (folder.path / name).string();
  Json object = Json::parse(folder.read(name), where);
  check_rows(tokenizer_member_rows(), name, object, where);
  return object;
}

const Json* said(const Json& object, std::string_view name) {
  const Json* member = object.is_object() ? object.find(name) : nullptr;
  return member == nullptr || member->is_null() ? nullptr : member;
}

// A token is named by its text, or by an object that has it as "content".
std::string token_name(const Json& token, std::string_view member, const std::string& where) {
  const Json* content = token.is_object() ? token.find("content") : &token;
  if (content == nullptr || !content->is_string())
    throw Error(where + ": " + quote(member) + ": expected a token, or an object with its \"content\"");
  return content->as_string();
}

// As tokenizer.json has it in "added_tokens", without its id.
Json special_token(const Json& token, std::string_view member, const std::string& where) {
  Json one = added_token_json(token_name(token, member, where), -1);
  if (!token.is_object()) return one;
  for (const char* flag : {"single_word", "lstrip", "rstrip"})
    one.set(flag, json_bool_or(token, flag, false, where));
  // The library makes special whatever special_tokens_map.json names.
  const bool is_special =
      json_bool_or(token, "special", false, where) || where.ends_with(TokenizerFolder::kMapName);
  one.set("normalized", json_bool_or(token, "normalized", !is_special, where)).set("special", is_special);
  return one;
}

struct ClassName {
  std::string_view name;
  TokenizerClass means;
  bool gives_segments = false, keeps_json = false;
};
// Some are other names of the same class.
constexpr ClassName kClassNames[] = {{"BertTokenizer", TokenizerClass::bert, true},
                                     {"DistilBertTokenizer", TokenizerClass::bert},
                                     {"ElectraTokenizer", TokenizerClass::bert, true},
                                     {"LayoutLMTokenizer", TokenizerClass::bert, true},
                                     {"LxmertTokenizer", TokenizerClass::bert, true},
                                     {"MobileBertTokenizer", TokenizerClass::bert, true},
                                     {"SqueezeBertTokenizer", TokenizerClass::bert, true},
                                     {"ConvBertTokenizer", TokenizerClass::bert, true, true},
                                     {"DPRContextEncoderTokenizer", TokenizerClass::bert, true, true},
                                     {"DPRQuestionEncoderTokenizer", TokenizerClass::bert, true, true},
                                     {"DPRReaderTokenizer", TokenizerClass::bert, false, true},
                                     {"GPT2Tokenizer", TokenizerClass::gpt2},
                                     {"RobertaTokenizer", TokenizerClass::roberta},
                                     {"BartTokenizer", TokenizerClass::roberta},
                                     {"LEDTokenizer", TokenizerClass::roberta},
                                     {"LongformerTokenizer", TokenizerClass::roberta}};
// The classes of kinds of models.
constexpr std::pair<std::string_view, std::string_view> kClassesOfModelTypes[] = {
    {"BertTokenizer",
     "bert or bros or chinese_clip or convbert or distilbert or electra or ernie or layoutlm or "
     "megatron-bert or nezha or nomic_bert or qdqbert or realm or retribert or squeezebert or visual_bert"},
    {"MobileBertTokenizer", "mobilebert"},
    {"LxmertTokenizer", "lxmert"},
    {"DPRQuestionEncoderTokenizer", "dpr"},
    {"GPT2Tokenizer", "codegen or gpt2 or gpt_neo or gptj or opt or phi or starcoder2"},
    {"RobertaTokenizer",
     "bart or data2vec-text or ibert or lilt or longformer or mra or roberta or roberta-prelayernorm"},
    {"LEDTokenizer", "led"},
    {"AlbertTokenizer", "albert or yoso"},
    {"BarthezTokenizer", "barthez"},
    {"CamembertTokenizer", "camembert"},
    {"FNetTokenizer", "fnet"},
    {"M2M100Tokenizer", "m2m_100"},
    {"MBartTokenizer", "mbart"},
    {"MBart50Tokenizer", "mbart50"},
    {"NllbTokenizer", "nllb or nllb-moe"},
    {"PegasusTokenizer", "pegasus"},
    {"PLBartTokenizer", "plbart"},
    {"RemBertTokenizer", "rembert"},
    {"SeamlessM4TTokenizer", "seamless_m4t or seamless_m4t_v2"},
    {"SiglipTokenizer", "siglip"},
    {"T5Tokenizer", "mt5 or switch_transformers or t5"},
    {"XGLMTokenizer", "xglm"},
    {"XLMRobertaTokenizer", "gte or jina_embeddings_v3 or xlm-roberta or xmod"},
    {"XLNetTokenizer", "xlnet"}};

class SettingsReader {
 public:
  explicit SettingsReader(const FolderFiles& folder)
      : folder_(folder),
        config_(read_object(folder, TokenizerFolder::kConfigName)),
        map_(read_object(folder, TokenizerFolder::kMapName)) {
    settings_.folder = folder.path;
    settings_.is_ours = folder.has("recipe.yaml");
  }

  TokenizerFolder read() {
    try {
      read_class();
      if (!config_.is_null()) read_options();
    } catch (const Error& error) {  // of a member's type
      const std::string what = error.what();
      if (what.starts_with(settings_.folder.string())) throw;
      throw Error(settings_.config_path() + ": " + what);
    }
    // As transformers does: beside added_tokens_decoder the two other files do not count.
    const bool has_decoder = said(config_, "added_tokens_decoder") != nullptr;
    read_roles(config_, settings_.config_path());
    if (!has_decoder) read_roles(map_, (settings_.folder / TokenizerFolder::kMapName).string());
    read_named(config_, settings_.config_path());
    read_extra(config_, settings_.config_path());
    if (!has_decoder) {
      read_named(map_, map_path());
      read_extra(map_, map_path());
    }
    if (has_decoder) {
      read_decoder(config_.at("added_tokens_decoder"));
    } else {
      read_added_file();
    }
    settings_.config = std::move(config_);
    return std::move(settings_);
  }

 private:
  std::string map_path() const { return (settings_.folder / TokenizerFolder::kMapName).string(); }

  void read_class() {
    constexpr std::string_view kModelConfig = "config.json";
    constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{1} << 26;
    const Json* name = said(config_, "tokenizer_class");
    Json model;
    if (name == nullptr && folder_.has(kModelConfig)) {
      model = Json::parse(folder_.read(kModelConfig, kMaxConfigBytes),
                          (settings_.folder / kModelConfig).string());
      name = said(model, "tokenizer_class");
    }
    if (name == nullptr) name = said(model, "tokenizer_class");
    if (name != nullptr) {
      std::string_view called = name->as_string();
      if (called.ends_with("Fast")) called.remove_suffix(4);
      take_class(called);
      settings_.names_class = true;
    } else if (const Json* type = said(model, "model_type"); type != nullptr && type->is_string()) {
      settings_.model_type = type->as_string();
      for (const auto& [called, model_types] : kClassesOfModelTypes) {
        if (is_one_of_values(type->as_string(), model_types)) take_class(called);
      }
    }
  }

  void take_class(std::string_view name) {
    settings_.class_name = name;
    const ClassName* const found = std::ranges::find(kClassNames, name, &ClassName::name);
    if (found == std::end(kClassNames)) return;
    settings_.tokenizer_class = found->means;
    settings_.gives_segments = found->gives_segments;
    settings_.keeps_json = found->keeps_json;
  }

  bool option(std::string_view name, bool otherwise) const {
    return json_bool_or(config_, name, otherwise, settings_.config_path());
  }

  void read_options() {
    // DPR's classes take it and do not pass it on.
    if (said(config_, "do_lower_case") != nullptr && !settings_.class_name.starts_with("DPR"))
      settings_.lowercase = option("do_lower_case", true);
    settings_.handle_chinese_chars = option("tokenize_chinese_chars", true);
    settings_.add_prefix_space = option("add_prefix_space", false);
    if (said(config_, "strip_accents") != nullptr) settings_.strip_accents = option("strip_accents", true);
    settings_.cleans_up_spaces = option("clean_up_tokenization_spaces", false);
    settings_.has_two_vocabularies = option("separate_vocabs", false);
    settings_.adds_ends = option("add_bos_token", false) || option("add_eos_token", false);
    settings_.splits_special = option("split_special_tokens", false);
    if (const Json* names = said(config_, "model_input_names"); names != nullptr) {
      settings_.gives_segments = std::ranges::any_of(names->as_array(), [](const Json& name) {
        return name.is_string() && name.as_string() == "token_type_ids";
      });
    }
    if (const Json* side = said(config_, "truncation_side"); side != nullptr)
      settings_.truncation_side = side->as_string();
    const Json* length = said(config_, "model_max_length");
    if (config_.find("model_max_length") == nullptr) length = said(config_, "max_len");
    if (length != nullptr) settings_.max_length = length_of(*length);
  }

  // "No limit" is written as 1e30.
  std::int64_t length_of(const Json& member) const {
    constexpr double kMost = 1e9;
    const double length = member.is_number() ? member.as_number() : 0;
    if (length > kMost) return 0;
    if (!member.is_integer() || length < 1)
      throw Error(settings_.config_path() + ": \"model_max_length\" is " + member.dump() +
                  ", expected a whole number from 1");
    return member.as_integer();
  }

  void read_roles(const Json& file, const std::string& where) {
    for (const char* role : kTokenRoles) {
      if (const Json* token = said(file, role); token != nullptr) {
        Json one = special_token(*token, role, where);
        const std::string& surface = one.at("content").as_string();
        settings_.roles.insert_or_assign(role, surface);
        settings_.flags.insert_or_assign(surface, std::move(one));
      }
    }
  }

  // "image_token": a name of the model's own, as in the library.
  void read_named(const Json& file, const std::string& where) {
    if (!file.is_object()) return;
    for (const auto& [name, token] : file.as_object()) {
      const bool is_role = std::ranges::find(kTokenRoles, name) != std::end(kTokenRoles);
      if (!is_role && name.ends_with("_token") && (token.is_string() || token.is_object()))
        settings_.extra.push_back(special_token(token, name, where).set("special", true));
    }
  }

  // The newer name goes before the older one, and so does a list of the first file, even an empty one.
  void read_extra(const Json& file, const std::string& where) {
    for (const char* name :
         {"extra_special_tokens", "additional_special_tokens", "model_specific_special_tokens"}) {
      const Json* list = said(file, name);
      const bool is_older = std::string_view(name).starts_with('a');
      if (list == nullptr || (has_extra_ && is_older)) continue;
      const auto add = [&](const Json& token) {
        settings_.extra.push_back(special_token(token, name, where));
        return settings_.extra.back().at("content").as_string();
      };
      if (list->is_object()) {
        for (const auto& [role, token] : list->as_object()) add(token);
        continue;
      }
      if (!list->is_array()) throw Error(where + ": " + quote(name) + ": expected an array of tokens");
      has_extra_ = has_extra_ || !list->as_array().empty() || is_older;
      for (const Json& token : list->as_array()) {
        const std::string surface = add(token);
        if (&file == &config_ || !is_older) special_.value(surface) = 1;
      }
    }
  }

  // {"30": {"content": "zork", "lstrip": false, ...}}
  void read_decoder(const Json& decoder) {
    settings_.is_added_all = true;
    settings_.added_where = settings_.config_path() + ": \"added_tokens_decoder\"";
    const std::string& where = settings_.added_where;
    if (!decoder.is_object()) throw Error(where + ": expected an object of ids and tokens");
    for (const auto& [number, token] : decoder.as_object()) {
      std::int64_t id = -1;
      const char* const end = number.data() + number.size();
      const auto [stop, error] = std::from_chars(number.data(), end, id);
      if (error != std::errc() || stop != end || id < 0)
        throw Error(where + ": " + quote(number) + " is no id");
      if (!token.is_object())
        throw Error(where + ": " + quote(number) + ": expected an object with its \"content\"");
      const bool is_special = json_bool_or(token, "special", false, where);
      Json one = added_token_json(token_name(token, number, where), id, is_special);
      for (const char* flag : {"single_word", "lstrip", "rstrip"})
        one.set(flag, json_bool_or(token, flag, false, where));
      one.set("normalized", json_bool_or(token, "normalized", !is_special, where));
      settings_.added.push_back(std::move(one));
    }
    sort_added();
  }

  // {"zork": 30}
  void read_added_file() {
    const std::filesystem::path path = settings_.folder / TokenizerFolder::kAddedName;
    settings_.added_where = path.string();
    const Json file = read_object(folder_, TokenizerFolder::kAddedName);
    if (file.is_null()) return;
    for (const auto& [role, surface] : settings_.roles) special_.value(surface) = 1;
    for (const auto& [token, id] : file.as_object()) {
      if (!id.is_unsigned()) throw Error(path.string() + ": " + quote(token) + ": expected an id");
      const bool is_special = special_.find(token) != nullptr;
      Json one = added_token_json(token, id.as_integer(), is_special);
      one.set("normalized", !is_special);
      settings_.added.push_back(std::move(one));
    }
    sort_added();
  }

  void sort_added() {
    std::ranges::sort(settings_.added, {}, [](const Json& token) { return token.at("id").as_integer(); });
  }

  const FolderFiles& folder_;
  Json config_, map_;
  bool has_extra_ = false;  // a list of further special tokens
  WordTable special_;       // what makes a token of added_tokens.json special; a list that is in
                            // special_tokens_map.json under the older name does not, as in the library
  TokenizerFolder settings_;
};

struct ClassRole {
  TokenizerClass of;
  std::string_view role, surface;
};
constexpr ClassRole kClassRoles[] = {{TokenizerClass::bert, "unk_token", "[UNK]"},
                                     {TokenizerClass::bert, "sep_token", "[SEP]"},
                                     {TokenizerClass::bert, "pad_token", "[PAD]"},
                                     {TokenizerClass::bert, "cls_token", "[CLS]"},
                                     {TokenizerClass::bert, "mask_token", "[MASK]"},
                                     {TokenizerClass::roberta, "bos_token", "<s>"},
                                     {TokenizerClass::roberta, "eos_token", "</s>"},
                                     {TokenizerClass::roberta, "sep_token", "</s>"},
                                     {TokenizerClass::roberta, "cls_token", "<s>"},
                                     {TokenizerClass::roberta, "unk_token", "<unk>"},
                                     {TokenizerClass::roberta, "pad_token", "<pad>"},
                                     {TokenizerClass::roberta, "mask_token", "<mask>"},
                                     {TokenizerClass::gpt2, "unk_token", "<|endoftext|>"},
                                     {TokenizerClass::gpt2, "bos_token", "<|endoftext|>"},
                                     {TokenizerClass::gpt2, "eos_token", "<|endoftext|>"}};

}  // namespace

std::string TokenizerFolder::role(std::string_view name) const {
  if (const auto found = roles.find(name); found != roles.end()) return found->second;
  for (const ClassRole& row : kClassRoles) {
    if (row.of == tokenizer_class && row.role == name) return std::string(row.surface);
  }
  return {};
}

TokenizerFolder read_tokenizer_folder(const FolderFiles& folder) { return SettingsReader(folder).read(); }

}  // namespace headwater
