#include "tasks/masked_language_modeling/masked_language_modeling.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "families/masked_lm.hpp"
#include "families/tokenizer_files.hpp"
#include "support/error.hpp"
#include "tasks/masked_language_modeling/masked_lm_objective.hpp"
#include "tasks/masked_language_modeling/masked_texts.hpp"
#include "tasks/masked_language_modeling/sentence_pairs.hpp"

namespace headwater {

namespace {

class MaskedLmTaskModel : public TaskModel {
 public:
  MaskedLmTaskModel(const Recipe& recipe, const TaskFiles& given)
      : recipe_(recipe),
        tokenizer_(load_side(given.source_tokenizer, "--tokenizer")),
        model_(recipe.model.as<MaskedLmSettings>(), recipe.source_tokenizer.size) {
    check_size(tokenizer_, recipe.source_tokenizer.size, given.source_tokenizer, "source_tokenizer");
    around_ = tokens_around(tokenizer_, model_.length(), given.source_tokenizer);
    if (reads_pairs()) pair_ = pair_template(tokenizer_, model_.length(), given.source_tokenizer);
    mask_id_ = mask_id_of(tokenizer_, given.source_tokenizer);
  }
  Parameters& parameters() override { return model_.parameters(); }
  std::unique_ptr<Dataset> new_dataset() const override {
    const std::int64_t room = model_.length() - static_cast<std::int64_t>(around_);
    const TokenColumnSettings source{.name = "source",
                                     .vocabulary = tokenizer_.vocabulary_size(),
                                     .max_length = recipe_.masking.examples == "lines" ? room : 0,
                                     .special = tokenizer_.special_ids(),
                                     .vocabulary_hash = tokenizer_.hash()};
    if (reads_pairs()) return std::make_unique<DocumentDataset>(source);
    return columns_in_order({source}, recipe_.data.columns);
  }
  std::unique_ptr<Objective> objective(Subset train, Subset validation) override {
    return std::make_unique<MaskedLmObjective>(model_, texts(std::move(train)), texts(std::move(validation)),
                                               masking_of(recipe_.masking, tokenizer_, mask_id_),
                                               recipe_.seed);
  }
  std::vector<UsedRows> used_rows() const override {
    return {{"source_tokenizer", "tokenizer.json", tokenizer_.vocabulary_size()}};
  }
  std::vector<DirectoryFile> files() const override {
    return {{"config.json", config_of(model_, tokenizer_).dump(2) + "\n"},
            tokenizer_file(tokenizer_, true),
            tokenizer_config_file(tokenizer_, model_.length(), model_.settings().segments == 2)};
  }

 private:
  bool reads_pairs() const { return recipe_.masking.examples == "sentence_pairs"; }
  std::unique_ptr<MaskedTexts> texts(Subset subset) const {
    if (reads_pairs())
      return std::make_unique<SentencePairs>(std::move(subset), tokenizer_, pair_, model_.length());
    return std::make_unique<LinePieces>(std::move(subset), tokenizer_, model_.length());
  }

  const Recipe& recipe_;
  Tokenizer tokenizer_;
  MaskedLanguageModel model_;
  std::size_t around_;
  PairTemplate pair_;  // where it reads pairs
  std::int32_t mask_id_;
};

}  // namespace

std::unique_ptr<TaskModel> prepare_masked_language_modeling(const Recipe& recipe, const TaskFiles& given) {
  if (!given.target_tokenizer.empty())
    throw UsageError("--target-tokenizer is for recipes with model.kind: encoder_decoder");
  if (!given.labels.empty() || !given.terms.empty())
    throw UsageError("--labels and --terms are for recipes of classifiers");
  return std::make_unique<MaskedLmTaskModel>(recipe, given);
}

}  // namespace headwater
