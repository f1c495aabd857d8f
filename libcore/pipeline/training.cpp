// The stage of training: what goes before it, and what is done where it fails.
#include <fstream>
#include <system_error>

#include "pipeline/run.hpp"
#include "support/directories.hpp"
#include "support/run_messages.hpp"

namespace headwater {

namespace {

// What make wrote of a run, in release 0.1.0.
constexpr const char* kFilesOfMake[] = {"recipe.mk", "data.sums", "prepared.mk"};

bool ends_as_messages(const fs::path& file) {
  return file.filename().string().ends_with("." + std::string(kMessagesFile));
}

bool is_newer(const fs::path& file, fs::file_time_type than) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(file, error);
  return !error && time > than;
}

}  // namespace

// What was reported of another recipe, or of other data, goes; it comes back where train refuses to touch the
// model that it is of.
void RecipeRun::train(const Stage& stage) {
  const fs::path table = stage.outputs.front(), draft = draft_of(table);
  std::error_code error;
  set_aside(e_.run / "report.md");
  std::vector<fs::path> messages;
  for (const fs::path& file : list_folder(e_.run, error)) {
    if (ends_as_messages(file)) set_aside(file);
  }
  for_each_below(e_.prepared, [&](const fs::path& file) {
    if (ends_as_messages(file)) messages.push_back(file);
  });
  link_here(messages);
  if (r_.shows_commands) r_.show(text_of(stage, Shell()));
  std::ofstream(draft).close();
  const fs::file_time_type begin = fs::last_write_time(draft, error);
  const Shell shell([&](const fs::path& file) { return draft_of(file); });
  if (const int status = shell_status(text_of(stage, shell), table); status != 0) {
    after_failed_training(status, draft, begin);
    throw StageFailed("");
  }
  remove_tree(e_.run / kReplacedFolder, error);
  for (const char* const name : kFilesOfMake) fs::remove(e_.run / name, error);
  // Of a recipe that may have none now; one that somebody else put there stays.
  if (find(before_.done, kShortlistOfRun) != nullptr) fs::remove(e_.run / kShortlistOfRun, error);
  // Everything behind it is of another model.
  std::erase_if(now_.done, [](const KnownFile& file) {
    return file.name != "labels.checked" && file.name != "plan.txt";
  });
  now_.done.push_back(look_at_made(e_.run / kLogOfRun, kLogOfRun, nullptr));
}

// Where train refuses to touch the model that is there, all that this command has replaced comes back. The
// table of a run that diverged is shown all the same.
void RecipeRun::after_failed_training(int status, const fs::path& draft, fs::file_time_type begin) {
  std::error_code error;
  const bool has_printed = !fs::is_empty(draft, error) && !error;
  if (has_printed) static_cast<void>(shell_status(Shell().text(line("cat", draft, sh(">&2"))), {}));
  fs::remove(draft, error);
  if (is_newer(e_.model() / kMessagesFile, begin)) {
    const fs::path page = e_.run / "report.html";
    const Words report = line(e_.bin / "report", e_.run, "--html", "-o", page, sh("2> /dev/null || true"));
    static_cast<void>(shell_status(Shell().text(report), {}));
    if (is_there(page)) r_.say(page.string() + " shows how far it came");
    return;
  }
  const fs::path checkpoints = e_.model() / "checkpoints";
  bool has_saved = false;
  for_each_below(checkpoints, [&](const fs::path& file) { has_saved = has_saved || is_newer(file, begin); });
  if (status > 2 || has_printed || has_saved || !fs::is_directory(checkpoints, error)) return;
  for (const fs::path& file : list_folder(e_.run, error)) {
    if (ends_as_messages(file)) fs::remove(file, error);
  }
  bring_back();
}

}  // namespace headwater
