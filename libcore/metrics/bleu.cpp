#include "metrics/bleu.hpp"

#include <cmath>
#include <cstdlib>

#include "metrics/ngram_overlap.hpp"
#include "metrics/parallel_text.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

struct BleuStatistics {
  std::array<std::int64_t, kBleuOrders> counts{}, totals{};
  std::int64_t hypothesis_length = 0, reference_length = 0;

  void add(const BleuStatistics& other) {
    for (std::size_t n = 0; n < kBleuOrders; ++n) {
      counts[n] += other.counts[n];
      totals[n] += other.totals[n];
    }
    hypothesis_length += other.hypothesis_length;
    reference_length += other.reference_length;
  }
};

// Counts line after line, with buffers that are used again.
class BleuCounter {
 public:
  explicit BleuCounter(const BleuSettings& settings) : settings_(settings) {}

  BleuStatistics count(std::span<const std::string> hypotheses,
                       std::span<const std::vector<std::string>> references, std::size_t line) {
    texts_.resize(references.size() + 1);
    references_.resize(references.size());
    words_.clear();
    number(hypotheses[line], texts_[0], hypothesis_);
    for (std::size_t r = 0; r < references.size(); ++r)
      number(references[r][line], texts_[r + 1], references_[r]);

    BleuStatistics statistics;
    const NgramCounts matched = overlap_.matches(hypothesis_, references_, kBleuOrders);
    for (int n = 1; n <= kBleuOrders; ++n) {
      const std::size_t i = n - 1;
      statistics.counts[i] = matched[i];
      statistics.totals[i] = ngrams_in(hypothesis_.size(), n);
    }
    statistics.hypothesis_length = static_cast<std::int64_t>(hypothesis_.size());
    statistics.reference_length = closest_length();
    return statistics;
  }

 private:
  void number(const std::string& line, std::string& text, std::vector<std::uint32_t>& numbers) {
    text = bleu_tokens(settings_.is_lowercased ? lowercase_unicode(line) : line, settings_.tokenization);
    numbers.clear();
    for_each_word(text, [&](std::string_view word) { numbers.push_back(words_(word)); });
  }

  // Where two references are equally close in length, the shorter one counts.
  std::int64_t closest_length() const {
    const auto length = static_cast<std::int64_t>(hypothesis_.size());
    std::int64_t closest = static_cast<std::int64_t>(references_.front().size());
    for (const auto& reference : references_) {
      const auto candidate = static_cast<std::int64_t>(reference.size());
      const std::int64_t nearer = std::abs(candidate - length) - std::abs(closest - length);
      if (nearer < 0 || (nearer == 0 && candidate < closest)) closest = candidate;
    }
    return closest;
  }

  BleuSettings settings_;
  std::vector<std::string> texts_;
  WordNumbers words_;
  std::vector<std::uint32_t> hypothesis_;
  std::vector<std::vector<std::uint32_t>> references_;
  NgramOverlap overlap_;
};

double default_smoothing_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::add_k ? 1.0 : 0.1;
}

