#include "families/tokenizer_files.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "families/config.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "text/formats/class_parts.hpp"
#include "text/formats/tokenizer_folder.hpp"
#include "text/learning/subword_learner.hpp"

namespace headwater {

Tokenizer load_tokenizer(const ModelFolder& folder, const std::string& name, Index rows,
                         const std::string& hash) {
  const std::filesystem::path path = folder.path / name;
  Tokenizer tokenizer = Tokenizer::parse_any(folder.read(name), path.string());
  // A text with fewer words than the recipe's vocabulary leaves the last rows of the tables unused.
  if (tokenizer.vocabulary_size() > rows || tokenizer.hash() != hash) {
    throw Error(path.string() + ": " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens with the hash " + tokenizer.hash() + ", " + folder.config_path().string() +
                " has room for " + std::to_string(rows) + " and asks for " + quote(hash) +
                " (the tokenizer belongs to another model)");
  }
  return tokenizer;
}

static void check_rows(const ModelFolder& folder, const std::string& tokenizer, std::int64_t tokens,
                       Index rows) {
  // Tables are filled up to round numbers, and those of our own models may have rows without a word.
  constexpr std::int64_t kFewRows = 1000;
  const bool is_other = rows - tokens > kFewRows && rows / 2 > tokens && !folder.has("recipe.yaml");
  if (tokens <= rows && !is_other) return;
  throw Error(
      folder.path.string() + ": the " + tokenizer + " has " + std::to_string(tokens) +
      " tokens, config.json has rows for " + std::to_string(rows) +
      (is_other ? " (it is the tokenizer of another model: take the one that was published with it)" : ""));
}

ModelTokenizers published_tokenizers(const ModelFolder& folder, const TableRows& rows) {
  ModelTokenizers tokenizers = folder.layout->tokenizers(folder);
  const bool has_two = tokenizers.target.has_value();
  check_rows(folder, has_two ? "source tokenizer" : "tokenizer", tokenizers.source.vocabulary_size(),
             rows.source);
  if (has_two) check_rows(folder, "target tokenizer", tokenizers.target->vocabulary_size(), rows.target);
  return tokenizers;
}

Index room_for_text(const ModelFolder& folder, const Tokenizer& tokenizer, Index positions, Texts texts) {
  if (folder.layout == nullptr) return positions;
  const TokenizerFolder beside = read_tokenizer_folder(folder);
  constexpr const char* kWanted = "expected right (the first tokens of a long text are read)";
  if (!beside.truncation_side.empty() && beside.truncation_side != "right")
    throw Error(beside.config_path() + ": \"truncation_side\" is " + quote(beside.truncation_side) + ", " +
                kWanted);
  if (beside.truncation_side.empty() && tokenizer.truncates_left())
    throw Error((folder.path / "tokenizer.json").string() + ": truncation.direction is Left, " + kWanted);
  const Json* const uncounted = folder.config.find("uncounted_token");
  if (uncounted == nullptr) return positions;
  constexpr std::span<const std::int32_t> kNoText;
  const std::vector<std::int32_t> around = texts == Texts::pair
                                               ? tokenizer.with_special_tokens(kNoText, kNoText)
                                               : tokenizer.with_special_tokens(kNoText);
  return positions + std::ranges::count(around, uncounted->as_integer());
}

Index text_length(const ModelFolder& folder, const Tokenizer& tokenizer, Index positions, Texts texts) {
  const Index room = room_for_text(folder, tokenizer, positions, texts);
  const std::int64_t most = folder.layout == nullptr ? 0 : read_tokenizer_folder(folder).max_length;
  return most > 0 ? std::min<Index>(most, room) : room;
}

Uncounted uncounted_tokens(const ModelFolder& folder) {
  const Json* const uncounted = folder.config.find("uncounted_token");
  if (folder.layout == nullptr || uncounted == nullptr) return {};
  return {static_cast<std::int32_t>(uncounted->as_integer()), read_tokenizer_folder(folder).max_length};
}

void check_prompts(const ModelFolder& folder, const Tokenizer& tokenizer) {
  if (folder.layout == nullptr) return;
  if (const std::size_t around = tokenizer.with_special_tokens({}).size(); around > 0)
    throw Error(folder.path.string() + ": post_processor of the tokenizer puts " + std::to_string(around) +
                " special tokens around a text, expected none around a prompt (remove it)");
  const TokenizerFolder beside = read_tokenizer_folder(folder);
  if (beside.cleans_up_spaces && tokenizer.model_type() != "BPE")
    throw Error(
        beside.config_path() +
        ": \"clean_up_tokenization_spaces\" is true, expected false (the spaces of generated text stay)");
}

void check_mask(const ModelFolder& folder, const std::string& mask) {
  if (folder.layout == nullptr) return;
  const TokenizerFolder beside = read_tokenizer_folder(folder);
  const auto said = beside.roles.find("mask_token");
  if (said != beside.roles.end() && said->second != mask)
    throw Error(beside.config_path() + ": \"mask_token\" is " + quote(said->second) + ", expected " +
                quote(mask));
}

std::string fault_of_pairs(const ModelFolder& folder) {
  if (folder.layout == nullptr) return {};
  const TokenizerFolder beside = read_tokenizer_folder(folder);
  if (beside.gives_segments) return {};
  return beside.config_path() +
         ": \"model_input_names\" has no \"token_type_ids\", without which the texts of a pair are not told "
         "apart "
         "(add it)";
}

Tokenizer load_one_tokenizer(const ModelFolder& folder, Index rows) {
  if (folder.layout != nullptr) return published_tokenizers(folder, {.source = rows}).source;
  return load_tokenizer(folder, "tokenizer.json", rows,
                        text_at(folder.config, "vocabulary_hash", folder.config_path()));
}

Tokenizer tokenizer_of(const std::filesystem::path& directory) {
  const ModelFolder folder = open_model(directory);
  return load_one_tokenizer(folder, whole(folder.config, "vocabulary_size", 1, 10000000));
}

// Whether there is a special token that is none of those that models ask for.
static bool has_special_without_role(const Tokenizer& tokenizer) {
  const std::vector<std::int32_t> around = tokenizer.with_special_tokens({});
  const auto [pad, unknown, start, end] = tokenizer.special_ids();
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (!tokenizer.is_special(id) || id == pad || id == unknown || id == start || id == end) continue;
    if (std::ranges::find(around, id) == around.end()) return true;
  }
  return false;
}

