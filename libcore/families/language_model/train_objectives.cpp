#include "families/language_model/train_objectives.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "data/token_stream.hpp"
#include "decoding/decoder.hpp"
#include "decoding/growing_text.hpp"
#include "families/language_model/directory.hpp"
#include "families/language_model/evaluation.hpp"
#include "families/tokenizer_files.hpp"
#include "families/train_task.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/random.hpp"

namespace headwater {

TextSamples::TextSamples(const CachedModel& model, Tokenizer tokenizer, const Recipe& recipe,
                         std::int32_t after_prompt)
    : model_(&model), tokenizer_(std::move(tokenizer)) {
  const SampleSettings& s = recipe.training.samples;
  for (const std::string& text : s.prompts) {
    std::vector<std::int32_t> ids = tokenizer_->encode(text);
    const std::string where = "training.samples.prompts: " + quote(text) + " has ";
    if (ids.empty()) throw UsageError(where + "no token (write a text to go on with)");
    if (after_prompt >= 0) ids.push_back(after_prompt);
    if (static_cast<Index>(ids.size()) > model.length())
      throw UsageError(where + counted(static_cast<std::int64_t>(ids.size()), "token") + ", more than the " +
                       std::to_string(model.length()) + " positions of the model (shorten it)");
    prompts_.push_back(std::move(ids));
  }
  sampling_ = {.temperature = s.temperature, .top_k = s.top_k, .seed = recipe.seed};
  generation_ = {.search = {.max_new_tokens = s.max_new_tokens},
                 .end_id = tokenizer_->end_id(),
                 .vocabulary_limit = tokenizer_->vocabulary_size()};
  const SpecialIds special = tokenizer_->special_ids();
  for (const std::int32_t id : {special.pad, s.allow_unknown ? -1 : special.unknown, special.start}) {
    if (id >= 0 && id != generation_.end_id) generation_.suppress_tokens.push_back(id);
  }
}

std::vector<std::string> TextSamples::operator()(std::int64_t epoch) const {
  std::vector<std::string> texts;
  if (prompts_.empty()) return texts;
  Prompts all;
  all.clear();
  for (const std::vector<std::int32_t>& prompt : prompts_) all.add({}, prompt);
  all.finish();
  // Text i of an epoch draws the random numbers of text epoch · prompts + i.
  std::vector<std::uint64_t> numbers(prompts_.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(epoch) * prompts_.size());
  const Sampler sampler(sampling_);
  const std::vector<Hypotheses> written = Decoder(*model_).decode(all, generation_, {sampler, numbers});
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    std::vector<std::int32_t> ids = prompts_[i];
    const std::vector<std::int32_t>& continuation = written[i].front().ids;
    ids.insert(ids.end(), continuation.begin(), continuation.end());
    texts.push_back(without_nul(tokenizer_->decode(ids)));
  }
  return texts;
}

// The columns in the order in which they are read.
static ColumnSubset text_columns(Subset subset, std::int32_t delimiter) {
  return delimiter < 0 ? ColumnSubset(std::move(subset), {"source"})
                       : ColumnSubset(std::move(subset), {"source", "target"});
}

LanguageModelObjective::LanguageModelObjective(LanguageModel& model, Subset train, Subset validation,
                                               double label_smoothing, std::int32_t delimiter)
    : model_(model),
      delimiter_(delimiter),
      train_(text_columns(std::move(train), delimiter)),
      validation_(text_columns(std::move(validation), delimiter)),
      label_smoothing_(label_smoothing) {}

std::span<const std::int32_t> LanguageModelObjective::ids(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  return e.ids(0, e.subset.at(i));
}

DelimitedText LanguageModelObjective::delimited(Split split, std::uint32_t i) const {
  const ColumnSubset& e = of(split);
  const std::int64_t example = e.subset.at(i);
  const DelimitedText text{e.ids(0, example), e.ids(1, example), delimiter_};
  return text.truncated(static_cast<std::size_t>(model_.length()) + 1);
}

std::int64_t LanguageModelObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const ColumnSubset& e = of(split);
  const auto most = static_cast<std::size_t>(model_.length()) + 1;  // ids of a delimited text that are kept
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) {
    const std::int64_t example = e.subset.at(i);
    const std::size_t first = e.count(0, example);
    const std::size_t ids = delimiter_ < 0 ? first : std::min(most, first + 1 + e.count(1, example));
    sum += static_cast<std::int64_t>(ids) - 1;
  }
  return sum;
}

