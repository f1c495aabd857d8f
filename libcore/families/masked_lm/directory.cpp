#include "families/masked_lm/directory.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "families/config.hpp"
#include "families/encoder_rows.hpp"
#include "families/model_rows.hpp"
#include "families/registry.hpp"
#include "families/text_encoder/directory.hpp"
#include "families/tokenizer_files.hpp"
#include "metrics/registry.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

// --- Its section of a recipe -------------------------------------------------------------------------------

static void settings_rows(schema::Visitor& v, MaskedLmSettings& s) {
  encoder_rows(v, s, "masked_lm");
  v.field(
      "next_sentence", &s.next_sentence, schema::Anything{},
      "it also predicts whether the second text of a pair follows the first, from a pooler over the first "
      "token (Devlin et al. 2019)");
  v.field(
      "span_boundary", &s.span_boundary, schema::Anything{},
      "it predicts hidden tokens a second time, from the two tokens around their span and their place in it "
      "(SpanBERT, Joshi et al. 2020)");
}

static void check_settings(const MaskedLmSettings& s, const Recipe& recipe, const Complain& complain) {
  check_encoder(s, complain);
  if (!recipe.model) return;  // of a config.json, which says no masking
  const MaskingSettings& masking = recipe.masking;
  if (masking.mask_share + masking.random_share > 1)
    complain({"masking", "random_share"},
             "is more than mask_share leaves (write " + format_number(1 - masking.mask_share) + " or less)");
  const bool has_pairs = masking.examples == MaskedExamples::sentence_pairs;
  if (s.next_sentence != has_pairs) {
    complain({"model", "next_sentence"},
             has_pairs
                 ? "false, and the examples are pairs of sentences (write true, or masking.examples: pieces)"
                 : "true is for pairs of sentences (write masking.examples: sentence_pairs)");
  }
  if (s.next_sentence && s.transformer.length < 8)
    complain({"model", "length"}, "has no room for two texts and the tokens around them (write 8 or more)");
  if (s.next_sentence && s.segments != 2)
    complain({"model", "segments"}, "pairs of texts have two (write 2)");
  if (s.next_sentence && s.mixing.is_recurrent() && !s.mixing.bidirectional)
    complain(
        {"model", "next_sentence"},
        "its pooler reads the first token, where a layer that reads from the beginning has read nothing else "
        "(write bidirectional: true)");
  if (s.span_boundary && masking.unit != MaskingUnit::span)
    complain({"model", "span_boundary"}, "true is for spans (write masking.unit: span)");
}

static const ModelKind kMaskedLm{
    .name = "masked_lm",
    .meaning =
        "a Transformer encoder that predicts hidden tokens of a text (BERT, Devlin et "
        "al. 2019)",
    .columns = {"source"},
    .sections = {"source_tokenizer", "masking"},
    .metrics = validation_metric_names({MetricOf::models, MetricOf::token_models}),
    .defaults = SettingsOf<MaskedLmSettings>::defaults};

ModelSection model_section(const MaskedLmSettings& settings) { return model_section(kMaskedLm, settings); }

// --- The directory -----------------------------------------------------------------------------------------

namespace {
constexpr const char* kMaskedLmType = "headwater_masked_lm";
}  // namespace

std::int32_t mask_id_of(const Tokenizer& tokenizer, const std::string& where) {
  for (const char* surface : {"[MASK]", "<mask>"}) {
    const std::int32_t id = tokenizer.special_id(surface);
    if (id >= 0) return id;
  }
  throw Error(
      where +
      ": its tokenizer has no special token [MASK] (learn one with tokenize --learn ... --template bert)");
}

// Where a word begins is seen where a token is joined with another: by the one that begins it or, in
// vocabularies whose tokens end words (</w>), by the one before. WordPiece marks what goes on.
MaskingVocabulary masking_vocabulary(const Tokenizer& tokenizer, std::int32_t mask_id) {
  const std::int32_t size = tokenizer.vocabulary_size();
  const bool marks_rest = tokenizer.model_type() == "WordPiece";
  MaskingVocabulary v;
  v.mask_id = mask_id;
  const std::size_t rows = size;
  v.is_special.assign(rows, 0);
  v.begins_word.assign(rows, 0);
  v.ends_word.assign(rows, 0);
  for (std::int32_t id = 0; id < size; ++id) {
    const std::size_t row = id;
    const std::string& surface = tokenizer.surface(id);
    v.is_special[row] = tokenizer.is_special(id) || id == tokenizer.unknown_id();
    if (v.is_special[row] != 0) continue;
    const auto is_apart = [&](std::span<const std::string> tokens) {
      const std::string text = tokenizer.join(tokens);
      return text.find(' ') != std::string::npos && text.front() != ' ' && text.back() != ' ';
    };
    // A space by itself is the beginning of what follows it.
    const bool is_space = tokenizer.token_text(surface).find_first_not_of(' ') == std::string::npos;
    const std::array<std::string, 3> after{"a", surface, "a"};
    v.begins_word[row] =
        marks_rest ? !surface.starts_with("##") : is_apart(std::span(after).first(is_space ? 3 : 2));
    v.ends_word[row] = !is_space && is_apart(std::span(after).last(2));
  }
  const bool begins_any =
      std::find(v.begins_word.begin(), v.begins_word.end(), std::uint8_t{1}) != v.begins_word.end();
  if (begins_any) std::fill(v.ends_word.begin(), v.ends_word.end(), std::uint8_t{0});
  return v;
}