// The operations stand in the order of sacreBLEU's, so that equal counts give equal doubles.
BleuScore score_of(const BleuStatistics& statistics, const BleuSettings& settings) {
  BleuScore result;
  result.counts = statistics.counts;
  result.totals = statistics.totals;
  result.hypothesis_length = statistics.hypothesis_length;
  result.reference_length = statistics.reference_length;
  if (result.hypothesis_length < result.reference_length) {
    result.brevity_penalty = result.hypothesis_length > 0
                                 ? std::exp(1 - static_cast<double>(result.reference_length) /
                                                    static_cast<double>(result.hypothesis_length))
                                 : 0.0;
  }
  bool has_match = false;
  for (const std::int64_t count : result.counts) has_match = has_match || count > 0;
  if (!has_match) return result;

  const double value = settings.smoothing_value.value_or(default_smoothing_value(settings.smoothing));
  double halvings = 1;
  int order = kBleuOrders;
  for (int n = 1; n <= kBleuOrders; ++n) {
    const std::size_t i = n - 1;
    auto count = static_cast<double>(result.counts[i]);
    auto total = static_cast<double>(result.totals[i]);
    if (settings.smoothing == BleuSmoothing::add_k && n > 1) {
      count += value;
      total += value;
    }
    if (total == 0) break;
    if (settings.has_effective_order) order = n;
    if (count != 0) {
      result.precisions[i] = 100.0 * count / total;
    } else if (settings.smoothing == BleuSmoothing::exponential) {
      halvings *= 2;
      result.precisions[i] = 100.0 / (halvings * total);
    } else if (settings.smoothing == BleuSmoothing::floor) {
      result.precisions[i] = 100.0 * value / total;
    }
  }
  double logarithms = 0;
  for (int n = 0; n < order; ++n) {
    const double precision = result.precisions[n];
    logarithms += precision == 0 ? -9999999999.0 : std::log(precision);
  }
  result.score = result.brevity_penalty * std::exp(logarithms / order);
  return result;
}

}  // namespace

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuSettings& settings) {
  check_parallel(hypotheses, references);
  std::vector<BleuStatistics> chunks((hypotheses.size() + kLinesATask - 1) / kLinesATask);
  for_each_chunk(hypotheses.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    BleuCounter counter(settings);
    for (std::size_t i = begin; i < end; ++i) chunks[chunk].add(counter.count(hypotheses, references, i));
  });
  BleuStatistics total;
  for (const BleuStatistics& chunk : chunks) total.add(chunk);
  return score_of(total, settings);
}

std::vector<BleuScore> sentence_bleu(std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references,
                                     const BleuSettings& settings) {
  check_parallel(hypotheses, references);
  BleuSettings effective = settings;
  effective.has_effective_order = true;
  std::vector<BleuScore> scores(hypotheses.size());
  for_each_chunk(hypotheses.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    BleuCounter counter(effective);
    for (std::size_t i = begin; i < end; ++i)
      scores[i] = score_of(counter.count(hypotheses, references, i), effective);
  });
  return scores;
}

std::optional<BleuSmoothing> bleu_smoothing(std::string_view name) {
  if (name == "exp") return BleuSmoothing::exponential;
  if (name == "floor") return BleuSmoothing::floor;
  if (name == "add-k") return BleuSmoothing::add_k;
  if (name == "none") return BleuSmoothing::none;
  return std::nullopt;
}

std::string bleu_signature(const BleuSettings& settings, std::size_t reference_sets) {
  constexpr std::array<std::string_view, 4> smoothings = {"exp", "floor", "add-k", "none"};
  std::string signature = "nrefs:" + std::to_string(reference_sets);
  signature += settings.is_lowercased ? "|case:lc" : "|case:mixed";
  signature += settings.has_effective_order ? "|eff:yes" : "|eff:no";
  signature.append("|tok:").append(bleu_tokenization_name(settings.tokenization));
  signature.append("|smooth:").append(smoothings[static_cast<std::size_t>(settings.smoothing)]);
  if (settings.smoothing == BleuSmoothing::floor || settings.smoothing == BleuSmoothing::add_k) {
    signature +=
        "[" +
        format_fixed(settings.smoothing_value.value_or(default_smoothing_value(settings.smoothing)), 2) + "]";
  }
  return signature.append("|version:").append(kScoreVersion);
}

std::string bleu_details(const BleuScore& score) {
  std::string text;
  for (const double precision : score.precisions)
    text += (text.empty() ? "" : "/") + format_fixed(precision, 1);
  const double ratio = score.reference_length == 0 ? 0
                                                   : static_cast<double>(score.hypothesis_length) /
                                                         static_cast<double>(score.reference_length);
  return text + " (BP = " + format_fixed(score.brevity_penalty, 3) + " ratio = " + format_fixed(ratio, 3) +
         " hyp_len = " + std::to_string(score.hypothesis_length) +
         " ref_len = " + std::to_string(score.reference_length) + ")";
}

// The tokenizations of BLEU: mteval-v13a as ported by sacreBLEU, its international successor, single
// characters.
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string replaced;
  std::size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    replaced.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  replaced.append(text, copied);
  text = std::move(replaced);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII punctuation but ' , - . and also the space
