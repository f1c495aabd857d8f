// What a model wrote about test data, for the page of its run: scores of translations and summaries, and
// samples.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "reports/page_parts.hpp"

namespace headwater {

using TextLines = std::vector<std::string>;

// Line i of each belongs to line i of the others.
struct TestTexts {
  TextLines sources, hypotheses, references;
};

// The same test as another search or other weights answered it: "greedy", "mean of 4 checkpoints, beam 4".
struct DecodedTest {
  std::string name;
  TextLines hypotheses;
};

// Pairs of one part of the data; `place` is said after a reference that was found there.
struct ReferencePairs {
  std::string place;
  TextLines sources, references;
};

// Scores against the references as they are, lower-cased, and, where these are other texts, against
// `standardized`: the references as the tokenizer sees them, which have no signature.
PageParts translation_scores(std::string_view title, const TestTexts& test, const TextLines& standardized);
// BLEU, BLEU of lower-cased text and chrF2 of each.
std::string decoding_scores(const std::vector<DecodedTest>& tests, const TextLines& references);
// ROUGE F1, distinct bigrams, repeated 4-grams and words a line of what a model wrote, greedily and with four
// beams, beside the first sentences of the sources, which it has to beat, and the references.
PageParts summary_scores(const TestTexts& test, const TextLines& beam_hypotheses);

// "exactly right: 3 of 200 (1.5 %)".
std::string exactly_right(const TextLines& hypotheses, const TextLines& right);
// The lines whose source is not in `known`.
std::vector<std::size_t> unseen_lines(const TextLines& sources, const std::unordered_set<std::string>& known);
TextLines lines_at(const TextLines& lines, const std::vector<std::size_t>& places);

// Up to so many of the lines, spread evenly.
std::vector<std::size_t> spread_lines(std::size_t lines, std::size_t wanted);
// The first reference of each source among the parts in their order, with its place; empty where it has none.
TextLines references_of(const TextLines& sources, const std::vector<ReferencePairs>& parts);
// The samples, and how many of them and of all that was written end in repetitions. `written`: "translation".
PageParts samples_part(std::string_view title, const TestTexts& samples, std::string_view written,
                       const TextLines& all_hypotheses);

// Whether one to four words stand three times in a row at the end, whatever punctuation is between them, or
// one to four characters so often that they are twelve or more (`enenenenenen`).
bool ends_in_repetitions(std::string_view line);
// The text up to its first full stop, question or exclamation mark before a space; of that no more than
// `max_words` words where it is not 0.
std::string first_sentence(std::string_view line, std::size_t max_words);

}  // namespace headwater
