// Pages for browsers: of one run, or of several beside each other.
#include <unistd.h>
#include <fstream>
#include <utility>

#include "checkpoint/directory.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/family.hpp"
#include "families/model_directory.hpp"
#include "reports/learning_curves.hpp"
#include "reports/line_plot.hpp"
#include "reports/model_tables.hpp"
#include "reports/page_parts.hpp"
#include "reports/run_summary.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

namespace {

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{1} << 28, kMaxRecipeBytes = 1 << 20;
// More lines of one picture cannot be told apart.
constexpr std::size_t kMostCurves = 12;

// Nothing where no epoch has ended with a validation.
std::optional<LearningCurve> curve_of(const RunFiles& run) {
  if (!read_log(run.log, run.recipe ? run.recipe->training.best_metric : "loss").has_validation())
    return std::nullopt;
  LearningCurve curve = learning_curve_of(run);
  if (run.recipe) set_best_metric(curve, run.recipe->training.best_metric);
  return curve;
}

PageParts pictures_of_curves(std::span<const LearningCurve> curves) {
  PageParts parts;
  for (CurvePanel& panel : learning_curve_panels(curves))
    parts.push_back(page_picture(panel.name, std::move(panel.svg)));
  return parts;
}

PageParts pictures_of(const RunFiles& run) {
  PageParts parts;
  if (std::optional<LearningCurve> curve = curve_of(run)) {
    std::vector<LearningCurve> curves{std::move(*curve)};
    for (LearningCurve& source : source_curves_of(run)) curves.push_back(std::move(source));
    append(parts, pictures_of_curves(curves));
  }
  append(parts, training_plots(read_file(run.log, kMaxLogBytes)));
  return parts;
}

// Files of the model that is read, with their hashes.
std::string hashes_of(const ModelFolder& folder) {
  std::string text;
  if (!folder.manifest) return text;
  for (const Manifest::File& file : folder.manifest->files)
    text += file.xxh3_128 + "  " + file.name + "  (" + format_count(static_cast<std::int64_t>(file.bytes)) +
            " bytes)\n";
  return text;
}

PageParts folded_of(const RunFiles& run) {
  PageParts parts{page_folded("Recipe", read_file(run.recipe_path, kMaxRecipeBytes))};
  std::string environment = "page made by " + cli::version_text();
  if (has_model(run.model)) {
    const ModelFolder folder = open_model(run.model);  // what it passes over is said by now
    const ModelDescription model =
        folder.family->model_of(folder.config, folder.config_path().string()).description;
    parts.push_back(page_folded("Parameters by layer", layer_table(model)));
    parts.push_back(page_folded("Parameters by matrix", matrix_table(model)));
    environment += "\nmodel (XXH3, 128 bits)\n" + hashes_of(folder);
  }
  parts.push_back(page_folded("Environment and hashes", environment));
  return parts;
}

struct RunSection {
  PageSection section;
  bool has_failed = false;
};

RunSection section_of(const std::string& named, const fs::path& output) {
  RunPage page = page_of_run(named, output);
  const RunFiles run = files_of_run(named);
  PageParts pictures = pictures_of(run);
  append(pictures, std::move(page.pictures));
  page.pictures = std::move(pictures);
  page.folded = folded_of(run);
  const bool has_failed = !page.failed.empty();
  return {{page.name + (has_failed ? " (failed)" : ""), run_page_parts(page)}, has_failed};
}

// A model directory by itself is no run of a recipe, which ends with a report.md.
JudgedRun judged(const std::string& named, const fs::path& output) {
  const RunFiles run = files_of_run(named);
  if (!run.messages.failed.empty()) return failed_run(run.name, run.messages.failed);
  if (run.folder != run.model) return judged_folder(run);
  return judged_run(run.name, {page_of_run(named, output).table});
}

// What stands before the pages of several runs: what was expected, what they reached, their curves together.
// `sections` are their pages, of which the best are called so.
PageParts overview(const std::vector<std::string>& runs, const fs::path& output,
                   std::vector<PageSection>& sections) {
  std::vector<JudgedRun> judged_runs;
  std::vector<RunRow> rows;
  std::vector<std::size_t> places;  // of the rows among the runs
  std::vector<LearningCurve> curves;
  std::vector<RunFiles> drawn;
  for (const std::string& named : runs) {
    try {
      judged_runs.push_back(judged(named, output));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      judged_runs.push_back(failed_run(name_of_run(named), error.what()));
    }
    rows.push_back(row_of_run(named));
    places.push_back(judged_runs.size() - 1);
    if (!rows.back().error.empty()) continue;
    try {
      RunFiles run = files_of_run(named);
      if (std::optional<LearningCurve> curve = curve_of(run)) {
        curves.push_back(std::move(*curve));
        drawn.push_back(std::move(run));
      }
    } catch (const UsageError&) {
      throw;
    } catch (const Error&) {  // its section says why
    }
  }
  const std::vector<bool> best = best_runs(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (best[row]) sections[places[row]].name += " (best)";
  }
  PageParts parts{page_paragraph(runs_summary(rows, runs.size())),
                  page_heading("What was expected and reached"), page_table(judged_runs_table(judged_runs))};
  if (!rows.empty()) {
    parts.push_back(page_heading("What differs"));
    const ReadableRunTable readable = readable_run_table(rows);
    parts.push_back(page_table(readable.table));
    if (!readable.note.empty()) parts.push_back(page_paragraph(readable.note));
  }
  if (curves.size() > 1 && curves.size() <= kMostCurves) {
    name_curves(curves, drawn);
    append(parts, pictures_of_curves(curves));
  }
  parts.push_back(page_heading("The runs"));
  return parts;
}

}  // namespace

void write_html(const Options& o) {
  cli::check_ending(o.output, "-o", "html");
  std::vector<PageSection> sections;
  std::int64_t failed = 0;
  const auto add = [&](RunSection run) {
    sections.push_back(std::move(run.section));
    failed += run.has_failed ? 1 : 0;
  };
  if (o.pages.size() == 1) {
    add(section_of(o.pages.front(), o.output));
    cli::write_result_file(o.output,
                           report_html(o.title.empty() ? sections.front().name : o.title, {}, sections));
    check_failed(failed, 1, "the page");
    return;
  }
  for (const std::string& named : o.pages) {
    try {
      add(section_of(named, o.output));
    } catch (const UsageError&) {  // the page would be written over a file of a run
      throw;
    } catch (const Error& error) {  // one that failed does not keep the others from being seen
      ++failed;
      sections.push_back({name_of_run(named) + " (failed)", {page_paragraph(error.what())}});
    }
  }
  const std::string title = o.title.empty() ? counted(std::ssize(o.pages), "run") : o.title;
  const PageParts begin = overview(o.pages, o.output, sections);
  cli::write_result_file(o.output, report_html(title, begin, sections));
  check_failed(failed, o.pages.size(), "the page");
}

std::string machine() {
  const auto value_of = [](const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(key)) continue;
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return std::string();
  };
  std::string text = visible(value_of("/proc/cpuinfo", "model name"));
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) add(counted(processors, "processor"));
  const double kibibytes = std::strtod(value_of("/proc/meminfo", "MemTotal").c_str(), nullptr);
  if (kibibytes > 0) add(format_fixed(kibibytes / (1 << 20), 0) + " GiB");
  return text;
}

}  // namespace headwater::report
