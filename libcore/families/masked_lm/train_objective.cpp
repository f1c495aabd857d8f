#include "families/masked_lm/train_objective.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "families/masked_lm/directory.hpp"
#include "families/masked_lm/train_texts.hpp"
#include "families/tokenizer_files.hpp"
#include "families/train_task.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"

namespace headwater {

namespace {

double one_over(std::int64_t count) { return 1.0 / static_cast<double>(std::max<std::int64_t>(1, count)); }

LossPart part_of(const kernels::CrossEntropyTotals& totals, double weight) {
  return {.weight = weight, .loss = totals.loss, .correct = totals.correct, .predicted = totals.tokens};
}

}  // namespace

MaskedLmObjective::MaskedLmObjective(MaskedLanguageModel& model, std::unique_ptr<MaskedTexts> train,
                                     std::unique_ptr<MaskedTexts> validation, Masking masking,
                                     std::uint64_t seed)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      masking_(std::move(masking)),
      seed_(seed) {
  for (Slot& slot : slots_) {
    slot.text.reserve(model.length());
    slot.masked.reserve(model.length());
  }
  losses_.push_back({.name = "masked", .has_accuracy = true});
  if (model.settings().next_sentence) losses_.push_back({.name = "next_sentence", .has_accuracy = true});
  if (model.settings().span_boundary) losses_.push_back({.name = "span_boundary", .has_accuracy = true});
}

std::int64_t MaskedLmObjective::tokens(Split split, std::span<const std::uint32_t> chosen) const {
  std::int64_t sum = 0;
  for (const std::uint32_t i : chosen) sum += of(split).most_tokens(i);
  return sum;
}

std::string MaskedLmObjective::data_hash() const {
  Hasher hasher;
  for (const Split split : {Split::train, Split::validation}) of(split).add_to(hasher);
  return hasher.digest();
}

void MaskedLmObjective::prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                                BatchSlot slot) {
  Slot& to = slot_of(slot);
  to.batch.clear();
  reserve(to, split, chosen.subspan(part.begin(), static_cast<std::size_t>(part.end() - part.begin())));
  std::int64_t hidden = 0;
  RandomStream stream{.seed = seed_, .purpose = Purpose::masking};
  stream.step = split == Split::train ? static_cast<std::uint32_t>(epoch_) : kValidationEpoch;
  // Texts of the other parts count, too: a loss is a mean over the global batch.
  for (Index i = 0; i < part.sequences; ++i) {
    const std::uint32_t example = chosen[i];
    stream.layer = of(split).name(example);
    of(split).read(example, stream, to.text);
    masking_.hide(stream, to.text.ids, to.masked);
    hidden += static_cast<std::int64_t>(to.masked.places.size());
    if (i < part.begin()) {
      to.batch.skip(static_cast<Index>(to.text.ids.size()), static_cast<Index>(to.masked.places.size()));
    } else if (i < part.end()) {
      add(to);
    }
  }
  to.batch.finish(part);
  to.scales.masked = to.scales.span_boundary = one_over(hidden);
  to.scales.next_sentence = one_over(part.sequences);
}

// How many tokens a pair has is drawn, and how many spans find a place: a later batch may have more than the
// one that the run's memory is measured with.
void MaskedLmObjective::reserve(Slot& to, Split split, std::span<const std::uint32_t> chosen) const {
  const std::int64_t most = tokens(split, chosen);
  to.batch.reserve(most, static_cast<std::size_t>(masking_.most_hidden(most)) + chosen.size());
}

void MaskedLmObjective::add(Slot& to) const {
  const auto begin = static_cast<std::int32_t>(to.batch.source.tokens());
  to.batch.add(to.masked.ids, to.masked.places, to.masked.were);
  if (model_.settings().segments > 0) {
    if (to.text.segment_of.empty()) to.text.segment_of.assign(to.text.ids.size(), 0);
    to.batch.segment_of.insert(to.batch.segment_of.end(), to.text.segment_of.begin(),
                               to.text.segment_of.end());
  }
  if (model_.settings().next_sentence) to.batch.is_random.push_back(to.text.is_random ? 1 : 0);
  if (!model_.settings().span_boundary) return;
  for (std::size_t h = 0; h < to.masked.places.size(); ++h) {
    to.batch.before.push_back(begin + to.masked.before[h]);
    to.batch.after.push_back(begin + to.masked.after[h]);
    to.batch.place.push_back(to.masked.within[h]);
  }
}

LossTotals MaskedLmObjective::loss(const ForwardContext& context, Split, BatchSlot slot) {
  const Slot& packed = slot_of(slot);
  const MaskedLmTotals totals = model_.loss(context, packed.batch, packed.scales);
  LossTotals result;
  result.useful = packed.batch.source.tokens();
  result.sequences = result.positions = packed.batch.source.sequences();
  if (losses_.size() == 1) {
    result.loss = totals.masked.loss;
    result.correct = totals.masked.correct;
    result.predicted = totals.masked.tokens;
    return result;
  }
  std::size_t place = 0;
  result.set_part(place++, part_of(totals.masked, 1));
  if (model_.settings().next_sentence) result.set_part(place++, part_of(totals.next_sentence, 1));
  if (model_.settings().span_boundary) result.set_part(place++, part_of(totals.span_boundary, 1));
  return result;
}

// --- The row of the registry -------------------------------------------------------------------------------

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
    const TokenColumnSettings source{
        .name = "source",
        .vocabulary = tokenizer_.vocabulary_size(),
        .max_length = recipe_.masking.examples == MaskedExamples::lines ? room : 0,
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
  bool reads_pairs() const { return recipe_.masking.examples == MaskedExamples::sentence_pairs; }
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
