#include "decoding/classify.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// A batch goes through the model in parts of about so many tokens: memory depends on the longest line, and
// not on how many long ones come together.
constexpr std::size_t kTokensAtOnce = 8192;

// Of each label by itself.
Matrix sigmoids(const ForwardContext& context, const TextClassifier& model, const ClassBatch& batch) {
  const Matrix logits = model.head().logits(context, model.features(context, batch)).value();
  kernels::activate(kernels::Activation::sigmoid, logits, logits);
  return logits;
}

}  // namespace

Matrix TextLabeller::probabilities(const std::vector<std::string>& lines) {
  if (model_.texts != Texts::one) {
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::string fault = fault_of_texts(model_.texts, lines[line]);
      if (!fault.empty()) throw LineError(line, fault);
    }
  }
  encode(lines);
  return probabilities_of_encoded(lines.size());
}

Matrix TextLabeller::probabilities_of_ids(const std::vector<std::span<const std::int32_t>>& texts) {
  sources_.resize(std::max(sources_.size(), texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (model_.around > 0) {
      add_template(model_.tokenizer, model_.around, texts[i], model_.length, sources_[i].ids,
                   model_.uncounted);
    } else {
      sources_[i].ids.assign(texts[i].begin(), texts[i].end());
    }
    sources_[i].is_empty = texts[i].empty();
    sources_[i].is_truncated = false;
    sources_[i].first = sources_[i].second = {};
  }
  return probabilities_of_encoded(texts.size());
}

Matrix TextLabeller::probabilities_of_encoded(std::size_t lines) {
  probabilities_.clear();
  batch_.clear();
  for (std::size_t line = 0; line < lines; ++line) {
    add_line(line);
    if (batch_.source.ids.size() >= kTokensAtOnce || line + 1 == lines) run_batch();
  }
  const Index classes = model_.model->classes();
  const Index at = kernels::find_not_finite(static_cast<Index>(probabilities_.size()), probabilities_.data());
  if (at >= 0) throw LineError(static_cast<std::size_t>(at / classes), kOutputNotFinite);
  return {probabilities_.data(), static_cast<Index>(lines), classes};
}

void TextLabeller::run_batch() {
  batch_.finish();
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const ConstMatrix rows = model_.gives_many_labels ? sigmoids({tape}, *model_.model, batch_)
                                                    : model_.model->probabilities({tape}, batch_);
  probabilities_.insert(probabilities_.end(), rows.data, rows.data + rows.rows * rows.cols);
  batch_.clear();
}

void TextLabeller::encode(const std::vector<std::string>& lines) {
  sources_.resize(std::max(sources_.size(), lines.size()));
  term_values_.resize(model_.terms ? sources_.size() : 0);
  counts_.resize(term_values_.size());
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    const auto line = static_cast<std::size_t>(i);
    if (!model_.terms) {
      model_.source_ids(lines[line], sources_[line]);
      return;
    }
    TokenRow row;
    model_.tokenizer.for_each_token(lines[line], [&](std::string_view token) { row.add(token); });
    model_.terms->values(row, model_.terms->settings().output, term_values_[line]);
    counts_[line] = model_.terms->counts(row);
  });
}

void TextLabeller::add_line(std::size_t line) {
  ++lines_;
  if (model_.terms) {
    std::vector<std::int32_t>& ids = sources_[line].ids;
    ids.clear();
    for (const TermValue& value : term_values_[line]) {
      ids.push_back(value.term);
      batch_.values.push_back(value.value);
    }
    empty_lines_ += ids.empty() ? 1 : 0;
    batch_.add(ids);
    tokens_ += counts_[line];
    return;
  }
  const SourceIds& source = sources_[line];
  const std::vector<std::int32_t>& ids = source.ids;
  if (source.is_truncated) truncated_lines_.add(lines_);
  empty_lines_ += source.is_empty ? 1 : 0;
  tokens_.add(ids, model_.tokenizer.special_ids());
  const auto count = static_cast<Index>(ids.size()), length = model_.model->padded_length(count);
  if (model_.texts != Texts::one && model_.model->segments() == 2) {
    batch_.add_pair(ids, source.second.begin > 0 ? source.second.begin : count, length);
  } else {
    batch_.add(ids, length);
  }
}

std::vector<LabelProbability> TextLabeller::best(const float* probabilities, Index labels, Index count) {
  std::vector<LabelProbability> all(static_cast<std::size_t>(labels));
  for (Index label = 0; label < labels; ++label)
    all[static_cast<std::size_t>(label)] = {static_cast<std::int32_t>(label), probabilities[label]};
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, labels));
  std::partial_sort(all.begin(), end, all.end(), [](const LabelProbability& a, const LabelProbability& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  });
  all.erase(end, all.end());
  return all;
}

}  // namespace headwater