bool is_split_mark(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// The passes look at bytes: whatever they ask for is ASCII, and all bytes of other characters count as "no
// digit". Each goes from left to right over what the pass before it wrote; a match does not overlap the next
// one.
void tokenize_13a(std::string& text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  if (text.find('&') != std::string::npos) {
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
  }
  std::string marks = " ";  // every mark apart
  marks.reserve(2 * text.size() + 8);
  for (const char c : text) {
    if (is_split_mark(c)) {
      marks.append({' ', c, ' '});
    } else {
      marks.push_back(c);
    }
  }
  marks.push_back(' ');

  text.clear();  // points and commas apart unless a digit stands before them
  for (std::size_t i = 0; i < marks.size(); ++i) {
    text.push_back(marks[i]);
    if (!is_digit(marks[i]) && i + 1 < marks.size() && is_point(marks[i + 1])) {
      text.append({' ', marks[i + 1], ' '});
      ++i;
    }
  }
  marks.clear();  // ... unless a digit stands after them
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_point(text[i]) && i + 1 < text.size() && !is_digit(text[i + 1])) {
      marks.append({' ', text[i], ' ', text[i + 1]});
      ++i;
    } else {
      marks.push_back(text[i]);
    }
  }
  text.clear();  // a hyphen after a digit
  for (std::size_t i = 0; i < marks.size(); ++i) {
    text.push_back(marks[i]);
    if (is_digit(marks[i]) && i + 1 < marks.size() && marks[i + 1] == '-') {
      text.append(" - ");
      ++i;
    }
  }
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) points.push_back(next_code_point(text, at));
  return points;
}

// Writes `before`, the first, `between`, the second and `after` for each two neighbours that match.
template <class Match>
std::u32string set_apart(const std::u32string& text, const Match& matches, const std::u32string_view before,
                         const std::u32string_view between, const std::u32string_view after) {
  std::u32string out;
  out.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      out.append(before).push_back(text[i]);
      out.append(between).push_back(text[i + 1]);
      out.append(after);
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void tokenize_international(std::string& text) {
  const auto behind_other = [](char32_t a, char32_t b) { return !is_number(a) && is_punctuation(b); };
  const auto before_other = [](char32_t a, char32_t b) { return is_punctuation(a) && !is_number(b); };
  std::u32string points = code_points(text);
  points = set_apart(points, behind_other, U"", U" ", U" ");
  points = set_apart(points, before_other, U" ", U" ", U"");
  text.clear();
  for (const char32_t c : points) {
    const bool is_apart = is_symbol(c);
    if (is_apart) text.push_back(' ');
    append_utf8(text, c);
    if (is_apart) text.push_back(' ');
  }
}

void tokenize_characters(std::string& text) {
  std::string apart;
  apart.reserve(2 * text.size());
  for (const char32_t c : code_points(text)) {
    append_utf8(apart, c);
    apart.push_back(' ');
  }
  text = std::move(apart);
}

}  // namespace

std::string bleu_tokens(std::string_view line, BleuTokenization tokenization) {
  // White space at the end goes first: "-" before a line end would otherwise match differently.
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (!is_word_separator(next_code_point(line, at))) end = at;
  }
  std::string text(line.substr(0, end));
  switch (tokenization) {
    case BleuTokenization::mteval_13a:
      tokenize_13a(text);
      break;
    case BleuTokenization::international:
      tokenize_international(text);
      break;
    case BleuTokenization::characters:
      tokenize_characters(text);
      break;
    case BleuTokenization::none:
      break;
  }
  return text;
}

std::optional<BleuTokenization> bleu_tokenization(std::string_view name) {
  if (name == "13a") return BleuTokenization::mteval_13a;
  if (name == "none") return BleuTokenization::none;
  if (name == "intl") return BleuTokenization::international;
  if (name == "char") return BleuTokenization::characters;
  return std::nullopt;
}

std::string_view bleu_tokenization_name(BleuTokenization tokenization) {
  constexpr std::array<std::string_view, 4> names = {"13a", "none", "intl", "char"};
  return names[static_cast<std::size_t>(tokenization)];
}

}  // namespace headwater
