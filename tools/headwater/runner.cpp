// A run of a recipe, in a process of its own.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "pipeline/children.hpp"
#include "support/error.hpp"
#include "tools/headwater/runs.hpp"

namespace headwater::front {

namespace {

// Programs would take such a path for an option.
fs::path not_an_option(const fs::path& path) { return path.string().starts_with('-') ? "." / path : path; }

}  // namespace

void end_if_told() {
  try {
    Children::throw_if_told();
  } catch (const Told& told) {
    cli::end_by_signal(told.signal);
  }
}

Runner::Runner(const Options& o, House house)
    : o_(o), house_(std::move(house)), models_(not_an_option(o.models).string()) {
  while (models_.size() > 1 && models_.ends_with('/')) models_.pop_back();
}

std::string Runner::name(const Run& run) const {
  std::string name = fs::path(run.meant->recipe).filename().string();
  if (const std::size_t point = name.rfind('.'); point != name.npos) name.resize(point);
  if (run.seed && *run.seed != run.meant->own_seed) name += "-seed-" + std::to_string(*run.seed);
  if (o_.scale == "quick") name += "-quick";
  for (const Setting& setting : run.settings) {
    std::string part = "-" + setting.text();
    std::replace(part.begin(), part.end(), '=', '-');
    std::replace(part.begin(), part.end(), '/', '-');
    name += part;
  }
  return name;
}

fs::path Runner::model_of(const std::string& recipe) const {
  return recipes() / (recipe + (o_.scale == "quick" ? "-quick" : "")) / "model";
}

RunRequest Runner::request(const Run& run) const {
  RunRequest request{.typed = run.meant->recipe,
                     .recipe = not_an_option(run.meant->file),
                     .house = house_.root,
                     .bin = house_.programs,
                     .models = models_,
                     .run = folder(run),
                     .data = o_.data.empty() ? fs::path() : not_an_option(o_.data),
                     .scale = o_.scale,
                     .seed = run.seed,
                     .changes = {},
                     .threads = threads(),
                     .is_quiet = o_.is_quiet,
                     .overwrites = o_.overwrites,
                     .allows_empty = o_.allows_empty,
                     .shows_commands = !o_.is_quiet,
                     .is_of_make = house_.is_of_make,
                     .program = std::string(cli::tool_name()),
                     .say = cli::note,
                     .show = cli::write_output};
  for (const Setting& setting : run.settings) request.changes.push_back(setting.text());
  return request;
}

std::int64_t Runner::threads() const {
  if (o_.threads) return *o_.threads;
  if (o_.jobs <= 1) return 0;
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency() / static_cast<unsigned>(o_.jobs));
}

int status_of(const RunRequest& request, int (*work)(RecipeRun&)) {
  try {
    RecipeRun run(request);
    return work(run);
  } catch (const Told& told) {
    cli::end_by_signal(told.signal);
    return 128 + told.signal;
  } catch (const StageFailed&) {
    return kStageFailed;
  } catch (const SeveralErrors& errors) {
    for (const std::string& line : errors.lines()) cli::note(line);
    return 2;
  } catch (const UsageError& error) {
    cli::note(error.what());
    return 2;
  } catch (const std::exception& error) {
    cli::note(error.what());
    return 1;
  }
}

int carry_out_all(RecipeRun& run) {
  if (run.show_read_only()) return 0;
  run.prepare();
  run.carry_out();
  return 0;
}

void run_one(const Runner& runner, const Run& run) {
  const Children children;
  Children::start([&] { return status_of(runner.request(run), carry_out_all); });
  const Ended ended = Children::wait().second;
  end_if_told();
  if (ended.signal == SIGPIPE) cli::end_by_signal(SIGPIPE);
  if (ended.signal != 0) throw Error(runner.name(run) + ": ended by signal " + std::to_string(ended.signal));
  if (ended.status == kStageFailed) throw Error(runner.name(run) + ": failed; the lines above say why");
  if (ended.status != 0) std::exit(ended.status);
}

}  // namespace headwater::front
