// The tokenizer files of a model directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "recipe/recipe.hpp"
#include "tensor/matrix.hpp"
#include "text/learning/tokenizer_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The tokenizer in that file, of a model whose table has `rows` rows. Throws Error where it is larger than
// that or its hash another one.
Tokenizer load_tokenizer(const ModelFolder& folder, const std::string& name, Index rows,
                         const std::string& hash);

// Those of a folder in a published layout, for tables of so many rows. Throws Error where they have more
// tokens.
struct TableRows {
  Index source, target = 0;  // 0: of a model with one tokenizer
};
ModelTokenizers published_tokenizers(const ModelFolder& folder, const TableRows& rows);
// tokenizer.json, vocab.txt, or vocab.json with merges.txt. Throws Error naming the folder or the file.
ModelTokenizers one_tokenizer(const ModelFolder& folder);
// Tokens of a text, or of a pair, for which a model with so many positions has room, special ones counted: in
// a published layout those of padding's id that its template has take none. Throws Error where texts lose
// their beginnings instead of their ends.
Index room_for_text(const ModelFolder& folder, const Tokenizer& tokenizer, Index positions,
                    Texts texts = Texts::one);
// The same, at most as many as tokenizer_config.json says of a folder in a published layout.
Index text_length(const ModelFolder& folder, const Tokenizer& tokenizer, Index positions,
                  Texts texts = Texts::one);
// Tokens of a text of such a folder that take no position.
Uncounted uncounted_tokens(const ModelFolder& folder);
// Throws Error where other programs put special tokens around a prompt of a language model in a published
// layout, or change the spaces of what it generates.
void check_prompts(const ModelFolder& folder, const Tokenizer& tokenizer);
// Throws Error where other programs take another token of a folder in a published layout for `mask`.
void check_mask(const ModelFolder& folder, const std::string& mask);
// Why the model, which has segments, reads no pairs there; empty: it does.
std::string fault_of_pairs(const ModelFolder& folder);
// The tokenizer of a model with one, in whatever layout.
Tokenizer load_one_tokenizer(const ModelFolder& folder, Index rows);

// The tokenizer of the model in that directory, which has one.
Tokenizer tokenizer_of(const std::filesystem::path& directory);

// tokenizer.json and tokenizer_config.json of a directory: with both AutoTokenizer of Hugging Face's
// transformers loads the tokenizer of what the model reads: without the special tokens that a template puts
// around a text, unless the model reads them. `length`: ids of a text, 0: any number; `has_segments`: the
// model tells the texts of a pair apart.
DirectoryFile tokenizer_file(const Tokenizer& tokenizer, bool uses_template = false);
// The text of a tokenizer.json in a published layout, which says whether special tokens without a role come
// from text.
std::string published_tokenizer_text(const Tokenizer& tokenizer, bool uses_template = false);
DirectoryFile tokenizer_config_file(const Tokenizer& tokenizer, std::int64_t length,
                                    bool has_segments = false);

// --- Learned by a recipe -----------------------------------------------------------------------------------

// A tokenizer to learn; the defaults are those of recipes.
struct TokenizerToLearn : TokenizerSettings {
  std::vector<std::string> special = {};  // tokens beside the usual ones
  std::string text_template = "none";     // or bert
  bool has_start_end = false;             // [START] and [END]
};

// The size to learn where the recipe has room for `size` tokens. A SubwordTextEncoder comes within 1 % of
// what it aims at, and has start and end beyond it.
std::int64_t size_to_learn(std::string_view kind, std::int64_t size);
// The tokenizer of this side, "source" or "target".
TokenizerToLearn tokenizer_to_learn(const Recipe& recipe, std::string_view side);
// Throws UsageError for settings that do not go together.
TokenizerLearner learner_of(const TokenizerToLearn& tokenizer);

// The most tokens of a text of this side that the model reads, without [START], [END] and those of a
// template; 0: any number.
std::int64_t max_text_tokens(const Recipe& recipe, std::string_view side);

}  // namespace headwater
