#include "error_text.hpp"
#include "reports/classification_report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "svg_page.hpp"

using namespace headwater;

namespace {

ClassificationReport report_of(const std::vector<std::string>& labels) {
  const auto classes = static_cast<std::int32_t>(labels.size());
  ClassificationReport report{labels, ConfusionMatrix(classes), {}, {}};
  for (std::int32_t c = 0; c < classes; ++c) {
    report.confusion.add(c, c);
    report.confusion.add(c, c);
    report.confusion.add(c, (c + 1) % classes);
  }
  return report;
}

std::vector<std::string> many_labels(int count) {
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) labels.push_back("label " + std::to_string(i));
  return labels;
}

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
}

}  // namespace

static std::string csv_of(const ClassificationReport& report) {
  std::string csv;
  write_confusion_csv(report, [&](std::string_view text) { csv += text; });
  return csv;
}

TEST_CASE("the confusion matrix as CSV: a line a label, a column a predicted one") {
  CHECK(csv_of(report_of({"cat", "a \"dog\", too", "gnu"})) ==
        ",cat,\"a \"\"dog\"\", too\",gnu\n"
        "cat,2,1,0\n"
        "\"a \"\"dog\"\", too\",0,2,1\n"
        "gnu,1,0,2\n");
}

TEST_CASE("the confusion matrix as a picture: cells with counts, labels on both sides, a colour bar") {
  const std::string svg = confusion_svg(report_of({"cat", "<dog>", "gnu"}), "models/animals");
  CHECK(svg.find("<title>cat → &lt;dog&gt;: 1 of 3</title>") != svg.npos);
  CHECK(occurrences(svg, ">&lt;dog&gt;</text>") == 2);
  CHECK(occurrences(svg, "pointer-events=\"none\">2</text>") == 3);
  CHECK(svg.find("url(#scale)") != svg.npos);
  CHECK(text_beyond_page(svg) == "");
}

TEST_CASE("the confusion matrix as a picture: of any number of classes up to 500") {
  for (const int count : {1, 2, 20, 21, 51, 160, 161, 500}) {
    INFO(count);
    const std::string svg = confusion_svg(report_of(many_labels(count)), std::string(200, 'x'));
    CHECK(text_beyond_page(svg) == "");
    CHECK(occurrences(svg, ">label 0</text>") == (count <= 160 ? 2 : 0));
    const std::size_t classes = count;
    CHECK(occurrences(svg, "<title>label") == (count == 1 ? 1 : 2 * classes));
    CHECK(svg.size() < 1'000'000);
  }
  CHECK(error_text([] { confusion_svg(report_of(many_labels(501)), "t"); }) ==
        "a confusion matrix of 501 classes, a picture shows at most 500 (name a file that ends in .csv)");
  CHECK(occurrences(csv_of(report_of(many_labels(501))), "\n") == 502);
}

TEST_CASE("the reliability diagram: no text leaves the page, however long the title and large the counts") {
  Calibration calibration;
  for (int i = 0; i < 1234; ++i) calibration.add(0.5 + i % 50 / 100.0, i % 3 != 0);
  const std::string svg =
      reliability_svg(calibration, "runs/a-long-name-of-a-directory/of-a-model/checkpoints/12345");
  CHECK(text_beyond_page(svg) == "");
  CHECK(svg.find(">blue: right; orange: too confident by so much; brown: too little</text>") != svg.npos);
  CHECK(svg.find("over 1,234 samples") != svg.npos);
  CHECK(svg.find("<title>runs/a-long-name-of-a-directory/of-a-model/checkpoints/12345</title>") != svg.npos);
}
