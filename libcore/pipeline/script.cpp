// An experiment as a plain script for bash.
#include <set>

#include "pipeline/run.hpp"

namespace headwater {

namespace {

std::string assignment(const std::string& name, const fs::path& value) {
  return name + "=" + Shell().quoted(value.string()) + "\n";
}

}  // namespace

// Everything lies in the run's folder there, also what other runs might share.
std::string RecipeRun::script() {
  const bool is_given = gives_ != Gives::nothing && gives_ != Gives::before;
  if (is_given) take_given();
  Experiment e = e_;
  e.prepared = e.run;
  if (gives_ == Gives::folder) e.tokenizer_folder = from_;
  const Shell shell({}, {{"run", e.run.string()}, {"data", e.data.string()}, {"bin", e.bin.string()}});
  const auto command = [&](const Words& words) { return shell.text(words) + "\n"; };
  std::string out = "#!/bin/bash\n# " + r_.program + " run " + r_.typed +
                    ", stage by stage. Change what you like; the folders are named here.\n" +
                    "set -euo pipefail\nexport LC_ALL=C\n" + assignment("bin", e.bin) +
                    assignment("data", e.data) + assignment("run", e.run) +
                    "\n# What programs warn of while a file is made stands beside it, for the report.\n"
                    "making() { export HEADWATER=" +
                    Shell().quoted(r_.program) + " HEADWATER_MESSAGES=$1; }\n";
  for (const std::string& set : sets()) {
    const std::vector<std::string> files = e.files.of_set(set);
    const fs::path prepare = r_.house / "data" / ("prepare-" + set + ".sh");
    const bool is_split = e.files.split_seed && set == e.recipe.data.set;
    const Words seed = is_split ? line(std::to_string(*e.files.split_seed)) : Words{};
    if (out.find("\n# --- Data") == out.npos) out += "\n# --- Data\n\n";
    if (!files.empty())
      out += command(line(sh("[ -e"), e.data / files.back(), sh("] || BIN=\"$bin\""), prepare, e.data, seed));
  }
  std::vector<Stage> stages = line_stages(e);
  const RunStages of_run = run_stages(e);
  if (const Stage labels = label_stage(e); !labels.outputs.empty()) stages.push_back(labels);
  for (const Stage& stage : prepared_stages(e)) stages.push_back(stage);
  std::set<fs::path> folders = {e.run};
  for (const Stage& stage : stages) folders.insert(stage.outputs.front().parent_path());
  Words make_folders = line("mkdir", "-p");
  for (const fs::path& folder : folders) make_folders = line(make_folders, folder);
  out += "\n# --- The recipe, with every default\n\n" + command(make_folders);
  // What a run here has made would be compared with what the script makes anew.
  out += command(line("rm", "-f", e.run / kRecordFile));
  Words recipe = line(e.bin / "train", "--recipe", r_.recipe, "--scale", r_.scale);
  if (r_.seed) recipe = line(recipe, "--seed", std::to_string(*r_.seed));
  for (const std::string& change : r_.changes) recipe = line(recipe, "--set", change);
  for (const std::string& change : besides_) recipe = line(recipe, "--set", change);
  if (is_given) recipe = line(recipe, "--tokenizers-of", from_);
  out += command(line(recipe, "--print-recipe", sh(">"), e.own_recipe()));
  const auto add = [&](const Stage& stage) {
    const fs::path messages = e.run / stage.outputs.front().filename();
    out += "\n" + (stage.keeps_messages ? command(line("making", messages)) : "making ''\n") +
           text_of(stage, shell);
  };
  if (e.has_columns()) out += "\n# --- Lines, tokenizers, ids\n";
  const fs::path begins_with = gives_ == Gives::vocabularies ? e.run / "published" : from_;
  if (gives_ == Gives::vocabularies)
    out += command(line(sh("[ -e"), begins_with, sh("] ||"), e.bin / "convert", from_, "-o", begins_with));
  for (const Given& file : given_) {
    if (gives_ != Gives::folder)
      out += command(line("cp", begins_with / file.from.filename(), e.run / file.name));
  }
  for (const Stage& stage : stages) add(stage);
  out += "\n# --- The model\n";
  add(of_run.plan);
  add(of_run.training);
  out += "\n# --- Scores on the test, and the report\n";
  for (const Stage& stage : of_run.scores) add(stage);
  add(of_run.report);
  return out + command(line("cat", e.run / "report.md"));
}

}  // namespace headwater
