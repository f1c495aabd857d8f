// Texts whose next token is predicted at each place: id lines to learn from, one tokenizer in the directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/token_dataset.hpp"
#include "models/language_model.hpp"
#include "tasks/objective.hpp"
#include "tasks/task.hpp"
#include "tasks/text_samples.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Everything that continuing a text needs.
struct LanguageModelFiles {
  std::filesystem::path files;  // the folder that was read: the directory itself or a checkpoint
  Tokenizer tokenizer;
  std::unique_ptr<LanguageModel> model;
  std::int32_t delimiter = -1;  // the token after every prompt (model.delimiter); -1: none

  // The ids of a text that is to be continued, the delimiter after them: of the text the first, as many as
  // fit in `max_ids` (0: all).
  std::vector<std::int32_t> prompt_ids(std::string_view text, std::size_t max_ids = 0) const;
};

// The id of model.delimiter; -1 where there is none. Throws UsageError where the tokenizer, of this path, has
// no such special token.
std::int32_t delimiter_of(const LanguageModelSettings& settings, const Tokenizer& tokenizer,
                          const std::string& path);

// `path` as for load_translation_model. Throws Error naming the file, and what does not fit; also where the
// directory holds another kind of model.
LanguageModelFiles load_language_model(const std::filesystem::path& path);
// Its attention for one example.
std::unique_ptr<AttentionTracer> attention_tracer(LanguageModelFiles model);

// The model section of a recipe with these settings.
ModelSection model_section(const LanguageModelSettings& settings);

// config.json, and back (without the parameters' memory). Throws Error "where: what".
Json config_of(const LanguageModel& model, const Tokenizer& tokenizer);
std::unique_ptr<LanguageModel> language_model_of_config(const Json& config, const std::string& where);

class LanguageModelObjective : public Objective {
 public:
  // Takes data sets with the column "source"; with a delimiter also "target", and that alone is predicted. A
  // text of one token has nothing to predict.
  LanguageModelObjective(LanguageModel& model, Subset train, Subset validation, double label_smoothing,
                         std::int32_t delimiter = -1);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override { return of(split).subset.count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  void write_samples(TextSamples samples) { samples_ = std::move(samples); }
  std::vector<std::string> samples(std::int64_t epoch) override { return samples_(epoch); }

 private:
  const ColumnSubset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  std::span<const std::int32_t> ids(Split split, std::uint32_t i) const;
  DelimitedText delimited(Split split, std::uint32_t i) const;
  struct Slot {
    TokenBatch batch;
    double loss_scale = 0;  // one over the global batch's predicted tokens: the loss is their mean
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  LanguageModel& model_;
  std::int32_t delimiter_;
  ColumnSubset train_, validation_;
  double label_smoothing_;
  TextSamples samples_;
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

// Loss and counts of a batch of texts that a model of `length` positions read.
LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const TokenBatch& batch, Index length);

}  // namespace headwater
