// The stages of a run, one after the other: what is there and of the same content is not made again.
#include "pipeline/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "families/model_directory.hpp"
#include "pipeline/children.hpp"
#include "pipeline/lines_check.hpp"
#include "support/directories.hpp"
#include "support/drafts.hpp"

namespace headwater {

namespace {

bool is_made(const fs::path& folder, const Stage& stage, const RunRecord& record) {
  return std::ranges::all_of(stage.outputs, [&](const fs::path& output) {
    return find(record.done, output.lexically_relative(folder).string()) != nullptr && is_there(output);
  });
}

// Whether training writes the file. Its model has a manifest of its own.
bool is_of_training(const KnownFile& file) { return file.name == "table.txt" || file.name == kLogOfRun; }

bool has_whole_model(const fs::path& folder) {
  try {
    return open_model(folder).skipped.empty();
  } catch (const Error&) {
    return false;
  }
}

void take_made(const fs::path& folder, const fs::path& file, RunRecord& record) {
  const std::string name = file.lexically_relative(folder).string();
  std::erase_if(record.done, [&](const KnownFile& other) { return other.name == name; });
  record.done.push_back(look_at_made(file, name, nullptr));
}

void write_record(const fs::path& folder, const RunRecord& record) {
  write_file(folder / kRecordFile, record.json());
}

void remove_drafts_below(const fs::path& folder) {
  if (!is_there(folder)) return;
  static_cast<void>(remove_drafts(folder));
  for_each_below(folder, [](const fs::path& entry) {
    std::error_code none;
    if (fs::is_directory(fs::symlink_status(entry, none))) static_cast<void>(remove_drafts(entry));
  });
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::rename(from, to, error);
  if (error) fail_io(to, "cannot write", error.value());
  fs::remove(from, error);  // where both were one file, renaming does nothing
}

}  // namespace

// --- Files of the run --------------------------------------------------------------------------------------

// In the run's own folder: another run may be making the same file of what they share.
fs::path RecipeRun::draft_of(const fs::path& file) const {
  std::string name = file.string();
  for (const fs::path& folder : {e_.prepared, e_.run}) {
    if (name.starts_with(folder.string() + "/")) name.erase(0, folder.string().size() + 1);
  }
  std::ranges::replace(name, '/', '-');
  return e_.run / draft_name(name + ".tmp-" + std::to_string(::getpid()) + "-0");
}

void RecipeRun::publish(const Stage& stage) const {
  for (const fs::path& output : stage.outputs) {
    if (const fs::path draft = draft_of(output); is_there(draft)) move_file(draft, output);
  }
}

void RecipeRun::set_aside(const fs::path& file) const {
  if (is_there(file)) move_file(file, e_.run / kReplacedFolder / file.filename());
}

// The run as it was before a command that could not touch it.
void RecipeRun::bring_back() const {
  std::error_code error;
  for (const fs::path& file : list_folder(e_.run / kReplacedFolder, error))
    move_file(file, e_.run / file.filename());
  remove_tree(e_.run / kReplacedFolder, error);
}

// Beside the model, whether they are linked or copied.
void RecipeRun::link_here(const std::vector<fs::path>& files) const {
  for (const fs::path& file : files) {
    const fs::path here = e_.run / file.filename(), draft = draft_of(here);
    std::error_code error;
    if (fs::equivalent(file, here, error)) continue;
    fs::create_hard_link(file, draft, error);
    if (error) fs::copy_file(file, draft, fs::copy_options::overwrite_existing, error);
    if (error) fail_io(here, "cannot write", error.value());
    move_file(draft, here);
  }
}

void RecipeRun::check_unchanged(const std::string& name) const {
  const fs::path file = e_.data / name;
  const KnownFile* const was = find(now_.data, name);
  if (was != nullptr && look_at(file, name, was).hash != was->hash)
    throw Error(file.string() + ": changed after this command began (give it again)");
}

// --- Beginning ---------------------------------------------------------------------------------------------

void RecipeRun::look() {
  before_ = read_record(e_.run);
  check_recipe_of_run();
  take_given();
  now_ = record_of_now();
  if (now_.key != before_.key) check_models_of_data();
  e_.prepared = e_.run.parent_path() / "prepared" / (r_.recipe.stem().string() + "-" + now_.prepared);
  if (gives_ == Gives::folder) e_.tokenizer_folder = e_.prepared / "model";
  if (now_.key == before_.key && !r_.overwrites) {
    now_.done = unchanged(e_.run, before_.done);
    // No stage makes the log again: report says that it was changed.
    const KnownFile* const log = find(before_.done, kLogOfRun);
    if (log != nullptr && find(now_.done, kLogOfRun) == nullptr) now_.done.push_back(*log);
  }
  if (!has_whole_model(e_.model())) std::erase_if(now_.done, is_of_training);
}

bool RecipeRun::is_finished() {
  if (r_.overwrites || !is_there(e_.run / "report.md") || !are_sets_prepared()) return false;
  look();
  look_at_shared();
  const RunStages stages = run_stages(e_);
  const bool is_made = is_shared_made() && is_done(label_stage(e_)) &&
                       std::ranges::all_of(stages.all(), [&](const Stage* stage) { return is_done(*stage); });
  if (is_made && !is_read_only(e_.run) && try_claim()) remove_drafts_below(e_.prepared);
  return is_made;
}

bool RecipeRun::has_same_recipe() const {
  return is_there(e_.own_recipe()) && read_file(e_.own_recipe()) == print_recipe(e_.recipe);
}

// train compares examples, and cannot name a file.
void RecipeRun::say_what_changed() const {
  if (r_.overwrites || !is_there(e_.model() / "checkpoints")) return;
  const auto say = [&](const fs::path& path, const char* preposition) {
    r_.say(path.string() + ": changed since " + e_.model().string() + " was trained " + preposition + " it");
  };
  const auto has_changed = [&](const std::string& name) {
    const KnownFile *const was = find(before_.data, name), *const is = find(now_.data, name);
    return was != nullptr && is != nullptr && was->hash != is->hash;
  };
  const RecipeFiles& files = e_.files;
  for (const std::string& name : std::set<std::string>{files.train, files.validation, files.tokenizer_text}) {
    if (has_changed(name)) say(e_.data / name, "on");
  }
  for (const std::string& name : now_.given) {
    const auto file = std::ranges::find(given_, name, &Given::name);
    if (has_changed(":given." + name)) say(file == given_.end() ? from_ : file->from, "with");
  }
  // Where the recipe is the same, the rest of a preparation comes from the encoder's folder.
  if (!encoder_.empty() && has_same_recipe() && before_.preparation() != now_.preparation())
    say(encoder_, "with");
}

void RecipeRun::begin() {
  prepare_sets();
  claim();
  look();
  say_what_changed();
  std::error_code error;
  remove_tree(e_.run / kReplacedFolder, error);  // of a command that was killed
  if (now_.key != before_.key || r_.overwrites) {
    for (const fs::path& file : {e_.own_recipe(), e_.run / kRecordFile}) {
      if (!is_there(file)) continue;
      fs::create_directories(e_.run / kReplacedFolder, error);
      fs::copy_file(file, e_.run / kReplacedFolder / file.filename(), error);
    }
  }
  if (!has_same_recipe()) write_file(e_.own_recipe(), print_recipe(e_.recipe));
  if (before_.json() != now_.json()) write_record(e_.run, now_);
  remove_unused();
}

// What was made for this recipe of other data, or with other settings, and no run has.
void RecipeRun::remove_unused() const {
  const fs::path all = e_.prepared.parent_path();
  const std::string begin = r_.recipe.stem().string() + "-";
  constexpr std::size_t kKeyLength = 25;  // of two hashes
  std::error_code error;
  std::vector<fs::path> unused;
  for (const fs::path& folder : list_folder(all, error)) {
    const std::string name = folder.filename().string();
    const bool is_of_recipe = name.starts_with(begin) && name.size() == begin.size() + kKeyLength;
    if (is_of_recipe && folder != e_.prepared) unused.push_back(folder);
  }
  if (unused.empty()) return;
  for (const fs::path& run : list_folder(all.parent_path(), error)) {
    if (!is_there(run / kRecordFile)) continue;
    const fs::path used = all / (begin + read_record(run).prepared);
    std::erase(unused, used);
  }
  for (const fs::path& folder : unused) {
    if (const std::optional<Claim> mine = Claim::of(folder / ".lock", e_.run.string()))
      remove_tree(folder, error);
  }
}

// --- Stages ------------------------------------------------------------------------------------------------

// Above it a status is that of a program which a signal ended, as shells have it.
constexpr int kSignalled = 128;

int RecipeRun::shell_status(const std::string& text, const fs::path& messages) const {
  const Ended ended =
      Children::run({"env", "LC_ALL=C", "HEADWATER=" + (r_.is_of_make ? std::string() : r_.program),
                     "HEADWATER_MESSAGES=" + messages.string(), "bash", "-euo", "pipefail", "-c", text});
  return ended.signal != 0 ? kSignalled + ended.signal : ended.status;
}

void RecipeRun::carry_out_stage(const Stage& stage) {
  if (r_.shows_commands) r_.show(text_of(stage, Shell()));
  std::error_code error;
  for (const fs::path& output : stage.outputs) fs::create_directories(output.parent_path(), error);
  const Shell shell([this](const fs::path& file) { return draft_of(file); });
  const int status =
      shell_status(text_of(stage, shell), stage.keeps_messages ? stage.outputs.front() : fs::path());
  if (status == 0) return;
  for (const fs::path& output : stage.outputs) fs::remove(draft_of(output), error);
  if (status > kSignalled)
    r_.say("a program that makes " + stage.outputs.front().string() + " was ended by signal " +
           std::to_string(status - kSignalled));
  if (!stage.advice.empty()) r_.say(stage.advice);
  throw StageFailed("");
}

// Makes a stage of the files that runs share.
void RecipeRun::make_shared(const Stage& stage, const std::string& file) {
  if (is_made(e_.prepared, stage, shared_)) return;
  if (!file.empty() && e_.recipe.data.csv_columns.empty()) {
    const RecipeFiles& files = e_.files;
    const bool may_be_plain = file != files.train && file != files.validation && file != files.test;
    try {
      for (const std::string& note : check_lines(e_.data / file, e_.recipe.data.columns, may_be_plain))
        r_.say(note);
    } catch (const Error& error) {
      r_.say(error.what());
      throw StageFailed("");
    }
  }
  carry_out_stage(stage);
  if (!file.empty()) check_unchanged(file);
  publish(stage);
  for (const fs::path& output : stage.outputs) take_made(e_.prepared, output, shared_);
  write_record(e_.prepared, shared_);
}

bool RecipeRun::is_done(const Stage& stage) const { return is_made(e_.run, stage, now_); }

void RecipeRun::carry_out_of_run(const Stage& stage) {
  const bool has_new_input = std::ranges::any_of(
      stage.inputs, [&](const fs::path& input) { return std::ranges::find(made_, input) != made_.end(); });
  if (!has_new_input && is_done(stage)) return;
  if (stage.outputs.front() == e_.table()) {
    train(stage);
  } else {
    if (stage.outputs.front() == e_.plan()) set_aside(stage.outputs.front());
    carry_out_stage(stage);
  }
  publish(stage);
  for (const fs::path& output : stage.outputs) {
    if (!is_there(output)) continue;
    made_.push_back(output);
    take_made(e_.run, output, now_);
  }
  write_record(e_.run, now_);
}

void RecipeRun::look_at_shared() {
  shared_ = {};
  shared_.done = unchanged(e_.prepared, read_record(e_.prepared).done);
}

bool RecipeRun::is_shared_made() const {
  const auto is = [&](const Stage& stage) { return is_made(e_.prepared, stage, shared_); };
  return std::ranges::all_of(line_stages(e_), is) && std::ranges::all_of(prepared_stages(e_), is) &&
         std::ranges::all_of(given_,
                             [&](const Given& file) { return find(shared_.done, file.name) != nullptr; });
}

void RecipeRun::share_prepared() {
  const Stage labels = label_stage(e_);
  remove_drafts_below(e_.prepared);
  look_at_shared();
  if (is_shared_made() && is_done(labels)) {
    if (is_there(e_.prepared) && shared_.json() != read_record(e_.prepared).json())
      write_record(e_.prepared, shared_);
    return;
  }
  check_models_of_data();
  std::error_code error;
  fs::create_directories(e_.prepared, error);
  const std::string who = e_.run.string() + " (process " + std::to_string(::getpid()) + ")";
  const Claim mine = Claim::wait_for(e_.prepared / ".lock", who, [&](const std::string& other) {
    if (!r_.is_quiet) r_.say("waits until " + other + " has prepared the same data");
  });
  look_at_shared();  // another command may have made it
  for (const Given& file : given_) {
    const fs::path to = e_.prepared / file.name;
    if (find(shared_.done, file.name) != nullptr) continue;
    fs::create_directories(to.parent_path(), error);
    write_file(to, file.bytes);
    take_made(e_.prepared, to, shared_);
  }
  if (!e_.given.empty() && !r_.is_quiet)
    r_.say("the tokenizers are those of " + from_.string() +
           " (data.tokenizer_text: another file than data.train learns new ones)");
  const std::vector<std::string> files = e_.files.all();
  const std::vector<Stage> lines = line_stages(e_);
  for (std::size_t i = 0; i < lines.size(); ++i) make_shared(lines[i], i < files.size() ? files[i] : "");
  if (!labels.outputs.empty()) carry_out_of_run(labels);
  for (const Stage& stage : prepared_stages(e_)) make_shared(stage, "");
}

void RecipeRun::prepare() {
  begin();
  try {
    share_prepared();
  } catch (const Error&) {
    bring_back();
    throw;
  }
}

void RecipeRun::prepare_shared() {
  prepare();
  bring_back();
}

void RecipeRun::carry_out() {
  const RunStages stages = run_stages(e_);
  carry_out_of_run(stages.plan);
  if (!is_done(stages.training)) {
    // A damaged one is for training to judge.
    const bool goes_on = !r_.overwrites && is_taken(e_.model() / "checkpoints" / "latest");
    if (!goes_on && !r_.is_quiet) forecast_run(stages);
  }
  carry_out_of_run(stages.training);
  link_here(e_.prepared_files());  // what was prepared stands beside the model that is made of it
  for (const Stage& stage : stages.scores) {
    if (stage.outputs.front() == e_.hypotheses() && !is_done(stage) && !r_.is_quiet) forecast_test();
    carry_out_of_run(stage);
  }
  if (!e_.has_columns()) {
    for (const std::string& name : e_.files.all()) check_unchanged(name);
  }
  carry_out_of_run(stages.report);
  r_.show(read_file(e_.run / "report.md"));
}

bool RecipeRun::show_read_only() {
  if (!is_read_only(e_.run) || !is_finished()) return false;
  r_.show(read_file(e_.run / "report.md"));
  return true;
}

}  // namespace headwater
