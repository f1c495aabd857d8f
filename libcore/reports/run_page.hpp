// The page of one run: what was expected and reached, scores on the test data, samples, what it cost, and
// where everything is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "reports/learning_curves.hpp"
#include "reports/run_report.hpp"
#include "reports/run_table.hpp"
#include "reports/text_page.hpp"

namespace headwater {

// What a translator wrote about the test data.
struct TranslationTest {
  TestTexts texts;
  TextLines standardized;                 // references as the tokenizer sees them
  std::vector<DecodedTest> decoded;       // empty: no other search and no other weights
  std::unordered_set<std::string> known;  // sources of training examples
  // Sentences that the source of the experiment translated; without references none are shown, but lines of
  // the test.
  TestTexts sentences;
  std::string sentences_title;
};

// What a model wrote that summarizes.
struct SummaryTest {
  TestTexts texts;
  TextLines beam_hypotheses;
  std::unordered_set<std::string> known;
};

// What evaluate said of the test texts with their tokens in some order.
struct OrderedTest {
  std::string order;  // "as written", "reversed"
  NamedFigures figures;
};

struct RunCost {
  std::optional<std::int64_t> parameters, bytes;  // bytes: of memory, as train plans it
  std::int64_t patches = 0;                       // of an image, whose tokens they are; 0: no images
  std::string machine;                            // empty: not known
  bool is_solved = false;                         // at once: there are no epochs
};

struct RunPage {
  std::string name;
  PageParts summary_parts;          // of run_summary.hpp
  std::string failed;               // why; empty: it did not
  std::string table;                // that training ended with; empty: it failed before
  std::string test_table;           // of evaluate; empty: no test
  std::vector<OrderedTest> orders;  // empty: they were read as they are written alone
  std::optional<TranslationTest> translation;
  std::optional<SummaryTest> summary;
  RunFigures figures;
  std::vector<LearningCurve::Point> epochs;  // of a language model
  bool has_padded_loss = false;              // a column of them is the training loss over padded positions
  std::string written;                       // after each epoch: samples.tsv
  RunCost cost;
  std::vector<std::string> files;
  // HTML alone has these: pictures, and texts behind their names.
  PageParts pictures, folded;
};

PageParts run_page_parts(const RunPage& page);
// In Markdown.
std::string run_page_text(const RunPage& page);

}  // namespace headwater
