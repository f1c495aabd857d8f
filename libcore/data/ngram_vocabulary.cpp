#include "data/ngram_vocabulary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {

void TokenRow::clear() {
  text_.clear();
  begins_.clear();
}

void TokenRow::add(std::string_view token) {
  begins_.push_back(text_.size() + (begins_.empty() ? 0 : 1));
  append_token(text_, 0, token);
}

void TokenRow::read(std::string_view token_line) {
  clear();
  for_each_token_of_line(token_line, scratch_, [&](std::string_view token) { add(token); });
}

std::string plain_ngram(std::string_view ngram) {
  std::string plain, scratch;
  bool is_first = true;
  for_each_token_of_line(ngram, scratch, [&](std::string_view token) {
    if (!is_first) plain.push_back(' ');
    plain += token;
    is_first = false;
  });
  return plain;
}

namespace {

constexpr std::string_view kTermsHeader = "#terms ";
constexpr std::array kOutputs = {TermOutput::multi_hot, TermOutput::count, TermOutput::tf_idf,
                                 TermOutput::sublinear_tf_idf, TermOutput::ids};
constexpr std::int64_t kMaxNgrams = 100;

template <class Number>
void append_decimal(std::string& out, Number number) {
  std::array<char, 32> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

struct Header {
  NgramVocabulary::Settings settings;
  std::uint64_t documents = 0;
};

// `place` ends with ": ".
Header read_header(std::string_view line, const std::string& place) {
  const std::string fix = " (a table of terms begins with \"#terms v1 ngrams=N documents=D output=FORM\")";
  if (!line.starts_with(kTermsHeader)) throw Error(place + "not a table of terms" + fix);
  Header header;
  std::array<bool, 3> is_given{};
  std::string_view rest = line.substr(kTermsHeader.size());
  for (bool is_version = true; !rest.empty(); is_version = false) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (is_version) {
      if (word != "v1") throw Error(place + "version " + quote(word) + ", this program knows v1");
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals),
                           value = word.substr(std::min(equals + 1, word.size()));
    std::uint64_t number = 0;
    bool is_right = false;
    if (key == "ngrams") {
      is_right = parse_number(value, number) && number >= 1 && number <= std::uint64_t{kMaxNgrams};
      header.settings.ngrams = static_cast<std::int64_t>(number);
      is_given[0] = true;
    } else if (key == "documents") {
      is_right = parse_number(value, number) && number >= 1;
      header.documents = number;
      is_given[1] = true;
    } else if (key == "output") {
      const auto found =
          std::find_if(kOutputs.begin(), kOutputs.end(), [&](TermOutput o) { return name_of(o) == value; });
      is_right = found != kOutputs.end();
      if (is_right) header.settings.output = *found;
      is_given[2] = true;
    }
    if (is_right) continue;
    std::string message = place;
    message.append(quote(word)).append(" in the header").append(fix);
    throw Error(message);
  }
  if (is_given != std::array{true, true, true}) throw Error(place + "the header is incomplete" + fix);
  return header;
}

}  // namespace

std::string_view name_of(TermOutput output) {
  constexpr std::string_view kNames[] = {"multi-hot", "count", "tf-idf", "sublinear-tf-idf", "ids"};
  return kNames[static_cast<std::size_t>(output)];
}

namespace {
constexpr std::string_view kOldSublinear = "log-tf-idf";  // in tables of older versions
}  // namespace

TermOutput parse_term_output(std::string_view name) {
  if (name == kOldSublinear) return TermOutput::sublinear_tf_idf;
  for (const TermOutput output : kOutputs) {
    if (name_of(output) == name) return output;
  }
  throw UsageError("unknown form " + quote(name) + " (multi-hot, count, tf-idf, sublinear-tf-idf or ids)");
}

NgramVocabulary::NgramVocabulary(const Settings& settings, std::uint64_t documents, std::vector<Term> terms)
    : settings_(settings), documents_(documents) {
  if (terms.empty()) throw Error("a table of terms without terms");
  terms_.reserve(terms.size() + 1);
  weights_.reserve(terms.size() + 1);
  terms_.push_back({std::string(kUnknownTerm), 0});
  weights_.push_back(0);
  double sum = 0;
  for (Term& term : terms) {
    std::uint64_t& id = ids_.value(term.ngram);
    if (id != 0) throw Error("the term " + quote(term.ngram) + " stands twice");
    id = terms_.size();
    // The double logarithm rounded to float is the same on every machine but for one value in 2^29.
    const double weight =
        natural_logarithm(1 + static_cast<double>(documents) / (1 + static_cast<double>(term.documents)));
    weights_.push_back(static_cast<float>(weight));
    sum += static_cast<double>(weights_.back());
    terms_.push_back(std::move(term));
  }
  weights_.front() = static_cast<float>(sum / static_cast<double>(terms.size()));
}

NgramVocabulary NgramVocabulary::load(const std::filesystem::path& path) {
  return parse(read_file(path), path.string());
}

