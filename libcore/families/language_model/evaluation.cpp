#include "families/language_model/evaluation.hpp"

#include <algorithm>
#include <numbers>

#include "families/registry.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

LossTotals loss_of(const LanguageModel& model, const ForwardContext& context, const TokenBatch& batch,
                   double label_smoothing, double loss_scale) {
  const kernels::CrossEntropyTotals totals = model.loss(context, batch, label_smoothing, loss_scale);
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = totals.tokens;
  result.useful = batch.tokens.tokens() - batch.padding;
  result.sequences = batch.tokens.sequences();
  result.positions = result.sequences * model.length();
  for (Index s = 0; s < batch.tokens.sequences(); ++s)
    result.padded += static_cast<Index>(batch.tokens.sequence(s).size()) < model.length();
  return result;
}

double LanguageModelFigures::bits() const { return text_loss / std::numbers::ln2; }

TrainedReading trained_reading(const LoadedLanguageModel& model) {
  const std::filesystem::path path = model.files / "recipe.yaml";
  if (model.delimiter >= 0 || !is_there(path)) return {};
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  const DataSettings data = parse_recipe(read_file(path, kMaxBytes), shown(path)).data;
  if (data.examples == DataExamples::lines) return {};
  return {.is_stream = true, .has_line_ends = data.line_ends, .stride = data.stride};
}

LanguageModelEvaluator::LanguageModelEvaluator(const LoadedLanguageModel& model,
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
  ++lines_;
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
  if (source.empty() || target.empty()) {
    ++figures_.skipped;
    return;
  }
  target.push_back(tokenizer.end_id());
  if (add_pair({source, target, model_.delimiter})) {
    const DelimitedText truncated = DelimitedText{source, target, model_.delimiter}.truncated(max_ids_);
    count_text(
        truncated.target.size() < target.size() ? tokenizer.decode(truncated.target) : line.substr(tab + 1),
        1);
  } else {
    count_text(line.substr(tab + 1), 1);
  }
}

void LanguageModelEvaluator::add_ids(std::span<const std::int32_t> ids,
                                     std::span<const std::int32_t> continuation) {
  ++lines_;
  if (model_.delimiter < 0) {
    if (const std::vector<std::int32_t> all = with_start(ids); all.size() >= 2) add_sequences(all);
  } else if (!ids.empty() && !continuation.empty()) {
    add_pair({ids, continuation, model_.delimiter});
  }
}

WindowCut LanguageModelEvaluator::cut() const {
  const std::int64_t length = model_.model->length();
  return {.length = length, .stride = settings_.training_stride > 0 ? settings_.training_stride : length};
}

void LanguageModelEvaluator::add_line_of_stream(std::string_view line, bool has_line_end) {
  std::string whole(line);
  if (has_line_end) whole.push_back('\n');
  if (whole.empty()) return;
  if (stream_.empty()) stream_ = with_start({});
  const std::vector<std::int32_t> ids = model_.tokenizer.encode(whole);
  const bool is_first = stream_.empty() && !ids.empty();
  stream_.insert(stream_.end(), ids.begin(), ids.end());
  count_text(whole, 1);
  if (is_first) count_text(model_.tokenizer.decode(std::span(ids).first(1)), -1);  // given, not predicted
}

void LanguageModelEvaluator::add_stream(const TokenStream& text) {
  add_windows(text.ids(), [&](std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& to) {
    text.read(begin, count, to);
  });
}

// A text, at least two ids, of which read(begin, count, to) gives some.
template <class Read>
void LanguageModelEvaluator::add_windows(std::int64_t ids, const Read& read) {
  ++figures_.texts;
  figures_.ids += ids;
  std::int64_t known = 0;  // ids of the windows so far
  const auto add = [&](std::int64_t begin, std::int64_t predicted, std::int64_t end) {
    Sequence sequence{{}, static_cast<std::size_t>(predicted - begin)};
    read(begin, end - begin, sequence.ids);
    const std::size_t repeated = std::max<std::int64_t>(0, known - begin);
    figures_.tokens.add(std::span(sequence.ids).subspan(repeated), model_.tokenizer.special_ids());
    sequence.is_new = std::max(sequence.predicted, repeated);
    known = end;
    push(std::move(sequence));
  };
  if (settings_.stride > 0) {
    for (const TextWindow& window : text_windows(static_cast<std::size_t>(ids), max_ids_ - 1,
                                                 static_cast<std::size_t>(settings_.stride)))
      add(static_cast<std::int64_t>(window.begin), static_cast<std::int64_t>(window.predicted),
          static_cast<std::int64_t>(window.end));
    return;
  }
  for (std::int64_t w = 0; w < cut().windows(ids); ++w) {
    const std::int64_t begin = cut().begin(w);
    add(begin, begin + 1, begin + cut().size(begin, ids));
  }
}