Masking masking_of(const MaskingSettings& settings, const Tokenizer& tokenizer, std::int32_t mask_id) {
  return {{.share = settings.share,
           .unit = settings.unit,
           .mask_share = settings.mask_share,
           .random_share = settings.random_share,
           .span_probability = settings.span_probability,
           .longest_span = settings.longest_span},
          masking_vocabulary(tokenizer, mask_id)};
}

Json config_of(const MaskedLanguageModel& model, const Tokenizer& tokenizer) {
  ModelSection section = model_section(model.settings());
  Json config = begin_config("HeadwaterMaskedLM", kMaskedLmType);
  write_settings(config, section.settings());
  config.set("vocabulary_size", model.vocabulary());
  config.set("vocabulary_hash", tokenizer.hash());
  config.set("pad_token_id", std::int64_t{tokenizer.pad_id()});
  return config;
}

std::unique_ptr<MaskedLanguageModel> masked_lm_of_config(const Json& config, const std::string& where) {
  try {
    ModelSection section(kMaskedLm);
    read_encoder_settings(config, section, section.as<MaskedLmSettings>());
    return std::make_unique<MaskedLanguageModel>(section.as<MaskedLmSettings>(),
                                                 whole(config, "vocabulary_size", 1, 10000000));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

// Those of byte-level BPE and of Unigram have, those of WordPiece and of characters have not.
static bool begins_words_with_spaces(const Tokenizer& tokenizer) {
  if (tokenizer.model_type() == "WordPiece") return false;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (tokenizer.is_special(id)) continue;
    const std::string text = tokenizer.token_text(tokenizer.surface(id));
    if (text.size() > 1 && text.front() == ' ' && text.back() != ' ') return true;
  }
  return false;
}

std::vector<AddedPart> LoadedMaskedLm::cut_at_masks(std::string_view text) const {
  if (!published_mask.empty()) return published_mask.split(text);
  std::vector<AddedPart> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    at = text.find(mask());
    std::string_view before = text.substr(0, at);
    if (at != std::string_view::npos && takes_space && before.ends_with(' ')) before.remove_suffix(1);
    parts.push_back({before, -1});
    if (at == std::string_view::npos) break;
    parts.push_back({text.substr(at, mask().size()), mask_id});
    text.remove_prefix(at + mask().size());
  }
  return parts;
}

void LoadedMaskedLm::masked_ids(std::string_view text, MaskedIds& found) const {
  std::vector<std::int32_t> plain, ids;
  found.masks = 0;
  for (const AddedPart& part : cut_at_masks(text)) {
    ids = {part.id};
    if (part.id < 0) tokenizer.encode(part.text, ids);
    found.masks += part.id < 0 ? 0 : 1;
    plain.insert(plain.end(), ids.begin(), ids.end());
  }
  found.is_truncated = add_template(tokenizer, around, plain, length, found.ids, uncounted);
  found.places.clear();
  for (std::size_t i = 0; i < found.ids.size(); ++i) {
    if (found.ids[i] == mask_id) found.places.push_back(static_cast<std::int32_t>(i));
  }
}

// The mask with the flags that the tokenizer's files state, or those that transformers gives it. Our own
// models, and what was exported of them, keep the rule by which they were made.
static AddedTokens published_mask_of(const ModelFolder& folder, const Tokenizer& tokenizer,
                                     std::int32_t mask_id) {
  if (folder.layout == nullptr || folder.has("recipe.yaml")) return {};
  const std::string& mask = tokenizer.surface(mask_id);
  const Json file = Json::parse(tokenizer.to_json(), "tokenizer.json");
  AddedToken found{.content = mask, .id = mask_id};
  for (const Json& token : file.at("added_tokens").as_array()) {
    if (token.at("content").as_string() != mask) continue;
    const auto fail = [&](const char* flag) {
      throw Error(folder.path.string() + ": the tokenizer's " + quote(mask) + " has " + quote(flag) +
                  " true, expected false (write false)");
    };
    if (token.at("single_word").as_bool()) fail("single_word");
    if (token.at("normalized").as_bool() && tokenizer.normalize(mask) != mask) fail("normalized");
    found.takes_left = token.at("lstrip").as_bool();
    found.takes_right = token.at("rstrip").as_bool();
  }
  return AddedTokens({found});
}