static std::string text_of_run(const Tokenizer& tokenizer, bool uses_template) {
  const std::string& text = tokenizer.to_json();
  if (uses_template || tokenizer.with_special_tokens({}).empty()) return text;
  Json file = Json::parse(text, "tokenizer.json");
  file.set("post_processor", nullptr);
  return file.dump(2) + "\n";
}

DirectoryFile tokenizer_file(const Tokenizer& tokenizer, bool uses_template) {
  return {"tokenizer.json", text_of_run(tokenizer, uses_template), "tokenizer"};
}

std::string published_tokenizer_text(const Tokenizer& tokenizer, bool uses_template) {
  std::string text = text_of_run(tokenizer, uses_template);
  if (!has_special_without_role(tokenizer)) return text;
  Json file = Json::parse(text, "tokenizer.json");
  TokenizerFolder ours;
  ours.is_ours = true;
  return mark_tokens_in_text(file, ours) ? file.dump(2) + "\n" : text;
}

DirectoryFile tokenizer_config_file(const Tokenizer& tokenizer, std::int64_t length, bool has_segments) {
  Json config;
  config.set("tokenizer_class", "PreTrainedTokenizerFast");
  // Without it the library hands out token_type_ids, which GPT-2 adds to the embeddings.
  Json::Array inputs{Json("input_ids"), Json("attention_mask")};
  if (has_segments) inputs.emplace_back("token_type_ids");
  config.set("model_input_names", std::move(inputs));
  const std::int32_t unknown = tokenizer.unknown_id();
  for (const auto& [name, id] : {std::pair{"pad_token", tokenizer.pad_id()},
                                 {"unk_token", unknown >= 0 ? unknown : tokenizer.special_id("<unk>")},
                                 {"bos_token", tokenizer.start_id()},
                                 {"eos_token", tokenizer.end_id()}}) {
    if (id >= 0) config.set(name, tokenizer.surface(id));
  }
  // BERT's, or what another template has at its ends, as RoBERTa's.
  const std::vector<std::int32_t> around = tokenizer.with_special_tokens({});
  const auto at_end = [&](std::int32_t id) { return around.empty() ? std::string() : tokenizer.surface(id); };
  for (const auto& [name, surface, other] :
       {std::tuple{"cls_token", "[CLS]", at_end(around.empty() ? 0 : around.front())},
        {"sep_token", "[SEP]", at_end(around.empty() ? 0 : around.back())},
        {"mask_token", "[MASK]", std::string("<mask>")}}) {
    if (tokenizer.special_id(surface) >= 0) {
      config.set(name, surface);
    } else if (tokenizer.special_id(other) >= 0) {
      config.set(name, other);
    }
  }
  if (length > 0) config.set("model_max_length", length);
  // Their library would join "it 's" and take the space before a mark; the decoder alone says what is joined.
  config.set("clean_up_tokenization_spaces", false);
  return {"tokenizer_config.json", config.dump(2) + "\n"};
}

