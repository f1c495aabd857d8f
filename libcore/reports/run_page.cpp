#include "reports/run_page.hpp"

#include <algorithm>
#include <cmath>

#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

std::string seen_text(std::size_t unseen, std::size_t all) {
  return "test sources that also stand in training: " + std::to_string(all - unseen) + " of " +
         std::to_string(all);
}

TestTexts texts_at(const TestTexts& texts, const std::vector<std::size_t>& places) {
  return {lines_at(texts.sources, places), lines_at(texts.hypotheses, places),
          lines_at(texts.references, places)};
}

PageParts spread_samples(const TestTexts& texts, std::string_view written) {
  constexpr std::size_t kSamples = 20;
  return samples_part("test lines, spread evenly",
                      texts_at(texts, spread_lines(texts.sources.size(), kSamples)), written,
                      texts.hypotheses);
}

PageParts translation_part(const TranslationTest& test, const std::string& test_table) {
  const TestTexts& texts = test.texts;
  PageParts parts = translation_scores("test", texts, test.standardized);
  if (!test_table.empty()) parts.push_back(page_block(test_table));
  parts.push_back(page_paragraph(exactly_right(texts.hypotheses, test.standardized)));
  // Test lines whose source stands in training too tell less.
  const std::vector<std::size_t> unseen = unseen_lines(texts.sources, test.known);
  if (unseen.size() < texts.sources.size() && !unseen.empty()) {
    append(parts, translation_scores("test without the sources that also stand in training",
                                     texts_at(texts, unseen), lines_at(test.standardized, unseen)));
  } else {
    parts.push_back(page_paragraph(seen_text(unseen.size(), texts.sources.size())));
  }
  if (!test.decoded.empty()) {
    parts.push_back(page_heading("the same test"));
    parts.push_back(page_block(decoding_scores(test.decoded, texts.references)));
  }
  const TextLines& references = test.sentences.references;
  const bool has_references =
      std::any_of(references.begin(), references.end(), [](const auto& line) { return !line.empty(); });
  append(parts, has_references
                    ? samples_part(test.sentences_title, test.sentences, "translation", texts.hypotheses)
                    : spread_samples(texts, "translation"));
  return parts;
}

PageParts summary_part(const SummaryTest& test, const std::string& test_table) {
  const TestTexts& texts = test.texts;
  const auto count = static_cast<std::int64_t>(texts.hypotheses.size());
  PageParts parts{page_heading("test: " + format_count(count) + (count == 1 ? " summary" : " summaries"))};
  append(parts, summary_scores(texts, test.beam_hypotheses));
  if (!test_table.empty()) parts.push_back(page_block(test_table));
  parts.push_back(page_paragraph(exactly_right(texts.hypotheses, texts.references)));
  parts.push_back(
      page_paragraph(seen_text(unseen_lines(texts.sources, test.known).size(), texts.sources.size())));
  append(parts, spread_samples(texts, "summary"));
  return parts;
}

std::string orders_text(const std::vector<OrderedTest>& tests) {
  using Align = Table::Align;
  Table table({{"order"}, {"loss", Align::right}, {"accuracy", Align::right}});
  for (const OrderedTest& test : tests) {
    const auto figure = [&](std::string_view wanted) -> std::string {
      for (const auto& [name, value] : test.figures) {
        if (name == wanted) return format_fixed(value, 4);
      }
      return "-";
    };
    table.add_row({test.order, figure("loss"), figure("accuracy")});
  }
  return table.text();
}

std::string epochs_text(const RunPage& page) {
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"epoch", Align::right}, {"training loss", Align::right}};
  if (page.has_padded_loss) columns.push_back({"over all places", Align::right});
  columns.push_back({"validation loss", Align::right});
  columns.push_back({"perplexity", Align::right});
  Table table(std::move(columns));
  for (const LearningCurve::Point& point : page.epochs) {
    std::vector<std::string> row{std::to_string(point.epoch), format_fixed(point.training_loss, 4)};
    const double padded = point.figure("training_reference_loss");
    if (page.has_padded_loss) row.push_back(std::isnan(padded) ? "-" : format_fixed(padded, 4));
    row.push_back(format_fixed(point.validation_loss, 4));
    row.push_back(format_fixed(std::exp(point.validation_loss), 2));
    table.add_row(std::move(row));
  }
  return table.text();
}

// "12,345.6".
std::string seconds_text(double seconds) {
  std::string text = format_fixed(seconds, 1);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  return format_large_count(std::strtod(text.substr(0, point).c_str(), nullptr)) + text.substr(point);
}

std::string cost_text(const RunCost& cost, const RunFigures& run) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    constexpr std::size_t kNameWidth = 15;
    std::string line(name);
    line.resize(kNameWidth, ' ');
    text += line + value + "\n";
  };
  if (run.epochs > 0) {
    std::string training = seconds_text(run.seconds_an_epoch * static_cast<double>(run.epochs)) + " s" +
                           (cost.is_solved ? "" : ": " + counted(run.epochs, "epoch"));
    if (run.has_validation() && run.best_epoch < run.epochs)
      training +=
          "; " + seconds_text(run.seconds_to_best) + " s to the best one, " + std::to_string(run.best_epoch);
    add("training", training);
    const double speed = std::trunc(run.tokens_per_second);
    if (cost.patches > 0) {
      add("speed", format_large_count(speed / static_cast<double>(cost.patches)) + " images/s, of " +
                       std::to_string(cost.patches) + " patches each");
    } else {
      add("speed", format_large_count(speed) + " tokens/s, read and predicted");
    }
  }
  if (cost.parameters) add("parameters", format_count(*cost.parameters));
  if (cost.bytes) {
    constexpr double kMebibyte = 1 << 20;
    add("memory", format_large_count(static_cast<double>(*cost.bytes) / kMebibyte) +
                      " MiB: parameters and gradients, optimizer, a step");
  }
  if (!cost.machine.empty()) add("machine", cost.machine);
  return text;
}

}  // namespace

PageParts run_page_parts(const RunPage& page) {
  PageParts parts = page.summary_parts;
  if (!page.table.empty()) parts.push_back(page_block(page.table));
  append(parts, page.pictures);
  const auto add = [&](std::string_view heading, std::string_view text) {
    parts.push_back(page_heading(heading));
    parts.push_back(page_block(text));
  };
  if (page.translation) {
    append(parts, translation_part(*page.translation, page.test_table));
  } else if (page.summary) {
    append(parts, summary_part(*page.summary, page.test_table));
  } else if (!page.test_table.empty()) {
    add("test", page.test_table);
  }
  if (!page.orders.empty()) add("the same test in other orders of its tokens", orders_text(page.orders));
  if (!page.epochs.empty()) add("epochs", epochs_text(page));
  if (!page.written.empty()) add("written after each epoch", page.written);
  add("what it cost", cost_text(page.cost, page.figures));
  append(parts, page.folded);
  std::string files;
  for (const std::string& file : page.files) files += file + "\n";
  add("files", files);
  return parts;
}

std::string run_page_text(const RunPage& page) {
  return "# " + page.name + "\n" + markdown_of(run_page_parts(page));
}

}  // namespace headwater
