// The model of a run, its scores and its report.
#include <algorithm>

#include "families/registry.hpp"
#include "pipeline/content.hpp"
#include "pipeline/experiment.hpp"
#include "reports/run_report.hpp"
#include "support/directories.hpp"

namespace headwater {

namespace {

// Fails where a model has more labels than a picture can show; id2label has a line for each.
constexpr const char* kFewLabels = R"(/"id2label"/ { n = 1; next } n && /^ *}/ { exit n > 501 } n { ++n })";

class RunStageList : public StageWords {
 public:
  using StageWords::StageWords;
  RunStages all() const;
  Words training(bool is_dry) const;

 private:
  // Columns of the test beside each other.
  Words test_columns(const std::vector<std::string_view>& columns, const Words& first = {}) const;
  bool has_shortlist() const { return e_.recipe.decoding.shortlist.best > 0; }
  fs::path shortlist_file() const { return e_.run / kShortlistOfRun; }
  Stage shortlist() const;
  void texts(std::vector<Stage>& all) const;
  Stage means() const;
  Stage test() const;
  Stage report() const;
  Words attention() const;
  bool has_sentences() const { return !e_.recipe.data.set.empty() && is_there(sentences()); }
  fs::path sentences() const { return e_.house / "data" / e_.recipe.data.set / "sentences.txt"; }
};

Words RunStageList::test_columns(const std::vector<std::string_view>& columns, const Words& first) const {
  Words command = line("paste", first);
  for (const std::string_view column : columns)
    command = line(command, sh("<("), cut(column, e_.part("test")), sh(")"));
  return line(command, pipe_to());
}

Words RunStageList::training(bool is_dry) const {
  const std::vector<fs::path> files = e_.train_files();
  Words command = line(program("train"), quiet_, recipe_);
  for (const std::string_view side : kTextColumns) {
    if (e_.field(side)) command = line(command, "--" + std::string(side) + "-tokenizer", e_.tokenizer(side));
  }
  if (e_.field("label"))
    command = line(command, "--labels", e_.prepared / "labels.txt", "--labels-as", "ids");
  if (e_.reads_terms()) command = line(command, "--terms", e_.prepared / "terms.tsv");
  if (files.size() > 1) command = line(command, "--validation", files.back());
  if (!e_.has_columns() && !e_.files.test.empty()) command = line(command, "--test", e_.data / e_.files.test);
  command = line(command, "-o", e_.model());
  if (e_.overwrites && !is_dry) command = line(command, "--overwrite");
  if (e_.allows_empty) command = line(command, "--allow-empty");
  command = line(command, e_.with_threads(), files.front());
  return is_dry ? line(command, "--dry-run", "--quiet") : command;
}

// Beside the model, which does not depend on it.
Stage RunStageList::shortlist() const {
  const ShortlistSettings& settings = e_.recipe.decoding.shortlist;
  const auto ids = [&](const char* side) { return e_.prepared / ("train." + std::string(side) + ".ids"); };
  Words command = line("paste", ids("source"), ids("target"), pipe_to(), program("vectorize"), "shortlist",
                       quiet_, "--model", e_.model(), "--best", std::to_string(settings.best), "--first",
                       std::to_string(settings.first));
  if (e_.allows_empty) command = line(command, "--allow-empty");
  Stage stage{
      {shortlist_file()},
      {e_.table()},
      {line("rm", "-f", shortlist_file()), line(command, e_.with_threads(), "-o", made(shortlist_file()))}};
  stage.keeps_messages = false;
  return stage;
}

// --- Scores on the test data -------------------------------------------------------------------------------

// Texts that the model writes, by the search of the recipe and by others.
void RunStageList::texts(std::vector<Stage>& all) const {
  const fs::path table = e_.table(), sources = e_.run / "test.sources";
  const auto column = [&](const char* name, const char* of) {
    all.push_back({{e_.run / name}, {}, {line(cut(of, e_.part("test")), written_to(e_.run / name))}});
  };
  const auto written = [&](const char* name, const Words& by, const fs::path& of) {
    const fs::path to = e_.run / name;
    all.push_back({{to}, {of, table}, {line(by, e_.model(), e_.with_threads(), of, written_to(to))}});
    if (has_shortlist()) all.back().inputs.push_back(shortlist_file());
  };
  column("test.sources", "source");
  column("test.references", "target");
  written("test.hypotheses", e_.writer(), sources);
  if (e_.recipe.data.summaries)
    return written("test.beam", line(e_.writer(), "--quiet", "--num-beams", "4"), sources);
  if (e_.task() == Task::translation) {
    // As the tokenizer sees them: standardised, joined again.
    const fs::path references = e_.run / "test.references", to = e_.run / "test.standardized";
    const Words tokenize = line(program("tokenize"), quiet_, "--tokenizer", e_.tokenizer("target"));
    all.push_back(
        {{to}, {references}, {line(tokenize, references, pipe_to(), tokenize, "--decode", written_to(to))}});
    const Words greedily = line(program("translate"), "--quiet", "--num-beams", "1");
    if (e_.recipe.decoding.num_beams != 1) written("test.greedy", greedily, sources);
    if (e_.recipe.training.checkpoint.keep > 2) all.push_back(means());
  }
  if (!has_sentences()) return;
  const fs::path of = e_.run / "sentences.sources";
  all.push_back({{of}, {}, {line("cp", sentences(), made(of))}});
  written("sentences.hypotheses", line(e_.writer(), "--quiet"), of);
}

// By the mean of the checkpoints that the recipe keeps; an empty file where training has left one alone.
Stage RunStageList::means() const {
  const fs::path greedy = e_.run / "test.mean-greedy", beam = e_.run / "test.mean-beam",
                 mean = e_.run / "mean";
  const std::int64_t beams = e_.recipe.decoding.num_beams;
  const std::string keep = std::to_string(e_.recipe.training.checkpoint.keep);
  Stage stage{{greedy}, {e_.run / "test.sources", e_.table()}, {}};
  if (has_shortlist()) stage.inputs.push_back(shortlist_file());
  if (beams != 1) stage.outputs.push_back(beam);
  stage.commands.push_back(line(sh("last=$(find"), e_.model() / "checkpoints",
                                sh("-mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l)")));
  for (const fs::path& output : stage.outputs) stage.commands.push_back(line(sh(":"), written_to(output)));
  stage.commands.push_back(line(sh("if [ \"$last\" -gt 1 ]; then rm -rf"), made(mean), sh(";"),
                                program("convert"), "--average", e_.model(), "--last",
                                sh("\"$((last < " + keep + " ? last : " + keep + "))\""), "--output",
                                made(mean), sh("> /dev/null; fi")));
  for (const fs::path& output : stage.outputs)
    stage.commands.push_back(line(sh("[ \"$last\" -le 1 ] ||"), program("translate"), "--quiet",
                                  "--num-beams", std::to_string(output == greedy ? 1 : beams), made(mean),
                                  e_.with_threads(), e_.run / "test.sources", written_to(output)));
  stage.commands.push_back(line("rm", "-rf", made(mean)));
  return stage;
}

Stage RunStageList::test() const {
  const fs::path to = e_.run / "test.txt";
  const bool is_pair = e_.field("target").has_value();
  const Task task = e_.task();
  Words lines;
  if (e_.has_columns()) {
    std::vector<std::string_view> columns = {"source"};
    if (is_pair && task != Task::masked_language_modeling) columns.emplace_back("target");
    if (task == Task::classification) columns.emplace_back("label");
    lines = test_columns(columns);
  }
  Words options = recipe_;
  // The test is translated once, above. Over padded positions too where the recipe expects such figures.
  if (task == Task::translation) {
    options = line("--metric", "loss,accuracy,perplexity");
    if (expects_reference_measure(e_.recipe)) options = line(options, "--reference-measure");
  }
  Stage stage{{to}, {e_.table()}, {}};
  if (task == Task::classification || task == Task::image_classification) {
    const fs::path picture = e_.run / "confusion.svg";
    stage.commands.push_back(line(sh("picture=(--confusion"), picture, sh("); awk"), kFewLabels,
                                  e_.model() / "config.json", sh("2> /dev/null || picture=()")));
    options = line(options, sh("\"${picture[@]}\""));
  }
  Words file;
  if (!e_.has_columns()) file = line(e_.data / e_.files.test);
  stage.commands.push_back(
      line(lines, program("evaluate"), quiet_, e_.model(), options, e_.with_threads(), file, written_to(to)));
  return stage;
}

// --- The report --------------------------------------------------------------------------------------------

// Where it looked: of the first sentences of the set, or of the first test text, or of some images. A model
// without attention has no picture, nor has one whose rows of padding would make it too large to look at.
Words RunStageList::attention() const {
  const fs::path picture = e_.run / "attention.svg";
  const auto first_words = [&](std::string_view column) {
    return line("head", "-n", "1", e_.part("test"), pipe_to(), "cut", "-f" + number(column), pipe_to(), "cut",
                "-d", " ", "-f", "1-20");
  };
  Words text;
  if (!e_.has_columns()) {
    text = {};
  } else if (has_sentences() && (e_.task() == Task::translation || e_.field("target"))) {
    text = line("head", "-n", "4", e_.run / "sentences.sources", pipe_to());
  } else if (e_.task() == Task::classification && e_.field("target")) {
    text =
        line("paste", sh("<("), first_words("source"), sh(") <("), first_words("target"), sh(")"), pipe_to());
  } else {
    text = line(first_words("source"), pipe_to());
  }
  Words command = line(text, program("attn-dump"), e_.model());
  if (e_.task() == Task::translation) command = line(command, "--kind", "cross");
  if (e_.has_columns()) {
    command = line(command, "--mean", "--format", "svg");
  } else {
    command = line(command, "--view", "rollout", "--first", "16", "--format", "svg", e_.data / e_.files.test);
  }
  return line(sh("{"), command, e_.with_threads(), "-q", "-o", picture, sh("&& [ \"$(wc -c <"), picture,
              sh(")\" -le 2000000 ] || rm -f"), picture, sh("; } 2> /dev/null"));
}

// The learning curve is drawn where an epoch has ended, beside what the source of the recipe printed
// (sources/), which is of its full scale.
Stage RunStageList::report() const {
  const fs::path source =
      e_.recipe_file.parent_path() / "sources" / (e_.recipe_file.stem().string() + ".csv");
  const bool has_source = e_.is_full_scale && is_there(source);
  const fs::path copy = e_.run / "source.csv";
  Stage stage{{e_.run / "report.md", e_.run / "report.html"}, {}, {}};
  stage.keeps_messages = false;
  stage.commands.push_back(has_source ? line("cp", source, copy) : line("rm", "-f", copy));
  stage.commands.push_back(line(program("report"), "--curves", e_.model(), "-o", e_.run / "curve.svg",
                                "--title", e_.run.filename(), sh("2> /dev/null || true")));
  if (e_.has_test()) stage.commands.push_back(attention());
  stage.commands.push_back(line(program("report"), e_.run, "--html", "-o", e_.run / "report.html"));
  stage.commands.push_back(line(program("report"), e_.run, "-o", e_.run / "report.md"));
  return stage;
}

RunStages RunStageList::all() const {
  RunStages stages;
  const fs::path plan = e_.plan(), table = e_.table();
  // Where training refuses its work, it says so below.
  stages.plan = {
      {plan}, {}, {line(training(true), written_to(plan), sh("2> /dev/null || rm -f"), made(plan))}};
  stages.plan.keeps_messages = false;
  stages.training = {{table}, {}, {line(training(false), written_to(table))}};
  std::vector<Stage>& scores = stages.scores;
  if (has_shortlist()) scores.push_back(shortlist());
  if (e_.has_test()) {
    const bool writes =
        e_.task() == Task::translation || (e_.task() == Task::language_modeling && e_.field("target"));
    if (writes) texts(scores);
    scores.push_back(test());
    // The same texts with their tokens in another order, cut before as any text is.
    for (const std::string& order : e_.recipe.data.test_orders) {
      const fs::path to = e_.run / ("test." + order + ".txt");
      const Words in_order = ids("source", e_.part("test"), line("--quiet", "--order", order));
      scores.push_back({{to},
                        {table},
                        {line(in_order, pipe_to(), test_columns({"label"}, line("-")), program("evaluate"),
                              e_.model(), "--ids", "--labels-as", "names", "--quiet", "--metric",
                              "loss,accuracy", e_.with_threads(), written_to(to))}});
    }
  }
  stages.report = report();
  stages.report.inputs = {table, plan};
  for (const Stage& stage : scores)
    stages.report.inputs.insert(stages.report.inputs.end(), stage.outputs.begin(), stage.outputs.end());
  return stages;
}

}  // namespace

std::vector<const Stage*> RunStages::all() const {
  std::vector<const Stage*> stages = {&plan, &training};
  for (const Stage& stage : scores) stages.push_back(&stage);
  stages.push_back(&report);
  return stages;
}

RunStages run_stages(const Experiment& e) { return RunStageList(e).all(); }

}  // namespace headwater