ModelTokenizers one_tokenizer(const ModelFolder& folder) {
  const bool has_one = folder.has("tokenizer.json");
  if (!has_one && folder.has("tekken.json"))
    throw Error(folder.path.string() +
                ": has tekken.json alone, a tokenizer of another program, which is not read (in Python: "
                "AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW) writes a tokenizer.json)");
  if (!has_one && !folder.has("vocab.txt") && !(folder.has("vocab.json") && folder.has("merges.txt"))) {
    throw Error(
        folder.path.string() +
        ": has no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt (a model without its "
        "tokenizer reads no text)");
  }
  return {Tokenizer::load(folder)};
}

// --- Learned by a recipe -----------------------------------------------------------------------------------

std::int64_t size_to_learn(std::string_view kind, std::int64_t size) {
  return keeps_size(kind) ? size : (size - 2) * 100 / 101;
}

TokenizerToLearn tokenizer_to_learn(const Recipe& recipe, std::string_view side) {
  const Family& family = family_of(recipe.model);
  TokenizerToLearn made{side == "target" ? recipe.target_tokenizer : recipe.source_tokenizer};
  made.size = size_to_learn(made.kind, made.size);
  made.special = family.line_form(recipe.model).special_tokens;
  if (family.line_form(recipe.model).uses_template) made.text_template = "bert";
  made.has_start_end = side == "target" || recipe.shared_tokenizer || !made.special.empty() ||
                       family.line_form(recipe.model).ends(side).start;
  return made;
}

TokenizerLearner learner_of(const TokenizerToLearn& s) {
  const StandardizeSettings standardize{.standardize = parse_standardization(s.standardize),
                                        .lower = parse_lowering(s.lower)};
  if (is_subword_kind(s.kind)) {
    return subword_learner({.kind = s.kind,
                            .size = s.size,
                            .min_frequency = s.min_frequency,
                            .character_coverage = s.character_coverage,
                            .end_of_word_suffix = s.end_of_word_suffix,
                            .standardize = standardize,
                            .has_start_end = s.has_start_end,
                            .more_special = s.special,
                            .user_defined_symbols = s.user_defined_symbols,
                            .text_template = parse_text_template(s.text_template)});
  }
  const SplitKind split = s.kind == "character" ? SplitKind::character
                          : s.split_punctuation ? SplitKind::word_and_punctuation
                                                : SplitKind::word;
  return TokenizerLearner(WordTokenizerSettings{.split = split,
                                                .size = s.size,
                                                .standardize = standardize,
                                                .has_start_end = s.has_start_end,
                                                .more_special = s.special,
                                                .user_defined_symbols = s.user_defined_symbols,
                                                .text_template = parse_text_template(s.text_template)});
}

std::int64_t max_text_tokens(const Recipe& recipe, std::string_view side) {
  const Family& family = family_of(recipe.model);
  const std::int64_t ids = family.max_line_ids(recipe);
  const LineEnds ends = family.line_form(recipe.model).ends(side);
  // The model reads all but the last id of a text with both, and predicts all but the first.
  return ids == 0 ? 0 : ids - (ends.start || ends.end ? 1 : 0);
}

}  // namespace headwater
