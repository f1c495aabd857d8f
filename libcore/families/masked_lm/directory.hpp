// A masked language model, which has one tokenizer in its directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"
#include "families/masked_lm/masking.hpp"
#include "families/masked_lm/model.hpp"
#include "families/model_directory.hpp"
#include "families/source_ids.hpp"
#include "text/tokenizer/added_tokens.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Ids of a text in which [MASK] is written.
struct MaskedIds {
  std::vector<std::int32_t> ids;     // with the special tokens around it, at most the model's length
  std::vector<std::int32_t> places;  // of its masks in `ids`, ascending
  std::size_t masks = 0;             // in the text; more than `places` where the model's length cuts some off
  bool is_truncated = false;
};

// Everything that telling hidden tokens needs.
struct LoadedMaskedLm {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::unique_ptr<MaskedLanguageModel> model;
  std::size_t around;    // special tokens that the tokenizer's template puts around a text
  std::int32_t mask_id;  // of [MASK]
  bool takes_space;      // words have the space before them in their tokens: a mask takes its own, too
  Index length;          // tokens of a text that are read, special ones counted
  Uncounted uncounted = {};
  AddedTokens published_mask = {};  // of another program, with the white space that its flags take

  void source_ids(std::string_view text, SourceIds& found) const {
    find_source_ids(tokenizer, around, length, text, found, uncounted);
  }
  // As it is written in a text.
  const std::string& mask() const { return tokenizer.surface(mask_id); }
  // Tokenizers make no special token of a text: it is cut at each mask(), and its parts are encoded one by
  // one. Replaces what `found` held.
  void masked_ids(std::string_view text, MaskedIds& found) const;
  // The parts of a text, masks among them.
  std::vector<AddedPart> cut_at_masks(std::string_view text) const;
};

// The special token that stands for a hidden one: [MASK], or <mask>. Throws Error where the tokenizer, of
// `where`, has none.
std::int32_t mask_id_of(const Tokenizer& tokenizer, const std::string& where);
// What Masking knows of a tokenizer.
MaskingVocabulary masking_vocabulary(const Tokenizer& tokenizer, std::int32_t mask_id);
// The masking that a recipe's section says.
Masking masking_of(const MaskingSettings& settings, const Tokenizer& tokenizer, std::int32_t mask_id);

// Throws Error naming the file, and what does not fit; also where the directory holds another kind of model.
LoadedMaskedLm load_masked_lm(const ModelFolder& folder);
// The model of a config.json, without its parameters' memory. Throws Error "where: what".
std::unique_ptr<MaskedLanguageModel> masked_lm_of_config(const Json& config, const std::string& where);
Json config_of(const MaskedLanguageModel& model, const Tokenizer& tokenizer);

// The model section of a recipe with these settings.
ModelSection model_section(const MaskedLmSettings& settings);

}  // namespace headwater
