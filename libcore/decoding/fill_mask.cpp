#include "decoding/fill_mask.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/loss/loss.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// Lines go through the model together up to so many tokens, and so many logits: memory depends on the longest
// line, and not on how many long ones come together.
constexpr std::size_t kTokensOfLines = 8192, kLogitsOfLines = std::size_t{1} << 24;

}  // namespace

MaskFiller::MaskFiller(const LoadedMaskedLm& model, const Settings& settings)
    : model_(model), settings_(settings) {
  if (settings.compute_type == ComputeType::int8)
    packed_ = std::make_unique<PackedWeights>(model.model->parameters(), kEncoderBlocks, ComputeType::int8);
  const Tokenizer& tokenizer = model.tokenizer;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const bool is_word = id == tokenizer.unknown_id() ? settings.allows_unknown : !tokenizer.is_special(id);
    if (is_word) words_.push_back(id);
  }
}

void MaskFiller::encode(const std::vector<std::string>& lines) {
  texts_.resize(std::max(texts_.size(), lines.size()));
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    const std::size_t line = i;
    model_.masked_ids(lines[line], texts_[line]);
  });
}

void MaskFiller::check(std::size_t line) const {
  const MaskedIds& text = texts_[line];
  const std::string& mask = model_.mask();
  if (text.masks == 0)
    throw LineError(line, "has no " + mask + " (write " + mask + " where a word is to be found)");
  if (text.places.size() == text.masks) return;
  const auto most = static_cast<std::size_t>(model_.length) - model_.around;
  throw LineError(line, mask + " number " + std::to_string(text.places.size() + 1) + " of " +
                            std::to_string(text.masks) + " stands after the first " +
                            counted(static_cast<std::int64_t>(most), "token") +
                            ", all that the model reads (shorten the text before it)");
}

void MaskFiller::fill(const std::vector<std::string>& lines, const Use& use) {
  encode(lines);
  std::size_t begin = 0;
  batch_.clear();
  const auto run = [&](std::size_t end) {
    if (end > begin) run_batch(begin, end, use);
    begin = end;
  };
  for (std::size_t line = 0; line < lines.size(); ++line) {
    try {
      check(line);
    } catch (const LineError&) {
      run(line);
      throw;
    }
    const MaskedIds& text = texts_[line];
    if (text.is_truncated) truncated_lines_.add(lines_ + static_cast<std::int64_t>(line) + 1);
    tokens_.add(text.ids, model_.tokenizer.special_ids());
    batch_.add(text.ids, text.places, std::vector<std::int32_t>(text.places.size(), 0));
    const std::size_t logits = batch_.labels.size() * static_cast<std::size_t>(model_.model->vocabulary());
    if (batch_.source.ids.size() >= kTokensOfLines || logits >= kLogitsOfLines) run(line + 1);
  }
  run(lines.size());
  lines_ += std::ssize(lines);
}

void MaskFiller::run_batch(std::size_t begin, std::size_t end, const Use& use) {
  batch_.finish();
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const ForwardContext context{.tape = tape, .packed = packed_.get()};
  const MaskedLanguageModel& model = *model_.model;
  const Variable hidden = model.encode(context, batch_);
  const Matrix rows = model.logits(context, model.masked_features(context, hidden, batch_)).value();
  kernels::softmax(rows, rows);
  batch_.clear();
  std::size_t mask = 0;
  const Index at = kernels::find_not_finite(rows.rows * rows.cols, rows.data);
  for (std::size_t line = begin; at >= 0 && line < end; ++line) {
    mask += texts_[line].places.size();
    if (at / rows.cols < static_cast<Index>(mask)) throw LineError(line, kOutputNotFinite);
  }
  found_.resize(std::max(found_.size(), static_cast<std::size_t>(rows.rows)));
  parallel_for(rows.rows, [&](std::int64_t i) { choose(rows.row(i), found_[i]); });
  const std::span<const MaskCandidates> found(found_);
  mask = 0;
  for (std::size_t line = begin; line < end; ++line) {
    use(line, found.subspan(mask, texts_[line].places.size()));
    mask += texts_[line].places.size();
  }
}

void MaskFiller::choose(const Real* probabilities, MaskCandidates& best) const {
  best.clear();
  for (const std::int32_t id : words_) best.push_back({id, static_cast<float>(probabilities[id])});
  const std::size_t count =
      settings_.top_k == 0 ? best.size() : std::min(best.size(), static_cast<std::size_t>(settings_.top_k));
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count), best.end(),
                    [](const MaskCandidate& a, const MaskCandidate& b) {
                      return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
                    });
  best.resize(count);
}

}  // namespace headwater
