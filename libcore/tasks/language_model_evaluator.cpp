#include "tasks/language_model_evaluator.hpp"

#include <algorithm>
#include <numbers>

#include "support/error.hpp"

namespace headwater {

double LanguageModelFigures::bits() const { return totals.loss / std::numbers::ln2; }

LanguageModelEvaluator::LanguageModelEvaluator(const LanguageModelFiles& model,
                                               const LanguageModelReading& settings)
    : model_(model), settings_(settings), max_ids_(static_cast<std::size_t>(model.model->length()) + 1) {
  const std::int64_t length = model.model->length();
  if (settings.stride < 0 || settings.stride > length)
    throw UsageError("--stride " + std::to_string(settings.stride) + " is not from 1 to " +
                     std::to_string(length) + ", the model's length");
  if (model.delimiter >= 0 && (settings.stride > 0 || settings.has_start))
    throw UsageError(std::string(settings.stride > 0 ? "--stride" : "--start") +
                     " is for language models without a delimiter, this one has one");
  if (settings.has_start && model.tokenizer.start_id() < 0)
    throw UsageError("--start: the model's tokenizer has no start token");
}

std::vector<std::int32_t> LanguageModelEvaluator::with_start(std::span<const std::int32_t> ids) const {
  std::vector<std::int32_t> all;
  if (settings_.has_start) all.push_back(model_.tokenizer.start_id());
  all.insert(all.end(), ids.begin(), ids.end());
  return all;
}

// Characters are counted by the bytes that begin one, for the bytes of a token may be a part of it.
void LanguageModelEvaluator::count_text(std::string_view text, std::int64_t sign) {
  figures_.bytes += sign * static_cast<std::int64_t>(text.size());
  figures_.characters += sign * std::count_if(text.begin(), text.end(), [](char c) {
                           return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                         });
}

void LanguageModelEvaluator::add_text(std::string_view line) {
  const Tokenizer& tokenizer = model_.tokenizer;
  if (model_.delimiter < 0) {
    const std::vector<std::int32_t> ids = with_start(tokenizer.encode(line));
    if (ids.size() < 2) return;
    if (add_sequences(ids)) {
      count_text(tokenizer.decode(std::span(ids).subspan(1, max_ids_ - 1)), 1);
    } else {
      count_text(line, 1);
      count_text(tokenizer.decode(std::span(ids).first(1)), -1);  // given, not predicted
    }
    return;
  }
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
    const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
    throw Error(
        " " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
        " where 2 are wanted: text, how it goes on (separate columns by one TAB, as paste does; cut -f picks "
        "columns)");
  }
  const std::vector<std::int32_t> source = tokenizer.encode(line.substr(0, tab));
  std::vector<std::int32_t> target = tokenizer.encode(line.substr(tab + 1));
  if (source.empty() || target.empty()) return;
  target.push_back(tokenizer.end_id());
  if (add_pair({source, target, model_.delimiter})) {
    const DelimitedText kept = DelimitedText{source, target, model_.delimiter}.truncated(max_ids_);
    count_text(kept.target.size() < target.size() ? tokenizer.decode(kept.target) : line.substr(tab + 1), 1);
  } else {
    count_text(line.substr(tab + 1), 1);
  }
}

void LanguageModelEvaluator::add_ids(std::span<const std::int32_t> ids,
                                     std::span<const std::int32_t> continuation) {
  if (model_.delimiter < 0) {
    if (const std::vector<std::int32_t> all = with_start(ids); all.size() >= 2) add_sequences(all);
  } else if (!ids.empty() && !continuation.empty()) {
    add_pair({ids, continuation, model_.delimiter});
  }
}

// Whether something was cut off.
bool LanguageModelEvaluator::add_sequences(std::vector<std::int32_t> ids) {
  ++figures_.texts;
  const bool is_truncated = settings_.stride == 0 && ids.size() > max_ids_;
  if (is_truncated) {
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(max_ids_), ids.end());
    ++figures_.truncated;
  }
  figures_.tokens.add(ids, model_.tokenizer.special_ids());
  const auto stride = static_cast<std::size_t>(std::max<std::int64_t>(1, settings_.stride));
  for (const TextWindow& window : text_windows(ids.size(), max_ids_ - 1, stride)) {
    const std::span<const std::int32_t> read =
        std::span<const std::int32_t>(ids).subspan(window.begin, window.end - window.begin);
    push({{read.begin(), read.end()}, window.predicted - window.begin});
  }
  return is_truncated;
}

bool LanguageModelEvaluator::add_pair(const DelimitedText& text) {
  ++figures_.texts;
  const DelimitedText kept = text.truncated(max_ids_);
  const bool is_truncated = kept.size() < text.size();
  figures_.truncated += is_truncated ? 1 : 0;
  for (const auto& ids : {kept.source, kept.target}) figures_.tokens.add(ids, model_.tokenizer.special_ids());
  Sequence sequence{{kept.source.begin(), kept.source.end()}, kept.source.size() + 1};
  sequence.ids.push_back(kept.delimiter);
  sequence.ids.insert(sequence.ids.end(), kept.target.begin(), kept.target.end());
  push(std::move(sequence));
  return is_truncated;
}

void LanguageModelEvaluator::push(Sequence sequence) {
  waiting_.push_back(std::move(sequence));
  if (static_cast<std::int64_t>(waiting_.size()) >= settings_.batch_sequences) measure();
}

void LanguageModelEvaluator::measure() {
  if (waiting_.empty()) return;
  // A window is a text and how it goes on, too: its last token that is given stands in the delimiter's place.
  const bool is_delimited = model_.delimiter >= 0 || settings_.stride > 0;
  batch_.clear();
  for (const Sequence& sequence : waiting_) {
    const std::span<const std::int32_t> ids(sequence.ids);
    if (is_delimited) {
      const std::size_t given = sequence.predicted - 1;
      batch_.add(DelimitedText{ids.first(given), ids.subspan(given + 1), ids[given]});
    } else {
      batch_.add(ids);
    }
  }
  batch_.finish();
  const ArenaScope scope(arena_);
  Tape tape(arena_, Tape::Mode::inference);
  figures_.totals.add(totals_of(model_.model->loss({tape}, batch_, 0, 1), batch_, model_.model->length()));
  waiting_.clear();
}

const LanguageModelFigures& LanguageModelEvaluator::finish() {
  measure();
  return figures_;
}

}  // namespace headwater
