// Training a language model.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "data/token_stream.hpp"
#include "families/language_model/directory.hpp"
#include "families/language_model/train_objectives.hpp"
#include "families/tokenizer_files.hpp"
#include "support/error.hpp"
#include "tasks/registry.hpp"

namespace headwater {

namespace {

class LanguageModelTaskModel : public TaskModel {
 public:
  LanguageModelTaskModel(const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        tokenizer_(load_side(given.source_tokenizer, "--tokenizer")),
        model_(recipe.model.as<LanguageModelSettings>(), recipe.source_tokenizer.size) {
    check_size(tokenizer_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    delimiter_ = delimiter_of(model_.settings(), tokenizer_, given.source_tokenizer);
    if (delimiter_ >= 0 && tokenizer_.end_id() < 0)
      throw UsageError(given.source_tokenizer +
                       ": has no [END], which ends a target (learn it with tokenize --learn ... "
                       "--start-end)");
    if (!given.target_tokenizer.empty() &&
        load_side(given.target_tokenizer, "--target-tokenizer").hash() != tokenizer_.hash())
      throw UsageError(given.target_tokenizer + ": another vocabulary than " + given.source_tokenizer +
                       " (a language model has one tokenizer for both columns)");
    samples_ = TextSamples(model_, tokenizer_, recipe, delimiter_);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    if (is_stream()) {
      const std::int64_t length = model_.length(), stride = recipe_.data.stride;
      return std::make_unique<TokenStream>(
          TokenStreamSettings{.cut = {.length = length, .stride = stride > 0 ? stride : length},
                              .vocabulary = tokenizer_.vocabulary_size(),
                              .vocabulary_hash = tokenizer_.hash()});
    }
    std::vector<TokenColumnSettings> columns;
    for (const std::string_view name : recipe_.model.columns()) {
      columns.push_back({.name = std::string(name),
                         .vocabulary = tokenizer_.vocabulary_size(),
                         .max_length = model_.length() + (delimiter_ < 0 ? 1 : 0),
                         .special = tokenizer_.special_ids(),
                         .vocabulary_hash = tokenizer_.hash()});
    }
    return columns_in_order(std::move(columns), recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    if (is_stream())
      return std::make_unique<TextWindowsObjective>(model_, std::move(train), std::move(validation), recipe_,
                                                    samples_);
    auto objective = std::make_unique<LanguageModelObjective>(model_, std::move(train), std::move(validation),
                                                              recipe_.training.label_smoothing, delimiter_);
    objective->write_samples(samples_);
    return objective;
  }
  std::vector<UsedRows> used_rows() const override {
    return {{"source_tokenizer", "tokenizer.json", tokenizer_.vocabulary_size()}};
  }
  std::vector<DirectoryFile> files() const override {
    return {{"config.json", config_of(model_, tokenizer_).dump(2) + "\n"},
            tokenizer_file(tokenizer_),
            tokenizer_config_file(tokenizer_, model_.length() + 1)};
  }

 private:
  bool is_stream() const { return recipe_.data.examples != "lines"; }

  const Recipe& recipe_;
  Tokenizer tokenizer_;
  LanguageModel model_;
  std::int32_t delimiter_ = -1;
  TextSamples samples_;
};

}  // namespace

std::unique_ptr<TaskModel> prepare_language_modeling(const Recipe& recipe, const TaskFiles& given) {
  const bool has_target = !recipe.model.as<LanguageModelSettings>().delimiter.empty();
  if (!given.target_tokenizer.empty() && !has_target)
    throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
  if (!given.labels.empty() || !given.terms.empty())
    throw UsageError("--labels and --terms are for recipes of classifiers");
  return std::make_unique<LanguageModelTaskModel>(recipe, given);
}

}  // namespace headwater
