#include "tasks/translation/translation.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "families/tokenizer_files.hpp"
#include "families/translator.hpp"
#include "support/error.hpp"
#include "tasks/translation/translation_objective.hpp"

namespace headwater {

namespace {

// One file may stand for both sides where the recipe says that they share it.
Tokenizer load_target(const Recipe& recipe, const TaskFiles& given) {
  const bool is_source = recipe.shared_tokenizer && given.target_tokenizer.empty();
  return load_side(is_source ? given.source_tokenizer : given.target_tokenizer, "--target-tokenizer");
}

class EncoderDecoderTaskModel : public TaskModel {
 public:
  EncoderDecoderTaskModel(const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        translator_{.files = {},
                    .source_tokenizer = load_side(given.source_tokenizer, "--source-tokenizer"),
                    .target_tokenizer = load_target(recipe, given),
                    .model = std::make_unique<EncoderDecoder>(recipe.model.as<EncoderDecoderSettings>(),
                                                              recipe.source_tokenizer.size,
                                                              recipe.target_tokenizer.size),
                    .max_new_tokens = recipe.decoding.max_new_tokens,
                    .generation = {.decoding = recipe.decoding}} {
    const bool wants_source_ends = recipe.model.as<EncoderDecoderSettings>().has_source_ends();
    if (wants_source_ends && (source_.start_id() < 0 || source_.end_id() < 0)) {
      throw UsageError(
          given.source_tokenizer +
          ": has no [START] and [END], which model.source_special_tokens asks for (learn it with "
          "tokenize --learn ... --start-end)");
    }
    if (target_.start_id() < 0 || target_.end_id() < 0) {
      const bool are_swapped = source_.start_id() >= 0 && source_.end_id() >= 0;
      const bool is_source = given.target_tokenizer.empty();
      throw UsageError((is_source ? given.source_tokenizer : given.target_tokenizer) +
                       ": has no [START] and [END]" +
                       (are_swapped ? ", but " + given.source_tokenizer + " has (are the two swapped?)"
                                    : " (learn it with tokenize --learn ... --start-end)"));
    }
    if (shares_tables(model_.settings()) && source_.hash() != target_.hash()) {
      throw UsageError("model.share_embeddings: " + model_.settings().share_embeddings + ": " +
                       given.source_tokenizer + " and " + given.target_tokenizer +
                       " are two vocabularies (learn one from both columns with --start-end, or write "
                       "target_output)");
    }
    if (recipe.shared_tokenizer && source_.hash() != target_.hash()) {
      throw UsageError(given.target_tokenizer + ": another vocabulary than " + given.source_tokenizer +
                       ", and the recipe has shared_tokenizer: true (give both options one file)");
    }
    check_size(source_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    check_size(target_, recipe.target_tokenizer.size, given.target_tokenizer, target_section());
    translator_.ids = translation_ids(target_);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    return columns_in_order(translation_columns(source_, target_, model_.length()), recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    auto objective = std::make_unique<TranslationObjective>(
        model_, std::move(train), std::move(validation), recipe_.training.label_smoothing,
        TranslationMeasure(translator_, recipe_.training.validation_translations));
    const auto of = [&](const Tokenizer& tokenizer, std::uint32_t column, const char* name) {
      return SubwordResampling(tokenizer, recipe_.training.subword_sampling, recipe_.seed, column,
                               model_.length() + column, name);
    };
    objective->resample(of(source_, 0, "the source tokenizer"), of(target_, 1, "the target tokenizer"));
    objective->regularize(recipe_.training.r_drop);
    return objective;
  }
  std::vector<UsedRows> used_rows() const override {
    return {{"source_tokenizer", "source-tokenizer.json", source_.vocabulary_size()},
            {target_section(), "target-tokenizer.json", target_.vocabulary_size()}};
  }
  std::vector<DirectoryFile> files() const override {
    const std::int64_t length = model_.length(), most = recipe_.decoding.max_new_tokens;
    return {
        {"config.json", config_of(model_, source_, target_).dump(2) + "\n"},
        {"generation_config.json",
         generation_config_of(target_, most > 0 ? std::min(most, length) : length, recipe_.decoding).dump(2) +
             "\n"},
        {"source-tokenizer.json", source_.to_json(), "tokenizer"},
        {"target-tokenizer.json", target_.to_json(), "tokenizer"},
        // Once more, under the name that other programs look for; no run depends on it.
        {"tokenizer.json", source_.to_json()},
        tokenizer_config_file(source_, length)};
  }

 private:
  // Of the recipe: where both sides share a tokenizer there is no section of the target's.
  const char* target_section() const {
    return recipe_.shared_tokenizer ? "source_tokenizer" : "target_tokenizer";
  }

  const Recipe& recipe_;
  LoadedTranslator translator_;
  const Tokenizer &source_ = translator_.source_tokenizer, &target_ = translator_.target_tokenizer;
  EncoderDecoder& model_ = *translator_.model;
};

}  // namespace

std::unique_ptr<TaskModel> prepare_translation(const Recipe& recipe, const TaskFiles& given) {
  if (!given.labels.empty() || !given.terms.empty())
    throw UsageError("--labels and --terms are for recipes of classifiers");
  return std::make_unique<EncoderDecoderTaskModel>(recipe, given);
}

}  // namespace headwater
