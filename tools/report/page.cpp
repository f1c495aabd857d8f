// The page of one run: its files are read here, the page is made by reports/run_page.hpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/result_file.hpp"
#include "families/registry.hpp"
#include "recipe/key_values.hpp"
#include "reports/page_parts.hpp"
#include "reports/run_page.hpp"
#include "reports/run_summary.hpp"
#include "reports/run_table.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"
#include "support/utf8.hpp"
#include "tools/report/report.hpp"

namespace headwater::report {

namespace {

constexpr std::uint64_t kMaxTableBytes = 1 << 24, kMaxPictureBytes = 1 << 22;

// What a stage of a recipe has drawn into the folder of its run.
constexpr std::pair<const char*, const char*> kDrawn[] = {{"attention.svg", "Attention of an example"},
                                                          {"confusion.svg", "Confusion matrix of the test"}};

// The files of one run, each said to be read.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  fs::path operator/(const fs::path& name) const { return path_ / name; }
  bool has(const fs::path& name) const { return is_there(path_ / name); }
  std::string text(const fs::path& name) const {
    cli::run_files().reads(path_ / name);
    return read_file(path_ / name, kMaxTableBytes);
  }
  // A model that writes bytes may write any: those that are no text count as U+FFFD.
  TextLines lines(const fs::path& name) const {
    if (!has(name))
      throw Error(shown(path_ / name) + ": no such file (make recipe writes it, beside test.hypotheses)");
    cli::run_files().reads(path_ / name);
    return lines_of(path_ / name);
  }
  // As many as others have, one for one.
  TextLines lines_beside(const fs::path& name, const fs::path& others, std::size_t wanted) const {
    TextLines all = lines(name);
    if (all.size() != wanted)
      throw Error(shown(path_ / name) + ": " + counted(static_cast<std::int64_t>(all.size()), "line") +
                  ", but " + shown(path_ / others) + " has " + std::to_string(wanted) +
                  " (remove both, and make the report again)");
    return all;
  }

 private:
  fs::path path_;
};

// Sources and references of a file of examples.
ReferencePairs pairs_of(const Folder& folder, const fs::path& name, const Recipe& recipe, std::string place) {
  const std::vector<std::string>& columns = recipe.data.columns;
  const auto place_of = [&](const char* column) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  };
  const std::size_t source = place_of("source"), target = place_of("target");
  ReferencePairs pairs{std::move(place), {}, {}};
  for (const std::string& line : folder.lines(name)) {
    const std::vector<std::string_view> fields = split(line, '\t');
    const auto field = [&](std::size_t i) { return std::string(i < fields.size() ? fields[i] : ""); };
    pairs.sources.push_back(field(source));
    pairs.references.push_back(field(target));
  }
  return pairs;
}

TestTexts test_texts(const Folder& folder) {
  TestTexts texts;
  texts.sources = folder.lines("test.sources");
  if (texts.sources.empty())
    throw Error(shown(folder / "test.sources") + ": no lines (a score needs at least one)");
  const auto beside = [&](const char* name) {
    return folder.lines_beside(name, "test.sources", texts.sources.size());
  };
  texts.hypotheses = beside("test.hypotheses");
  texts.references = beside("test.references");
  return texts;
}

// The same test by another search, and of the mean of the checkpoints that the recipe keeps: what the
// stages made.
std::vector<DecodedTest> decoded_tests(const Folder& folder, const Recipe& recipe, const TestTexts& texts) {
  const std::int64_t beams = recipe.decoding.num_beams;
  const std::string beam = "beam " + std::to_string(beams);
  std::vector<DecodedTest> tests;
  const auto add = [&](const std::string& name, const char* file) {
    std::error_code none;
    if (folder.has(file) && fs::file_size(folder / file, none) > 0)
      tests.push_back({name, folder.lines_beside(file, "test.sources", texts.sources.size())});
  };
  if (beams > 1) {
    add("greedy", "test.greedy");
    tests.push_back({beam, texts.hypotheses});
  } else {
    tests.push_back({"greedy", texts.hypotheses});
  }
  std::int64_t checkpoints = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder / "model" / "checkpoints", none)) {
    const char first = entry.path().filename().string().front();
    if (first >= '0' && first <= '9') ++checkpoints;
  }
  const std::int64_t kept = std::min(checkpoints, recipe.training.checkpoint.keep);
  const std::string mean = "mean of " + counted(kept, "checkpoint") + ", ";
  add(mean + "greedy", "test.mean-greedy");
  add(mean + beam, "test.mean-beam");
  return tests.size() > 1 ? tests : std::vector<DecodedTest>{};
}

