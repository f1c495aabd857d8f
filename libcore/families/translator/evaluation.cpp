#include "families/translator/evaluation.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

std::vector<TokenColumnSettings> translation_columns(const Tokenizer& source, const Tokenizer& target,
                                                     std::int64_t length) {
  return {{.name = "source",
           .vocabulary = source.vocabulary_size(),
           .max_length = length,
           .special = source.special_ids(),
           .vocabulary_hash = source.hash()},
          {.name = "target",
           .vocabulary = target.vocabulary_size(),
           .max_length = length + 1,
           .min_length = 2,
           .first_id = target.start_id(),
           .special = target.special_ids(),
           .vocabulary_hash = target.hash()}};
}

LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length) {
  LossTotals result;
  result.loss = totals.loss;
  result.correct = totals.correct;
  result.predicted = totals.tokens;
  result.useful = (totals.tokens + batch.source.tokens()) / batch.copies();
  result.sequences = batch.target.sequences();
  result.positions = result.sequences * length;
  for (Index s = 0; s < batch.target.sequences(); ++s) {
    result.padded += static_cast<Index>(batch.target.sequence(s).size()) < length;
  }
  return result;
}

void TranslationExamples::add_text(std::string_view line, const LoadedTranslator& model) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
    const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
    throw Error(
        " " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
        " where 2 are wanted: source, target (separate columns by one TAB, as paste does; cut -f picks "
        "columns)");
  }
  const std::int64_t length = model.model->length();
  const std::string_view target = line.substr(tab + 1);
  SourceIds source = model.source_ids(line.substr(0, tab));
  IdPair pair{std::move(source.ids), model.target_tokenizer.encode(target)};
  raw_references.emplace_back(target);
  references.push_back(model.target_tokenizer.join(model.target_tokenizer.tokens(target)));
  const bool has_both = !pair.source.empty() && !pair.target.empty();
  pair.target.insert(pair.target.begin(), model.ids.start);
  pair.target.push_back(model.ids.end);
  const auto most = static_cast<std::size_t>(length) + 1;
  const bool is_target_truncated = pair.target.size() > most;
  truncated += int{source.is_truncated} + int{is_target_truncated};
  if (source.is_truncated || is_target_truncated) truncated_lines.add(std::ssize(raw_references));
  pair.target.resize(std::min(pair.target.size(), most));
  source_tokens.add(pair.source, model.source_tokenizer.special_ids());
  target_tokens.add(pair.target, model.target_tokenizer.special_ids());
  sources.push_back(pair.source);
  if (has_both) {
    lines.push_back(sources.size() - 1);
    pairs.push_back(std::move(pair));
  } else {
    ++skipped;
  }
}

void TranslationExamples::add_ids(const TokenDataset& columns, const LoadedTranslator& model,
                                  bool is_translated) {
  for (std::int64_t i = 0; is_translated && i < columns.examples(); ++i) {
    const auto source_ids = columns.ids(0, i), target_ids = columns.ids(1, i);
    sources.emplace_back(source_ids.begin(), source_ids.end());
    references.push_back(model.target_tokenizer.decode(target_ids));
    raw_references.push_back(references.back());
  }
  const std::vector<ColumnTokenCounts> counts = columns.token_counts();
  source_tokens += counts[0].counts;
  target_tokens += counts[1].counts;
  truncated += columns.truncated(0) + columns.truncated(1);
  skipped += columns.skipped();
}

LossTotals evaluate_pairs(const EncoderDecoder& model, Arena& arena, std::int64_t count,
                          const std::function<IdPairView(std::int64_t)>& pair_at,
                          std::int64_t batch_sequences,
                          const std::function<void(std::int64_t)>& after_batch) {
  LossTotals totals;
  PairBatch batch;
  for (std::int64_t begin = 0; begin < count; begin += batch_sequences) {
    const std::int64_t end = std::min(begin + batch_sequences, count);
    batch.clear();
    for (std::int64_t i = begin; i < end; ++i) {
      const IdPairView pair = pair_at(i);
      batch.add(pair.source, pair.target);
    }
    batch.finish();
    const ArenaScope scope(arena);
    Tape tape(arena, Tape::Mode::inference);
    const double scale = 1.0 / static_cast<double>(batch.labels.size());
    totals.add(totals_of(model.loss({tape}, batch, 0, scale), batch, model.length()));
    if (after_batch) after_batch(end);
  }
  return totals;
}

// The log-probability of each label.
static std::vector<double> label_log_probabilities(const EncoderDecoder& model, const ForwardContext& context,
                                                   const PairBatch& batch) {
  const Variable hidden = model.decode(context, batch.target, model.encode(context, batch.source));
  const OutputLayer& output = model.output_layer();
  constexpr Index kRows = 64;  // whose logits are there at once
  Arena& arena = context.tape.arena();
  const Matrix logits = arena.matrix(std::min(kRows, hidden.rows()), output.outputs());
  const std::span<Real> log_sums = arena.span<Real>(logits.rows);
  std::vector<double> found;
  for (Index begin = 0; begin < hidden.rows(); begin += kRows) {
    const Index rows = std::min(kRows, hidden.rows() - begin);
    const Matrix block = logits.rows_between(0, rows);
    output(context, hidden.value().rows_between(begin, begin + rows), block);
    kernels::top_log_sums(block, log_sums);
    for (Index row = 0; row < rows; ++row) {
      const std::int32_t label = batch.labels[begin + row];
      found.push_back(static_cast<double>(block.row(row)[label]) - static_cast<double>(log_sums[row]));
    }
  }
  return found;
}

std::vector<TargetScore> score_targets(const EncoderDecoder& model, Arena& arena,
                                       std::span<const IdPair> pairs, std::int64_t batch_sequences,
                                       const std::function<void(std::int64_t)>& after_batch) {
  std::vector<TargetScore> scores;
  PairBatch batch;
  while (scores.size() < pairs.size()) {
    batch.clear();
    for (const IdPair& pair :
         pairs.subspan(scores.size())
             .first(std::min(static_cast<std::size_t>(batch_sequences), pairs.size() - scores.size())))
      batch.add(pair.source, pair.target);
    batch.finish();
    const ArenaScope scope(arena);
    Tape tape(arena, Tape::Mode::inference);
    const std::vector<double> of_labels = label_log_probabilities(model, {tape}, batch);
    for (Index s = 0; s < batch.target.sequences(); ++s) {
      TargetScore& score = scores.emplace_back();
      for (Index i = batch.target.offsets[s]; i < batch.target.offsets[s + 1]; ++i) {
        score.log_probability += of_labels[i];
        ++score.tokens;
      }
    }
    if (after_batch) after_batch(std::ssize(scores));
  }
  return scores;
}

}  // namespace headwater
