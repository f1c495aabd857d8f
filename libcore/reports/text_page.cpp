#include "reports/text_page.hpp"

#include <algorithm>
#include <unordered_map>

#include "reports/score_report.hpp"
#include "reports/table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater {

namespace {

// The parts between white space of ASCII.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::string of_all(std::size_t part, std::size_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

double text_figure(const std::string& name, const TextLines& hypotheses, const TextLines& references,
                   bool is_lowercased = false) {
  TextMetrics metrics;
  metrics.names = {name};
  metrics.bleu.is_lowercased = is_lowercased;
  return text_rows(hypotheses, std::vector<TextLines>{references}, metrics)
      .front()
      .json.at("score")
      .as_number();
}

std::vector<ScoreRow> translation_rows(const TextLines& hypotheses, const TextLines& references,
                                       bool is_lowercased) {
  TextMetrics metrics;
  metrics.names = {"bleu", "chrf"};
  metrics.bleu.is_lowercased = metrics.chrf.is_lowercased = is_lowercased;
  return text_rows(hypotheses, std::vector<TextLines>{references}, metrics);
}

std::size_t count_repetitions(const TextLines& lines) {
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), ends_in_repetitions));
}

TextLines first_sentences(const TextLines& lines, std::size_t max_words) {
  TextLines sentences;
  for (const std::string& line : lines) sentences.push_back(first_sentence(line, max_words));
  return sentences;
}

}  // namespace

PageParts translation_scores(std::string_view title, const TestTexts& test, const TextLines& standardized) {
  PageParts page{page_heading(std::string(title) + ": " +
                              counted(static_cast<std::int64_t>(test.hypotheses.size()), "sentence")),
                 page_paragraph("against the references as they are"),
                 page_block(score_table(translation_rows(test.hypotheses, test.references, false))),
                 page_paragraph("against the same, both sides lower-cased"),
                 page_block(score_table(translation_rows(test.hypotheses, test.references, true)))};
  if (standardized == test.references) return page;
  // Its signature would be that of published figures, whose references nobody changed.
  std::vector<ScoreRow> rows = translation_rows(test.hypotheses, standardized, false);
  for (ScoreRow& row : rows)
    std::erase_if(row.details, [](const std::string& detail) { return detail.starts_with("nrefs:"); });
  page.push_back(page_paragraph(
      "against the references as the tokenizer sees them (changed, so it has no sacreBLEU signature)"));
  page.push_back(page_block(score_table(rows)));
  return page;
}

std::string decoding_scores(const std::vector<DecodedTest>& tests, const TextLines& references) {
  using Align = Table::Align;
  Table table(
      {{"search"}, {"BLEU", Align::right}, {"BLEU, lower-cased", Align::right}, {"chrF2", Align::right}});
  for (const DecodedTest& test : tests) {
    table.add_row({test.name, format_fixed(text_figure("bleu", test.hypotheses, references), 2),
                   format_fixed(text_figure("bleu", test.hypotheses, references, true), 2),
                   format_fixed(text_figure("chrf", test.hypotheses, references), 2)});
  }
  return table.text();
}

PageParts summary_scores(const TestTexts& test, const TextLines& beam_hypotheses) {
  using Align = Table::Align;
  // Twelve words of them score best on validation lines of debian-descriptions.
  constexpr std::size_t kLeadWords = 12;
  const std::vector<DecodedTest> tests{
      {"the model", test.hypotheses},
      {"the model, 4 beams", beam_hypotheses},
      {"first sentence of the text", first_sentences(test.sources, 0)},
      {"its first " + std::to_string(kLeadWords) + " words", first_sentences(test.sources, kLeadWords)},
      {"the right summaries", test.references}};
  TextMetrics metrics;
  metrics.names = {"rouge1", "rouge2", "rougeL", "distinct-2", "repetition"};
  constexpr std::size_t kRougeRows = 3;
  Table table({{"summaries"},
               {"ROUGE-1", Align::right},
               {"ROUGE-2", Align::right},
               {"ROUGE-L", Align::right},
               {"distinct-2", Align::right},
               {"repetition", Align::right},
               {"words", Align::right}});
  std::vector<std::vector<double>> rouge;
  for (const auto& [name, hypotheses] : tests) {
    std::vector<double>& scores = rouge.emplace_back();
    std::vector<std::string> cells{name};
    for (const ScoreRow& row : text_rows(hypotheses, std::vector<TextLines>{test.references}, metrics)) {
      if (scores.size() < kRougeRows) scores.push_back(row.json.at("score").as_number());
      cells.push_back(row.value);
    }
    std::size_t words = 0;
    for (const std::string& line : hypotheses) words += words_of(line).size();
    cells.push_back(format_fixed(static_cast<double>(words) / static_cast<double>(hypotheses.size()), 1));
    table.add_row(std::move(cells));
  }
  int greedy = 0, beams = 0;
  for (std::size_t i = 0; i < kRougeRows; ++i) {
    const double best = std::max(rouge[2][i], rouge[3][i]);
    greedy += rouge[0][i] > best ? 1 : 0;
    beams += rouge[1][i] > best ? 1 : 0;
  }
  return {page_block(table.text()),
          page_paragraph("the model is above the first sentences in " + std::to_string(greedy) +
                         " of 3, with 4 beams in " + std::to_string(beams) + " of 3")};
}