TranslationTest translation_test(const Folder& folder, const Recipe& recipe) {
  TranslationTest test;
  test.texts = test_texts(folder);
  test.standardized =
      folder.has("test.standardized")
          ? folder.lines_beside("test.standardized", "test.sources", test.texts.sources.size())
          : test.texts.references;
  test.decoded = decoded_tests(folder, recipe, test.texts);
  const ReferencePairs train = pairs_of(folder, "train.tsv", recipe, "  (of the training set)");
  test.known.insert(train.sources.begin(), train.sources.end());
  if (!folder.has("sentences.sources")) return test;
  test.sentences_title = "the sentences of data/" + recipe.data.set + "/sentences.txt";
  test.sentences.sources = folder.lines("sentences.sources");
  test.sentences.hypotheses =
      folder.lines_beside("sentences.hypotheses", "sentences.sources", test.sentences.sources.size());
  std::vector<ReferencePairs> parts{{"", test.texts.sources, test.texts.references}};
  if (folder.has("validation.tsv"))
    parts.push_back(pairs_of(folder, "validation.tsv", recipe, "  (of the validation set)"));
  parts.push_back(train);
  test.sentences.references = references_of(test.sentences.sources, parts);
  return test;
}

std::vector<OrderedTest> ordered_tests(const RunFiles& run, const Recipe& recipe,
                                       const std::string& as_written) {
  std::vector<OrderedTest> tests;
  if (!as_written.empty()) tests.push_back({"as written", figures_of_score_table(as_written)});
  for (const std::string& order : recipe.data.test_orders) {
    if (const auto scores = scores_of_order(run, order))
      tests.push_back({order, figures_of_score_table(*scores)});
  }
  return tests.size() > 1 ? tests : std::vector<OrderedTest>{};
}

SummaryTest summary_test(const Folder& folder, const Recipe& recipe) {
  SummaryTest test;
  test.texts = test_texts(folder);
  test.beam_hypotheses = folder.lines_beside("test.beam", "test.sources", test.texts.sources.size());
  const ReferencePairs train = pairs_of(folder, "train.tsv", recipe, "");
  test.known.insert(train.sources.begin(), train.sources.end());
  return test;
}

// What the model wrote after each epoch: EPOCH, TAB, text.
std::string samples_of(const Folder& folder) {
  if (!folder.has("samples.tsv")) return "";
  std::string text = folder.text("samples.tsv");
  const std::vector<std::string_view> lines = split(text, '\n');
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::int64_t epoch = 0;
    const bool is_last = n + 1 == lines.size();
    const bool is_sample = lines[n].find('\t') != lines[n].npos &&
                           read_number(lines[n].substr(0, lines[n].find('\t')), epoch).empty() && epoch > 0;
    if (is_last ? !lines[n].empty() : !is_sample)
      throw Error(shown(folder / "samples.tsv") + ":" + std::to_string(n + 1) +
                  (is_last ? ": ends inside a line" : ": no epoch, TAB and text") +
                  " (bring the file back from a copy, or remove it)");
  }
  return text;
}

// "bytes" of what train --dry-run said; nothing where it was not asked.
std::optional<std::int64_t> planned_bytes(const Folder& folder) {
  if (!folder.has("plan.txt")) return std::nullopt;
  const std::string plan = folder.text("plan.txt");
  for (const std::string_view line : split(std::string_view(plan).substr(0, plan.rfind('\n') + 1), '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    std::int64_t bytes = 0;
    if (fields.size() == 2 && fields[0] == "bytes" && read_number(fields[1], bytes).empty()) return bytes;
  }
  throw Error(shown(folder / "plan.txt") +
              ": no line \"bytes\" with a whole number (remove the file, and run the recipe again)");
}

// Patches of an image, of a model that reads images in patches.
std::int64_t patches_of(const Recipe& recipe) {
  std::int64_t height = 0, width = 0, side = 0;
  for (const auto& [key, value] : key_values(recipe, WhichKeys::read)) {
    if (key == "model.image_height") read_number(value, height);
    if (key == "model.image_width") read_number(value, width);
    if (key == "model.patch_size") read_number(value, side);
  }
  return side > 0 ? (height / side) * (width / side) : 0;
}

PageParts drawn_pictures(const Folder& folder) {
  PageParts parts;
  for (const auto& [file, name] : kDrawn) {
    if (!folder.has(file)) continue;
    std::error_code none;
    const fs::path path = folder / file;
    // A page is for looking at.
    if (fs::is_regular_file(path, none) && fs::file_size(path, none) > kMaxPictureBytes) continue;
    std::string svg = folder.text(file);
    const std::string_view text = std::string_view(svg).substr(0, svg.find_last_not_of('\n') + 1);
    if (!text.starts_with('<') || !text.ends_with("</svg>") || find_invalid_utf8(text) != text.npos)
      throw Error(shown(path) + ": no whole picture (" + kMadeAgain + ")");
    parts.push_back(page_picture(name, std::move(svg)));
  }
  return parts;
}

// What a run has, in the order in which it came to be.
std::vector<std::string> files_of(const fs::path& folder, const fs::path& page) {
  std::vector<std::string> files;
  for (const char* name : {"recipe.yaml",
                           "tokenizer.json",
                           "source.json",
                           "target.json",
                           "terms.tsv",
                           "labels.txt",
                           "model",
                           "model/log.csv",
                           "model/samples.tsv",
                           "log.csv",
                           "samples.tsv",
                           "model.safetensors",
                           "source-tokenizer.json",
                           "target-tokenizer.json",
                           "curve.svg",
                           "source.csv",
                           "test.hypotheses",
                           "test.greedy",
                           "test.mean-greedy",
                           "test.mean-beam",
                           "test.beam",
                           "test.references",
                           "attention.svg",
                           "confusion.svg",
                           "report.md",
                           "report.html"}) {
    std::error_code none;
    const fs::path path = (folder / name).lexically_normal();
    const bool is_empty = fs::is_regular_file(path, none) && fs::file_size(path, none) == 0;
    if ((fs::exists(path, none) && !is_empty) || fs::absolute(path) == fs::absolute(page).lexically_normal())
      files.push_back(shown(path));
  }
  return files;
}

std::string figures_table(const Recipe& recipe, const RunFigures& figures, std::int64_t parameters) {
  return scores_text(run_rows(recipe, figures, parameters), false) +
         expectations_text(judge_expectations(recipe, figures, parameters), false);
}

}  // namespace

