// What each member of tokenizer_config.json and special_tokens_map.json does here. A new one is a row.
#include "text/formats/tokenizer_folder.hpp"

namespace headwater {
namespace {

using RowUse = MemberRow::Use;
constexpr std::string_view kConfig = TokenizerFolder::kConfigName, kMap = TokenizerFolder::kMapName;
constexpr std::string_view kSaveAgain =
    "in Python: AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW), without it";

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

}  // namespace

std::span<const MemberRow> tokenizer_member_rows() { return kTokenizerRows; }

}  // namespace headwater
