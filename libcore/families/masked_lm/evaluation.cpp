#include "families/masked_lm/evaluation.hpp"

#include <algorithm>
#include <filesystem>

#include "families/registry.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

MaskedReading masked_reading(const LoadedMaskedLm& model) {
  const std::filesystem::path path = model.files / "recipe.yaml";
  if (!is_there(path)) return {};
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  const Recipe recipe = parse_recipe(read_file(path, kMaxBytes), shown(path));
  return {recipe.masking, recipe.seed};
}

MaskedLmEvaluator::MaskedLmEvaluator(const LoadedMaskedLm& model, const MaskedReading& reading,
                                     std::int64_t batch_sequences)
    : model_(model),
      reading_(reading),
      masking_(masking_of(reading.masking, model.tokenizer, model.mask_id)),
      room_(static_cast<std::size_t>(model.length) - model.around),
      batch_sequences_(batch_sequences) {
  batch_.clear();
}

void MaskedLmEvaluator::add_text(std::string_view text) {
  model_.tokenizer.encode(text, text_);
  add_ids(text_);
}

void MaskedLmEvaluator::add_ids(std::span<const std::int32_t> ids) {
  ++lines_;
  if (ids.empty()) return;
  ++figures_.texts;
  figures_.ids += static_cast<std::int64_t>(ids.size());
  if (reading_.masking.examples == MaskedExamples::lines && ids.size() > room_) {
    figures_.truncated.add(lines_);
    figures_.left_out += static_cast<std::int64_t>(ids.size() - room_);
    ids = ids.first(room_);
  }
  figures_.tokens.add(ids, model_.tokenizer.special_ids());
  for (std::size_t begin = 0; begin < ids.size(); begin += room_)
    add_piece(ids.subspan(begin, std::min(room_, ids.size() - begin)));
}

// Each is named by its number, as training names those of its validation file.
void MaskedLmEvaluator::add_piece(std::span<const std::int32_t> ids) {
  RandomStream stream{.seed = reading_.seed, .purpose = Purpose::masking};
  stream.step = kValidationEpoch;
  stream.layer = pieces_++;
  whole_.clear();
  model_.tokenizer.with_special_tokens(ids, whole_);
  masking_.hide(stream, whole_, masked_);
  batch_.add(masked_.ids, masked_.places, masked_.were);
  if (batch_.source.sequences() >= batch_sequences_) measure();
}

void MaskedLmEvaluator::measure() {
  batch_.finish();
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const kernels::CrossEntropyTotals totals = model_.model->loss({tape}, batch_, {}).masked;
  LossTotals of_batch;
  of_batch.loss = totals.loss;
  of_batch.correct = totals.correct;
  of_batch.predicted = totals.tokens;
  of_batch.useful = batch_.source.tokens();
  of_batch.sequences = of_batch.positions = batch_.source.sequences();
  figures_.totals.add(of_batch);
  batch_.clear();
}

const MaskedLmFigures& MaskedLmEvaluator::finish() {
  if (batch_.source.sequences() > 0) measure();
  return figures_;
}

}  // namespace headwater
