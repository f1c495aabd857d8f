#include "data/ngram_vocabulary_learner.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "support/best_of.hpp"
#include "support/error.hpp"
#include "support/suffix_array.hpp"

namespace headwater {

namespace {

bool is_plain(std::string_view ngram) { return ngram.find_first_of("\\\xE2") == ngram.npos; }

}  // namespace

bool has_greater_bytes(std::string_view a, std::string_view b) {
  return is_plain(a) && is_plain(b) ? a > b : plain_ngram(a) > plain_ngram(b);
}

void NgramCounts::add(const TokenRow& document) {
  for (std::size_t i = 0; i < document.size(); ++i) {
    const std::string_view written = document.ngram(i, 1);
    std::uint64_t& symbol = tokens_.value(written);
    if (symbol == 0) {
      symbol = tokens_.size();
      if (!is_plain(written)) plain_.emplace(static_cast<std::uint32_t>(symbol), plain_ngram(written));
    }
    symbols_.push_back(static_cast<std::uint32_t>(symbol));
  }
  symbols_.push_back(0);
  documents_.resize(symbols_.size(), document_count_++);
}

std::string_view NgramCounts::plain(std::uint32_t symbol) const {
  const auto escaped = plain_.find(symbol);
  return escaped == plain_.end() ? token(symbol) : std::string_view(escaped->second);
}

std::string NgramCounts::text(const Run& run) const {
  std::string text;
  for (std::uint32_t i = 0; i < run.length; ++i) {
    if (i > 0) text.push_back(' ');
    text += token(symbols_[run.at(i)]);
  }
  return text;
}

// Compares bytes, mostly without building the texts.
bool NgramCounts::greater(const Run& a, const Run& b) const {
  const std::uint32_t shorter = std::min(a.length, b.length);
  std::uint32_t same = 0;
  while (same < shorter && symbols_[a.at(same)] == symbols_[b.at(same)]) ++same;
  if (same == shorter) return a.length > b.length;
  const std::string_view of_a = plain(symbols_[a.at(same)]), of_b = plain(symbols_[b.at(same)]);
  const std::size_t bytes = std::min(of_a.size(), of_b.size());
  const int order = of_a.substr(0, bytes).compare(of_b.substr(0, bytes));
  if (order != 0) return order > 0;
  return has_greater_bytes(text(a), text(b));  // one token begins as the other
}

NgramCounts::Top NgramCounts::top(std::size_t most) const {
  const SuffixArray suffixes(symbols_, longest_);
  const auto unknown = tokens_.find(kUnknownTerm);
  using Places = std::span<const std::uint32_t>;
  const auto is_term = [&](Places places, std::size_t length) {
    return length > 1 || unknown == nullptr || symbols_[places.front()] != unknown->value;
  };
  Top top;
  top.documents = document_count_;
  std::map<std::uint64_t, std::size_t, std::greater<>> runs_of_count;
  suffixes.for_each_run([&](Places places, std::size_t length) {
    top.ngrams += places.size();
    ++top.distinct;
    if (is_term(places, length)) ++runs_of_count[places.size()];
  });
  // The count of the last term, and how many terms have it.
  std::uint64_t least = 0;
  std::size_t of_least = 0;
  for (const auto& [count, runs] : runs_of_count) {
    if (most == 0) break;
    least = count;
    of_least = std::min(most, runs);
    most -= of_least;
  }
  const auto is_greater = [&](const Run& a, const Run& b) { return greater(a, b); };
  BestOf<Run, decltype(is_greater)> last(of_least, is_greater);
  std::vector<Run> runs;
  suffixes.for_each_run([&](Places places, std::size_t length) {
    if (places.size() < least || !is_term(places, length)) return;
    const Run run{places, static_cast<std::uint32_t>(length)};
    if (places.size() == least) return last.add(run);
    runs.push_back(run);
  });
  std::ranges::sort(runs, [&](const Run& a, const Run& b) {
    return a.places.size() != b.places.size() ? a.places.size() > b.places.size() : greater(a, b);
  });
  const std::vector<Run> others = last.finish();
  runs.insert(runs.end(), others.begin(), others.end());
  std::vector<std::uint32_t> last_term(document_count_);  // number + 1 of the last term that it has
  for (const Run& run : runs) {
    NgramVocabulary::Term term{text(run)};
    for (const std::uint32_t place : run.places) {
      std::uint32_t& counted = last_term[documents_[place]];
      if (counted == top.terms.size() + 1) continue;
      counted = static_cast<std::uint32_t>(top.terms.size() + 1);
      ++term.documents;
    }
    top.covered += run.places.size();
    top.terms.push_back(std::move(term));
  }
  return top;
}

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
  for_each_ngram(counter->row, settings_.ngrams, [&](std::string_view ngram) {
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