NgramVocabulary NgramVocabulary::parse(std::string_view text, std::string_view where) {
  Header header;
  std::vector<Term> terms;
  TokenRow row;
  WordTable known;
  std::size_t number = 0;
  text = without_byte_order_mark(text);
  const auto next_line = [&] {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  };
  const auto place = [&] { return std::string(where) + ":" + std::to_string(number) + ": "; };
  const std::string_view first = next_line();
  header = read_header(first, place());
  const std::string form = " (each line is a term, a TAB and the number of documents that hold it)";
  while (!text.empty()) {
    const std::string_view line = next_line();
    const std::size_t tab = line.find('\t');
    std::uint64_t documents = 0;
    if (tab == line.npos || !parse_number(line.substr(tab + 1), documents))
      throw Error(place() + quote(line) + form);
    const std::string_view ngram = line.substr(0, tab);
    if (find_invalid_utf8(ngram) != ngram.npos) throw Error(place() + "invalid UTF-8 in " + quote(ngram));
    if (documents > header.documents) {
      throw Error(place() + std::to_string(documents) + " documents hold " + quote(ngram) +
                  ", but there are " + std::to_string(header.documents));
    }
    if (number == 2) {
      if (ngram != kUnknownTerm)
        throw Error(place() + "the first term is " + quote(ngram) + ", not \"[UNK]\"");
      continue;
    }
    try {
      row.read(ngram);
    } catch (const Error& error) {
      throw Error(std::string(where) + ":" + std::to_string(number) + ":" + error.what());
    }
    if (row.size() == 0 || row.ngram(0, row.size()) != ngram)
      throw Error(place() + quote(ngram) + " is not a term as token lines write it" + form);
    if (static_cast<std::int64_t>(row.size()) > header.settings.ngrams) {
      throw Error(place() + quote(ngram) + " has " + std::to_string(row.size()) +
                  " tokens, more than ngrams=" + std::to_string(header.settings.ngrams));
    }
    if (known.find(ngram) != nullptr) throw Error(place() + "the term " + quote(ngram) + " stands twice");
    known.value(ngram) = 1;
    if (terms.size() >= 0x7FFFFFF0u) throw Error(place() + "more than 2147483632 terms");
    terms.push_back({std::string(ngram), documents});
  }
  if (terms.empty()) throw Error(std::string(where) + ": no terms" + form);
  return NgramVocabulary(header.settings, header.documents, std::move(terms));
}

namespace {

// How often each term is among those of a line. A line has up to a hundred times as many n-grams as tokens,
// so equal ones are put together before they are many.
class TermCounts {
 public:
  using Count = std::pair<std::int32_t, std::uint64_t>;

  void add(std::int32_t term) {
    if (counts_.size() >= most_) {
      merge();
      most_ = std::max(most_, 2 * counts_.size());
    }
    counts_.emplace_back(term, 1);
  }
  // By ascending terms.
  const std::vector<Count>& finish() {
    merge();
    return counts_;
  }

 private:
  void merge() {
    std::ranges::sort(counts_, {}, &Count::first);
    std::size_t kept = 0;
    for (const Count& one : counts_) {
      if (kept > 0 && counts_[kept - 1].first == one.first) {
        counts_[kept - 1].second += one.second;
      } else {
        counts_[kept++] = one;
      }
    }
    counts_.resize(kept);
  }

  std::vector<Count> counts_;
  std::size_t most_ = 4096;
};

void scale_to_length_one(std::vector<TermValue>& values) {
  double squares = 0;
  for (const TermValue& v : values) squares += static_cast<double>(v.value) * static_cast<double>(v.value);
  const double length = std::sqrt(squares);
  for (TermValue& v : values) v.value = static_cast<float>(static_cast<double>(v.value) / length);
}

}  // namespace

void NgramVocabulary::values(const TokenRow& row, TermOutput output, std::vector<TermValue>& values) const {
  TermCounts all;
  for_each_ngram(row, settings_.ngrams, [&](std::string_view ngram) { all.add(find(ngram)); });
  values.clear();
  for (const auto& [term, count] : all.finish()) {
    TermValue value{term, output == TermOutput::multi_hot ? 1 : static_cast<float>(count)};
    if (output == TermOutput::sublinear_tf_idf)
      value.value = static_cast<float>(1 + natural_logarithm(static_cast<double>(count)));
    if (output == TermOutput::tf_idf || output == TermOutput::sublinear_tf_idf)
      value.value *= weights_[value.term];
    if (output == TermOutput::sublinear_tf_idf && term == 0) continue;
    values.push_back(value);
  }
  if (values.empty() && row.size() > 0) {
    values.push_back({0, 0});  // a text without a known term is a bag of nothing, and no empty line
  } else if (output == TermOutput::sublinear_tf_idf) {
    scale_to_length_one(values);
  }
}

TokenCounts NgramVocabulary::counts(const TokenRow& row) const {
  TokenCounts counts;
  for_each_ngram(row, 1, [&](std::string_view token) {
    ++counts.tokens;
    counts.unknown += find(token) == 0 ? 1 : 0;
  });
  return counts;
}

std::string NgramVocabulary::to_text() const { return text_as(name_of(settings_.output)); }

std::string NgramVocabulary::text_as(std::string_view output) const {
  std::string text = "#terms v1 ngrams=" + std::to_string(settings_.ngrams) +
                     " documents=" + std::to_string(documents_) + " output=";
  text.append(output).push_back('\n');
  for (const Term& term : terms_) {
    text += term.ngram + "\t";
    append_decimal(text, term.documents);
    text.push_back('\n');
  }
  return text;
}

// Models of older versions name their table by its text with the old word.
std::string NgramVocabulary::hash() const {
  const bool is_sublinear = settings_.output == TermOutput::sublinear_tf_idf;
  return hash128(is_sublinear ? text_as(kOldSublinear) : to_text());
}

void append_term_values(std::string& out, const std::vector<TermValue>& values, TermOutput output) {
  bool is_first = true;
  for (const TermValue& value : values) {
    if (!is_first) out.push_back(' ');
    is_first = false;
    append_decimal(out, value.term);
    if (output == TermOutput::multi_hot) continue;
    out.push_back(':');
    append_decimal(out, value.value);
  }
}

}  // namespace headwater