// What the paragraph at the top says; `page` is whole but for it.
static PageParts summary_of(const RunFiles& run, const Recipe& recipe, const RunPage& page) {
  const Family& family = family_of(recipe.model);
  std::vector<LearningCurve::Point> epochs;
  if (page.figures.has_validation()) epochs = learning_curve_of(run).points;
  return summary_parts({.recipe = recipe,
                        .name = run.name,
                        .what = std::string(family.noun),
                        .next_tool = std::string(tool_of(family.offer(recipe.model).abilities.front())),
                        .figures = page.figures,
                        .parameters = page.cost.parameters,
                        .test = test_figures(run),
                        .epochs = std::move(epochs),
                        .judged = judged_run(run.name, {page.table, page.test_table}),
                        .messages = run.messages});
}

RunPage page_of_run(const std::string& named, const fs::path& output) {
  const RunFiles run = files_of_run(named);
  if (!run.messages.failed.empty() && (run.recipe_path.empty() || !is_there(run.log)))
    throw Error(shown(named) + ": failed: " + run.messages.failed);
  if (!is_there(run.log))
    throw Error(shown(run.log) +
                ": no such file (name a model directory that train made, or the folder of a recipe's run)");
  if (!fs::is_directory(named) && run.log.filename() != "log.csv" && run.recipe_path.empty())
    throw Error(shown(named) +
                ": no run, which has a log.csv (name a model directory that train made, or the folder of a "
                "recipe's run)");
  if (run.recipe_path.empty())
    throw Error(shown(as_named(run.model, named) / "recipe.yaml") +
                ": no such file (a run has the recipe that it was made by)");
  cli::run_files().reads(run.recipe_path);
  Recipe recipe = *run.recipe;
  // What may be asked of a run that is there, and is not in its model's recipe then.
  if (const fs::path asked = run.folder / "recipe.yaml"; is_there(asked)) {
    const Recipe now = recipe_of_run(as_named(asked, named));
    recipe.data.test_orders = now.data.test_orders;
    recipe.expected = now.expected;
  }
  const fs::path model = as_named(run.model, named);
  const Folder folder(as_named(run.folder, named));
  RunPage page;
  page.name = run.name;
  page.figures = read_log(run.log, recipe.training.best_metric);
  std::optional<std::int64_t> parameters;
  const bool needs_model = !folder.has("table.txt") && run.messages.failed.empty();
  if (has_model(model) || needs_model) parameters = count_parameters(model_of_run(model));
  const std::optional<std::string> table = table_of_run(run, parameters);
  page.failed = run.messages.failed;
  page.cost = {.parameters = parameters,
               .bytes = planned_bytes(folder),
               .patches = patches_of(recipe),
               .machine = machine(),
               .is_solved = recipe.model.kind().is_solved};
  if (table && !(run.may_go_on && parameters)) {
    page.table = *table;
  } else if (parameters) {
    page.table = figures_table(recipe, page.figures, *parameters);
  }
  page.test_table = scores_of_run(run).value_or("");
  page.orders = ordered_tests(run, recipe, page.test_table);
  const Task task = family_of(recipe.model).task;
  if (has_made(run, "test.hypotheses")) {
    if (recipe.data.summaries) {
      page.summary = summary_test(folder, recipe);
    } else {
      page.translation = translation_test(folder, recipe);
    }
  }
  if (task == Task::language_modeling && page.figures.has_validation()) {
    page.epochs = learning_curve_of(run).points;
    const bool are_texts = recipe.data.examples == DataExamples::lines && recipe.data.columns.size() == 1;
    page.has_padded_loss =
        are_texts && std::any_of(page.epochs.begin(), page.epochs.end(), [](const auto& point) {
          return !std::isnan(point.figure("training_reference_loss"));
        });
    page.written = samples_of(Folder(model));
  }
  page.pictures = drawn_pictures(folder);
  page.files = files_of(folder / "", output);
  page.summary_parts = summary_of(run, recipe, page);
  return page;
}

void write_page(const Options& o) {
  const RunPage page = page_of_run(o.pages.front(), o.output);
  cli::check_ending(o.output, "-o", "markdown", {{"html", "--html"}});
  cli::write_result_file(o.output, run_page_text(page));
  if (!page.failed.empty()) throw Error(page.name + ": failed: " + page.failed);
}

}  // namespace headwater::report