std::string exactly_right(const TextLines& hypotheses, const TextLines& right) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < hypotheses.size() && i < right.size(); ++i) same += hypotheses[i] == right[i];
  const double share =
      hypotheses.empty() ? 0 : 100 * static_cast<double>(same) / static_cast<double>(hypotheses.size());
  return "exactly right: " + of_all(same, hypotheses.size()) + " (" + format_fixed(share, 1) + " %)";
}

std::vector<std::size_t> unseen_lines(const TextLines& sources,
                                      const std::unordered_set<std::string>& known) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!known.contains(sources[i])) places.push_back(i);
  }
  return places;
}

TextLines lines_at(const TextLines& lines, const std::vector<std::size_t>& places) {
  TextLines chosen;
  for (const std::size_t place : places) chosen.push_back(lines[place]);
  return chosen;
}

std::vector<std::size_t> spread_lines(std::size_t lines, std::size_t wanted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < lines; ++i) {
    if (wanted >= lines || (i + 1) * wanted / lines > i * wanted / lines) places.push_back(i);
  }
  return places;
}

TextLines references_of(const TextLines& sources, const std::vector<ReferencePairs>& parts) {
  std::unordered_map<std::string, std::string> found;
  for (const std::string& source : sources) found.emplace(source, "");
  std::unordered_set<std::string> known;
  for (const ReferencePairs& part : parts) {
    for (std::size_t i = 0; i < part.sources.size(); ++i) {
      const auto wanted = found.find(part.sources[i]);
      if (wanted != found.end() && known.insert(part.sources[i]).second)
        wanted->second = part.references[i] + part.place;
    }
  }
  TextLines references;
  for (const std::string& source : sources) references.push_back(found.at(source));
  return references;
}

PageParts samples_part(std::string_view title, const TestTexts& samples, std::string_view written,
                       const TextLines& all_hypotheses) {
  constexpr std::size_t kNameWidth = 13;
  std::string text;
  const auto add = [&](std::string_view name, const std::string& line) {
    std::string row(name);
    row.resize(kNameWidth, ' ');
    text += row + visible(line) + "\n";
  };
  for (std::size_t i = 0; i < samples.sources.size(); ++i) {
    add("source", samples.sources[i]);
    add("reference", samples.references[i]);
    add(written, samples.hypotheses[i]);
  }
  return {page_heading("samples: " + std::string(title)), page_block(text),
          page_paragraph("end in repetitions: " +
                         of_all(count_repetitions(samples.hypotheses), samples.hypotheses.size()) +
                         " of these; " + of_all(count_repetitions(all_hypotheses), all_hypotheses.size()) +
                         " of the test set")};
}

static bool ends_in_repeated_characters(std::string_view line) {
  constexpr std::size_t kMaxCharacters = 4, kLeast = 12;
  std::u32string characters;
  for (std::size_t at = 0; at < line.size();) characters.push_back(next_code_point(line, at));
  if (characters.size() < kLeast) return false;
  const std::u32string_view end = std::u32string_view(characters).substr(characters.size() - kLeast);
  for (std::size_t n = 1; n <= kMaxCharacters; ++n) {
    if (end.substr(n) == end.substr(0, kLeast - n)) return true;
  }
  return false;
}

bool ends_in_repetitions(std::string_view line) {
  if (ends_in_repeated_characters(line)) return true;
  constexpr std::string_view kMarks = ".!?,;";
  std::string plain(line);
  for (std::size_t end = plain.size(); end > 0; --end) {  // marks before a space or the end
    const bool is_mark = kMarks.find(plain[end - 1]) != std::string_view::npos;
    if (is_mark && (end == plain.size() || plain[end] == ' ')) plain[end - 1] = ' ';
  }
  const std::vector<std::string_view> words = words_of(plain);
  constexpr std::size_t kMaxWords = 4;
  for (std::size_t n = 1; n <= kMaxWords && 3 * n <= words.size(); ++n) {
    if (std::equal(words.end() - static_cast<std::ptrdiff_t>(2 * n), words.end(),
                   words.end() - static_cast<std::ptrdiff_t>(3 * n)))
      return true;
  }
  return false;
}

std::string first_sentence(std::string_view line, std::size_t max_words) {
  for (std::size_t at = line.find_first_of(".?!"); at != std::string_view::npos;
       at = line.find_first_of(".?!", at + 1)) {
    if (at + 1 >= line.size() || line[at + 1] != ' ') continue;
    line = line.substr(0, at + 1);
    break;
  }
  if (max_words == 0) return std::string(line);
  std::string sentence;
  std::size_t count = 0;
  for (const std::string_view word : words_of(line)) {
    if (count++ == max_words) break;
    sentence += (sentence.empty() ? "" : " ") + std::string(word);
  }
  return sentence;
}

}  // namespace headwater