LoadedMaskedLm load_masked_lm(const ModelFolder& folder) {
  require(folder, Ability::fill_masks);
  std::unique_ptr<MaskedLanguageModel> model =
      masked_lm_of_config(folder.config, folder.config_path().string());
  Tokenizer tokenizer = load_one_tokenizer(folder, model->vocabulary());
  const std::string where = folder.path.string();
  const std::int32_t mask_id = mask_id_of(tokenizer, where);
  check_mask(folder, tokenizer.surface(mask_id));
  const Index length = text_length(folder, tokenizer, model->length());
  const std::size_t around = tokens_around(tokenizer, length, where);
  load_weights(folder, model->parameters());
  const bool takes_space = begins_words_with_spaces(tokenizer);
  AddedTokens mask = published_mask_of(folder, tokenizer, mask_id);
  return {folder.path, std::move(tokenizer),     std::move(model), around, mask_id, takes_space,
          length,      uncounted_tokens(folder), std::move(mask)};
}

// --- The row of the registry -------------------------------------------------------------------------------

namespace {

class MaskedLmTracer : public EncoderTracer {
 public:
  explicit MaskedLmTracer(LoadedMaskedLm model)
      : EncoderTracer("masked language model", model.model->encoder()), model_(std::move(model)) {}
  const Tokenizer& source_tokenizer() const override { return model_.tokenizer; }
  SourceIds source(std::string_view text) const override {
    SourceIds found;
    if (text.find(model_.mask()) == text.npos) {
      model_.source_ids(text, found);
      return found;
    }
    MaskedIds masked;
    model_.masked_ids(text, masked);
    found.ids = std::move(masked.ids);
    found.is_truncated = masked.is_truncated;
    return found;
  }
  std::int64_t length() const override { return model_.length; }

 private:
  LoadedMaskedLm model_;
};

class MaskedLmStates : public EncoderStates {
 public:
  explicit MaskedLmStates(LoadedMaskedLm model)
      : EncoderStates(model.model->encoder()), model_(std::move(model)) {}
  const Tokenizer& tokenizer() const override { return model_.tokenizer; }
  void source_ids(std::string_view text, SourceIds& found) const override { model_.source_ids(text, found); }
  Index length() const override { return model_.length; }
  const Parameters& parameters() const override { return model_.model->parameters(); }

 private:
  LoadedMaskedLm model_;
};

class MaskedLmFamily : public Family {
 public:
  MaskedLmFamily()
      : Family({.model_kind = kMaskedLm,
                .task = Task::masked_language_modeling,
                .model_type = kMaskedLmType,
                .noun = "a masked language model",
                .example = "text",
                .token_axes = {{"embedding.tokens", 0, "tokenizer.json"},
                               {"lm_head.bias", 0, "tokenizer.json"},
                               {"span_boundary.bias", 0, "tokenizer.json"}},
                .int8_weights = kEncoderBlocks}) {}
  Offer offer(const ModelSection& model) const override {
    return offer_with_mixing("a masked language model", model.as<MaskedLmSettings>().mixing,
                             {Ability::fill_masks, Ability::embed});
  }
  std::vector<std::string> text_files(const Json&) const override { return {"tokenizer.json"}; }
  std::int64_t max_line_ids(const Recipe& recipe) const override {
    if (recipe.masking.examples != MaskedExamples::lines) return 0;  // all of a document is read
    constexpr std::int64_t kAroundText = 2;                          // [CLS] and [SEP]
    return recipe.model.as<MaskedLmSettings>().transformer.length - kAroundText;
  }
  LineForm line_form(const ModelSection&) const override { return {.uses_template = true}; }
  ModelSection section_of_config(Json config) const override {
    ModelSection section(kMaskedLm);
    read_encoder_settings(config, section, section.as<MaskedLmSettings>());
    return section;
  }
  MadeModel model_of(const Recipe& recipe) const override {
    return made(std::make_unique<MaskedLanguageModel>(recipe.model.as<MaskedLmSettings>(),
                                                      recipe.source_tokenizer.size));
  }
  MadeModel model_of(const Json& config, const std::string& where) const override {
    return made(masked_lm_of_config(config, where));
  }

 private:
  static MadeModel made(std::unique_ptr<MaskedLanguageModel> model) {
    const std::string length = std::to_string(model->length());
    return made_model(std::move(model),
                      "S: source tokens; M: masked ones; FLOPs: a forward pass over a text of " + length +
                          " tokens, heads for one masked token");
  }
  std::unique_ptr<AttentionTracer> attention_of(const ModelFolder& folder) const override {
    return std::make_unique<MaskedLmTracer>(load_masked_lm(folder));
  }
  std::unique_ptr<TextStates> states_of(const ModelFolder& folder) const override {
    return std::make_unique<MaskedLmStates>(load_masked_lm(folder));
  }
};

}  // namespace

const Family& masked_lm_family() {
  static const MaskedLmFamily family;
  return family;
}

}  // namespace headwater
