#include "tasks/language_modeling/text_windows.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/random.hpp"
#include "tasks/language_modeling/language_model_objective.hpp"

namespace headwater {

TextWindowsObjective::TextWindowsObjective(LanguageModel& model, Subset train, Subset validation,
                                           const Recipe& recipe, TextSamples samples)
    : model_(model),
      train_(std::move(train)),
      validation_(std::move(validation)),
      seed_(recipe.seed),
      label_smoothing_(recipe.training.label_smoothing),
      draws_(recipe.data.examples == "random"),
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
    const std::int64_t begin = begin_of(split, chosen[static_cast<std::size_t>(i)]);
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

}  // namespace headwater