void LanguageModelEvaluator::add_windows(std::span<const std::int32_t> ids) {
  add_windows(static_cast<std::int64_t>(ids.size()),
              [&](std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& to) {
                to.assign(ids.begin() + begin, ids.begin() + begin + count);
              });
}

// Whether something was cut off.
bool LanguageModelEvaluator::add_sequences(std::vector<std::int32_t> ids) {
  const bool is_truncated = settings_.stride == 0 && !settings_.is_whole && ids.size() > max_ids_;
  if (is_truncated) {
    const auto left_out = static_cast<std::int64_t>(ids.size() - max_ids_);
    ids.resize(max_ids_);
    figures_.truncated.add(lines_);
    figures_.ids += left_out;
    figures_.left_out += left_out;
  }
  add_windows(ids);
  return is_truncated;
}

bool LanguageModelEvaluator::add_pair(const DelimitedText& text) {
  ++figures_.texts;
  const DelimitedText truncated = text.truncated(max_ids_);
  const bool is_truncated = truncated.size() < text.size();
  if (is_truncated) figures_.truncated.add(lines_);
  figures_.ids += static_cast<std::int64_t>(text.size());
  figures_.left_out += static_cast<std::int64_t>(text.size() - truncated.size());
  for (const auto& ids : {truncated.source, truncated.target})
    figures_.tokens.add(ids, model_.tokenizer.special_ids());
  Sequence sequence{{truncated.source.begin(), truncated.source.end()}, truncated.source.size() + 1};
  sequence.ids.push_back(truncated.delimiter);
  sequence.ids.insert(sequence.ids.end(), truncated.target.begin(), truncated.target.end());
  push(std::move(sequence));
  return is_truncated;
}

void LanguageModelEvaluator::push(Sequence sequence) {
  waiting_.push_back(std::move(sequence));
  if (static_cast<std::int64_t>(waiting_.size()) >= settings_.batch_sequences) measure();
}

// The loss of what waits, of each sequence from its id `first` on.
LossTotals LanguageModelEvaluator::measure_from(std::size_t Sequence::*first) {
  batch_.clear();
  const bool is_whole = std::all_of(waiting_.begin(), waiting_.end(),
                                    [&](const Sequence& sequence) { return sequence.*first == 1; });
  for (const Sequence& sequence : waiting_) {
    const std::span<const std::int32_t> ids(sequence.ids);
    if (is_whole) {
      batch_.add(ids);
      continue;
    }
    // A text and how it goes on: where there is no delimiter the last token that is given stands in its
    // place.
    const std::size_t given = sequence.*first - 1;
    batch_.add({ids.first(given), ids.subspan(given + 1), ids[given]});
  }
  batch_.finish();
  const ArenaScope scope(arena_);
  Tape tape(arena_, Tape::Mode::inference);
  return loss_of(*model_.model, {tape}, batch_, 0, 1);
}

void LanguageModelEvaluator::measure() {
  if (waiting_.empty()) return;
  const LossTotals totals = measure_from(&Sequence::predicted);
  figures_.totals.add(totals);
  if (!settings_.has_bits) return waiting_.clear();
  const bool is_new = std::all_of(waiting_.begin(), waiting_.end(), [](const Sequence& sequence) {
    return sequence.is_new == sequence.predicted;
  });
  figures_.text_loss += is_new ? totals.loss : measure_from(&Sequence::is_new).loss;
  waiting_.clear();
}

const LanguageModelFigures& LanguageModelEvaluator::finish() {
  if (stream_.size() > 1) add_windows(std::span<const std::int32_t>(stream_));
  stream_.clear();
  measure();
  return figures_;
}

}  // namespace headwater
