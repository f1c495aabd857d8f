#include "data/ngram_vocabulary_learner.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {
struct NgramVocabularyLearner::Counter {
  struct Statistic {
    std::uint64_t count = 0;
    std::uint64_t documents = 0;
    std::uint64_t last_document = 0;
  };
  // WordTable's value is the statistic's index + 1.
  Statistic& at(std::string_view ngram) {
    std::uint64_t& index = table.value(ngram);
    if (index == 0) {
      statistics.emplace_back();
      index = statistics.size();
    }
    return statistics[index - 1];
  }

  WordTable table;
  std::vector<Statistic> statistics;
  std::uint64_t documents = 0;
  TokenRow row;
};

NgramVocabularyLearner::NgramVocabularyLearner(const NgramVocabulary::Settings& settings, std::int64_t size)
    : settings_(settings), size_(size), long_(settings.ngrams) {
  if (settings.ngrams < 1 || settings.ngrams > 100) {
    throw UsageError("ngrams: " + std::to_string(settings.ngrams) + " is not in 1 .. 100");
  }
  if (size < 2 || size > 0x7FFFFFF0) {
    throw UsageError("size: " + std::to_string(size) + " is not in 2 .. 2147483632 ([UNK] counts)");
  }
}

NgramVocabularyLearner::~NgramVocabularyLearner() = default;

std::unique_ptr<NgramVocabularyLearner::Counter> NgramVocabularyLearner::borrow() {
  const std::lock_guard lock(mutex_);
  if (counters_.empty()) return std::make_unique<Counter>();
  std::unique_ptr<Counter> counter = std::move(counters_.back());
  counters_.pop_back();
  return counter;
}

void NgramVocabularyLearner::give_back(std::unique_ptr<Counter> counter) {
  const std::lock_guard lock(mutex_);
  counters_.push_back(std::move(counter));
}

void NgramVocabularyLearner::add(std::string_view token_line) {
  std::unique_ptr<Counter> counter = borrow();
  try {
    counter->row.read(token_line);
  } catch (...) {
    give_back(std::move(counter));
    throw;
  }
  if (settings_.ngrams >= kLongNgrams) {
    const std::lock_guard lock(mutex_);
    long_.add(counter->row);
    counters_.push_back(std::move(counter));
    return;
  }
  const std::uint64_t document = ++counter->documents;
  for_each_ngram(counter->row, static_cast<std::size_t>(settings_.ngrams), [&](std::string_view ngram) {
    Counter::Statistic& statistic = counter->at(ngram);
    ++statistic.count;
    statistic.documents += statistic.last_document == document ? 0 : 1;
    statistic.last_document = document;
  });
  give_back(std::move(counter));
}

NgramVocabulary NgramVocabularyLearner::finish(Summary* summary) {
  if (settings_.ngrams >= kLongNgrams) {
    NgramCounts::Top top = long_.top(static_cast<std::size_t>(size_ - 1));
    if (top.terms.empty()) throw Error("no tokens to learn from (the input is empty)");
    if (summary != nullptr) *summary = {top.documents, top.ngrams, top.distinct, top.covered};
    return NgramVocabulary(settings_, top.documents, std::move(top.terms));
  }
  const std::unique_ptr<Counter> all = borrow();
  for (; !counters_.empty(); counters_.pop_back()) {
    const Counter& other = *counters_.back();
    all->documents += other.documents;
    for (const WordTable::Entry& entry : other.table.entries()) {
      const Counter::Statistic& from = other.statistics[entry.value - 1];
      Counter::Statistic& to = all->at(entry.word());
      to.count += from.count;
      to.documents += from.documents;
    }
  }
  Summary figures{.documents = all->documents};
  std::vector<WordTable::Entry> entries;
  entries.reserve(all->table.size());
  for (const WordTable::Entry& entry : all->table.entries()) {
    const Counter::Statistic& statistic = all->statistics[entry.value - 1];
    figures.ngrams += statistic.count;
    ++figures.distinct;
    if (entry.word() != kUnknownTerm) entries.push_back(entry);  // text that spells it stays unknown
  }
  if (entries.empty()) throw Error("no tokens to learn from (the input is empty)");
  const auto count_of = [&](const WordTable::Entry& e) { return all->statistics[e.value - 1].count; };
  const auto before = [&](const WordTable::Entry& a, const WordTable::Entry& b) {
    const std::uint64_t count_a = count_of(a), count_b = count_of(b);
    return count_a != count_b ? count_a > count_b : has_greater_bytes(a.word(), b.word());
  };
  const std::size_t most = std::min(entries.size(), static_cast<std::size_t>(size_ - 1));
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(entries.begin(), middle, entries.end(), before);
  std::vector<NgramVocabulary::Term> terms;
  terms.reserve(most);
  for (std::size_t i = 0; i < most; ++i) {
    figures.covered += count_of(entries[i]);
    terms.push_back({std::string(entries[i].word()), all->statistics[entries[i].value - 1].documents});
  }
  if (summary != nullptr) *summary = figures;
  return NgramVocabulary(settings_, figures.documents, std::move(terms));
}

}  // namespace headwater
