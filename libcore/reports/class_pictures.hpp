// What a classifier takes for what, as a table for programs and as a picture; how right its confidence is.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "metrics/calibration.hpp"
#include "reports/classification_report.hpp"

namespace headwater {

// CSV: a line of the predicted labels after an empty field, then a line for each label with the samples that
// were predicted to be each; some text at a time.
void write_confusion_csv(const ClassificationReport& report,
                         const std::function<void(std::string_view)>& take);

constexpr std::size_t kMaxConfusionClasses = 500;  // of a picture
// An SVG 1.1 document: a row for each label, a column for each predicted one, the colour the share of the
// row. Up to 20 classes have their counts written into the cells; counts that are not 0 have tooltips, where
// these are not too many. Throws Error for more classes than a picture can show.
std::string confusion_svg(const ClassificationReport& report, std::string_view title);

// The reliability diagram, how often predictions of a confidence are right. An SVG picture without scripts: a
// bar a bin from 0 to its share of right predictions, the gap to its mean confidence, the diagonal where both
// agree, and below how many samples a bin has.
std::string reliability_svg(const Calibration& calibration, std::string_view title);

}  // namespace headwater
