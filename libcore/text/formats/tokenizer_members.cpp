// What each member of tokenizer_config.json and special_tokens_map.json does here. A new one is a row.
#include <algorithm>

#include "support/error.hpp"
#include "text/formats/tokenizer_folder.hpp"

namespace headwater {
namespace {

using RowUse = MemberRow::Use;
constexpr std::string_view kConfig = TokenizerFolder::kConfigName, kMap = TokenizerFolder::kMapName;
constexpr std::string_view kSaveAgain =
    "in Python: AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW), without it";

constexpr std::string_view kFilesSay = "the files beside it say the vocabulary",
                           kSaveJson = "save the tokenizer as tokenizer.json",
                           kReadAsItIs = R"(write "tokenizer_class": "PreTrainedTokenizerFast" into )"
                                         "tokenizer_config.json, and tokenizer.json is read as it is";

constexpr MemberRow kTokenizerRows[] = {
    {kConfig, "tokenizer_class", RowUse::read},
    {kConfig, "do_lower_case", RowUse::read},
    {kConfig, "strip_accents", RowUse::read},
    {kConfig, "tokenize_chinese_chars", RowUse::read},
    {kConfig, "add_prefix_space", RowUse::read},
    {kConfig, "model_max_length", RowUse::read},
    {kConfig, "max_len", RowUse::read},
    {kConfig, "added_tokens_decoder", RowUse::read},
    {kConfig, "additional_special_tokens", RowUse::read},
    {kConfig, "extra_special_tokens", RowUse::read},
    {kConfig, "model_specific_special_tokens", RowUse::read},
    {kConfig, "pad_token", RowUse::read},
    {kConfig, "unk_token", RowUse::read},
    {kConfig, "cls_token", RowUse::read},
    {kConfig, "sep_token", RowUse::read},
    {kConfig, "mask_token", RowUse::read},
    {kConfig, "bos_token", RowUse::read},
    {kConfig, "eos_token", RowUse::read},
    {kConfig, "clean_up_tokenization_spaces", RowUse::read},
    {kConfig, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", RowUse::only,
     "false", "the spaces of decoded text stay"},
    {kConfig, "truncation_side", RowUse::read},
    {kConfig, "model_input_names", RowUse::read},
    {kConfig, "sp_model_kwargs", RowUse::only, "{}", "pieces are not drawn at random"},
    {kConfig, "init_inputs", RowUse::only, "[]", kSaveAgain},
    {kConfig, "vocab", RowUse::only, "null", kFilesSay},
    {kConfig, "merges", RowUse::only, "null", kFilesSay},
    {kConfig, "fast_tokenizer_files", RowUse::only, "[] or [\"tokenizer.json\"]", "tokenizer.json is read"},
    {kConfig, "separate_vocabs", RowUse::read},
    {kConfig, "add_bos_token", RowUse::read},
    {kConfig, "add_eos_token", RowUse::read},
    {kConfig, "split_special_tokens", RowUse::read},
    // What the library keeps and does not use, or uses for what is not done here.
    {kConfig, "padding_side", RowUse::unused},
    {kConfig, "chat_template", RowUse::unused},
    {kConfig, "do_basic_tokenize", RowUse::unused},
    {kConfig, "never_split", RowUse::unused},
    {kConfig, "errors", RowUse::unused},
    {kConfig, "trim_offsets", RowUse::unused},
    {kConfig, "legacy", RowUse::unused},
    {kConfig, "use_fast", RowUse::unused},
    {kConfig, "name_or_path", RowUse::unused},
    {kConfig, "special_tokens_map_file", RowUse::unused},
    {kConfig, "tokenizer_file", RowUse::unused},
    {kConfig, "auto_map", RowUse::unused},
    {kConfig, "processor_class", RowUse::unused},
    {kConfig, "backend", RowUse::unused},
    {kConfig, "is_local", RowUse::unused},
    {kConfig, "max_length", RowUse::unused},
    {kConfig, "stride", RowUse::unused},
    {kConfig, "truncation_strategy", RowUse::unused},
    {kConfig, "pad_to_multiple_of", RowUse::unused},
    {kConfig, "pad_token_type_id", RowUse::unused},
    {kConfig, "source_lang", RowUse::unused},
    {kConfig, "target_lang", RowUse::unused},
    {kMap, "additional_special_tokens", RowUse::read},
    {kMap, "extra_special_tokens", RowUse::read},
    {kMap, "pad_token", RowUse::read},
    {kMap, "unk_token", RowUse::read},
    {kMap, "cls_token", RowUse::read},
    {kMap, "sep_token", RowUse::read},
    {kMap, "mask_token", RowUse::read},
    {kMap, "bos_token", RowUse::read},
    {kMap, "eos_token", RowUse::read},
};

// What else a class takes, and the value with which a .model gives the ids that SentencePiece gives.
constexpr MemberRow kRowsBesideModel[] = {
    {kConfig, "do_lower_case", RowUse::only, "false", kSaveJson},
    {kConfig, "keep_accents", RowUse::only, "true", kSaveJson},
    {kConfig, "remove_space", RowUse::only, "null", kSaveJson},
    {kConfig, "add_prefix_space", RowUse::only, "true", kSaveJson},
    {kConfig, "split_by_punct", RowUse::only, "false", kSaveJson},
    {kConfig, "extra_ids", RowUse::only, "0", kSaveJson},
};

// The same of a tokenizer.json: what a class does where nothing is said, which is what the file has.
struct ClassArgument {
  std::string_view member, value, classes;
};
constexpr ClassArgument kClassArguments[] = {
    {"add_prefix_space", "true",
     "AlbertTokenizer or BarthezTokenizer or BigBirdTokenizer or BlenderbotTokenizer or CamembertTokenizer "
     "or "
     "CodeLlamaTokenizer or DebertaV2Tokenizer or LayoutLMv3Tokenizer or LayoutXLMTokenizer or "
     "LlamaTokenizer "
     "or RemBertTokenizer or XGLMTokenizer or XLMRobertaTokenizer"},
    {"add_prefix_space", "false",
     "CohereTokenizer or DebertaTokenizer or GPTNeoXTokenizer or LukeTokenizer or MarkupLMTokenizer or "
     "MvpTokenizer or Qwen2Tokenizer or Qwen3_5Tokenizer or WhisperTokenizer"},
    {"do_lower_case", "true", "AlbertTokenizer"},
    {"do_lower_case", "false", "DebertaV2Tokenizer or RemBertTokenizer or XLNetTokenizer"},
    {"keep_accents", "false", "AlbertTokenizer or XLNetTokenizer"},
    {"keep_accents", "true", "RemBertTokenizer"},
    {"split_by_punct", "false", "DebertaV2Tokenizer"},
    {"legacy_behaviour", "false", "NllbTokenizer"},
};

// Classes that make BERT's normalizer, and what its members are called there.
constexpr std::string_view kBertLike =
    "FunnelTokenizer or LayoutLMv2Tokenizer or MPNetTokenizer or RoFormerTokenizer or SplinterTokenizer";
constexpr std::pair<std::string_view, std::string_view> kBertArguments[] = {
    {"do_lower_case", "lowercase"},
    {"strip_accents", "strip_accents"},
    {"tokenize_chinese_chars", "handle_chinese_chars"}};
// Classes that add <extra_id_0> and so on.
constexpr std::string_view kWithSentinels = "LasrTokenizer or T5Tokenizer or VideoPrismTokenizer";
// Classes that put the token of a language beside a text.
constexpr std::string_view kOfLanguages =
    "MBartTokenizer or MBart50Tokenizer or NllbTokenizer or SeamlessM4TTokenizer";

void check_one(const TokenizerFolder& settings, std::string_view member, std::string_view value,
               std::string_view advice) {
  const MemberRow row{kConfig, member, RowUse::only, value, advice};
  check_rows(std::span(&row, 1), kConfig, settings.config, settings.config_path());
}

}  // namespace

std::span<const MemberRow> tokenizer_member_rows() { return kTokenizerRows; }

void check_adds_no_ends(const TokenizerFolder& settings) {
  if (settings.adds_ends)
    throw Error(settings.config_path() +
                ": \"add_bos_token\" or \"add_eos_token\" is true, expected false (texts "
                "are read without tokens around them)");
}

void check_members_beside_model(const TokenizerFolder& settings) {
  check_adds_no_ends(settings);
  if (!settings.config.is_null())
    check_rows(kRowsBesideModel, kConfig, settings.config, settings.config_path());
  const Json* const extra = settings.config.is_object() ? settings.config.find("extra_ids") : nullptr;
  if (settings.class_name == "T5Tokenizer" && (extra == nullptr || extra->is_null()))
    throw Error(settings.config_path() +
                ": \"extra_ids\" is missing, which means 100 to T5Tokenizer, expected 0 (" +
                std::string(kSaveJson) + ")");
}

void check_class_arguments(const TokenizerFolder& settings, const Json& tokenizer) {
  if (settings.config.is_null()) return;
  const auto is_one_of = [&](std::string_view classes) {
    return is_one_of_values(settings.class_name, classes);
  };
  for (const ClassArgument& row : kClassArguments) {
    if (is_one_of(row.classes)) check_one(settings, row.member, row.value, kReadAsItIs);
  }
  const auto part = [&](const char* name) {
    const Json* found = tokenizer.find(name);
    return found != nullptr && found->is_object() ? *found : Json(Json::Object());
  };
  const Json normalizer = part("normalizer");
  for (const auto& [member, theirs] : kBertArguments) {
    if (const Json* has = normalizer.find(theirs); has != nullptr && is_one_of(kBertLike))
      check_one(settings, member, has->dump(), kReadAsItIs);
  }
  if (const Json* list = tokenizer.find("added_tokens"); list != nullptr && is_one_of(kWithSentinels)) {
    const auto is_sentinel = [](const Json& token) {
      return token.dump().find("\"<extra_id_") != std::string::npos;
    };
    check_one(settings, "extra_ids", std::to_string(std::ranges::count_if(list->as_array(), is_sentinel)),
              kReadAsItIs);
  }
  const Json* const language = settings.config.find("src_lang");
  if (language == nullptr || !language->is_string() || !is_one_of(kOfLanguages)) return;
  const std::string said = language->dump();
  if (part("post_processor").dump().find(said) == std::string::npos)
    throw Error(settings.config_path() + ": \"src_lang\" is " + said +
                ", expected the language of the "
                "post_processor of tokenizer.json (" +
                std::string(kReadAsItIs) + ")");
}

}  // namespace headwater