void LanguageModelObjective::prepare(Split split, std::span<const std::uint32_t> chosen,
                                     const BatchPart& part, BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear();
  const Index filled =
      split == Split::train && model_.settings().padding == TrainingPadding::predicted ? model_.length() : 0;
  std::int64_t predicted = 0;
  const auto add = [&](Index i, const auto& text, auto... length) {
    if (i < part.begin()) {
      to.batch.skip(text, length...);
    } else if (i < part.end()) {
      to.batch.add(text, length...);
    }
  };
  for (Index i = 0; i < part.sequences; ++i) {
    const std::uint32_t example = chosen[i];
    if (delimiter_ < 0) {
      const std::span<const std::int32_t> text = ids(split, example);
      add(i, text, filled);
      predicted += std::max(static_cast<std::int64_t>(text.size()) - 1, filled);
    } else {
      const DelimitedText text = delimited(split, example);
      add(i, text);
      predicted += static_cast<std::int64_t>(text.target.size());
    }
  }
  to.batch.finish(part);
  to.loss_scale = 1.0 / static_cast<double>(std::max<std::int64_t>(1, predicted));
}

LossTotals LanguageModelObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  return loss_of(model_, context, packed.batch, split == Split::train ? label_smoothing_ : 0,
                 packed.loss_scale);
}

TextWindowsObjective::TextWindowsObjective(LanguageModel& model, Subset train, Subset validation,
                                           const Recipe& recipe, TextSamples samples)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      seed_(recipe.seed),
      label_smoothing_(recipe.training.label_smoothing),
      draws_(recipe.data.examples == DataExamples::random),
      drawn_windows_(recipe.data.epoch_examples > 0 ? recipe.data.epoch_examples
                                                    : static_cast<std::int64_t>(train_.count())),
      samples_(std::move(samples)) {
  if (draws_ && !train_.is_all)
    throw UsageError(
        "data.examples: windows at random places would show the model what is held out of the same text "
        "(give --validation FILE, or write examples: blocks)");
}

std::size_t TextWindowsObjective::examples(Split split) const {
  return draws_ && split == Split::train ? static_cast<std::size_t>(drawn_windows_) : of(split).count();
}

std::int64_t TextWindowsObjective::begin_of(Split split, std::uint32_t example) const {
  const TokenStream& text = stream(split);
  if (!draws_ || split != Split::train) return text.cut().begin(of(split).at(example));
  const std::int64_t places = text.ids() - text.cut().length;
  if (places <= 1) return 0;
  const RandomStream random{
      .seed = seed_, .purpose = Purpose::epoch_order, .layer = 2, .step = static_cast<std::uint32_t>(epoch_)};
  return static_cast<std::int64_t>(random_below(random, example, static_cast<std::uint64_t>(places)));
}

std::int64_t TextWindowsObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  const TokenStream& text = stream(split);
  std::int64_t sum = 0;
  for (const std::uint32_t example : chosen) sum += text.cut().size(begin_of(split, example), text.ids()) - 1;
  return sum;
}

void TextWindowsObjective::prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                                   BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear();
  std::int64_t predicted = 0;
  const TokenStream& text = stream(split);
  for (Index i = 0; i < part.sequences; ++i) {
    const std::int64_t begin = begin_of(split, chosen[i]);
    const std::int64_t ids = text.cut().size(begin, text.ids());
    predicted += ids - 1;
    if (i < part.begin()) {
      to.batch.skip(ids);
    } else if (i < part.end()) {  // of a file that is larger than memory, only what is computed here is read
      text.read_window(begin, to.window);
      to.batch.add(std::span<const std::int32_t>(to.window));
    }
  }
  to.batch.finish(part);
  to.loss_scale = 1.0 / static_cast<double>(std::max<std::int64_t>(1, predicted));
}

LossTotals TextWindowsObjective::loss(const ForwardContext& context, Split split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  return loss_of(model_, context, packed.batch, split == Split::train ? label_smoothing_ : 0,
                 packed.loss_scale);
}

// --- The row of the registry -------------------------------------------------------------------------------

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
  bool is_stream() const { return recipe_.data.examples != DataExamples::lines; }

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
