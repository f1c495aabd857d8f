// Tables that train and evaluate printed into the folder of a run, table.txt and test.txt: whether they are
// as they were printed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.hpp"
#include "reports/score_report.hpp"

namespace headwater {

// What such a text must have beside what each has.
struct NeededTables {
  std::vector<std::string> figures = {};   // their names
  bool has_classes = false;                // of a classifier: the scores of each class, too
  std::vector<Expectation> expected = {};  // those of these figures have a row
};

// Throws Error "where:line: what (fix)" for what is no text of tables as they print it: figures, scores of
// classes, expectations; and where it lacks something that is needed.
void check_printed_tables(std::string_view text, std::string_view where, const NeededTables& needed);

// The same where a figure is another than in `rows`, or one of these is missing, but for figures over padded
// positions, which are printed where a recipe expects them. Figures that `rows` lack are not compared.
void check_printed_figures(std::string_view text, std::string_view where, std::span<const ScoreRow> rows);

}  // namespace headwater
