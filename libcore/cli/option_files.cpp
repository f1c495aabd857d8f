// Options that name files: who reads standard input, who writes standard output, and that no output is an
// input.
#include <CLI/CLI.hpp>  // IWYU pragma: keep
#include <algorithm>

#include "cli/options.hpp"
#include "cli/result_file.hpp"
#include "support/error.hpp"

namespace headwater::cli {

Option& Option::reads() {
  line_->inputs_.push_back(option_->type_name("FILE"));
  return *this;
}

Option& Option::reads_file() {
  return reads().checked([](const std::string& text) {
    if (text == "-") throw Error("- is not read here (name a file)");
  });
}

Option& Option::reads_lines(std::string_view what, std::string_view unless) {
  line_->lines_ = {option_, std::string(what), std::string(unless)};
  return reads();
}

Option& Option::writes() {
  line_->outputs_.push_back(option_->type_name("FILE"));
  return *this;
}

Option& Option::writes_beside(std::string_view what) {
  return writes().checked([what](const std::string& text) {
    if (text == "-") throw Error("- is standard output, which has " + std::string(what) + " (name a file)");
  });
}

Option& Option::reads_model() {
  line_->models_.push_back(option_->type_name("MODEL"));
  return *this;
}

Option& Option::names_files() {
  line_->other_files_.push_back(option_);
  return *this;
}

namespace {

// The one option that may name "-": add() throws UsageError for a second.
class OneHolder {
 public:
  explicit OneHolder(const char* stream) : stream_(stream) {}
  void add(const std::string& who) {
    if (holder_ == who) throw UsageError(who + ": " + stream_ + " is named twice (name a file)");
    if (!holder_.empty()) throw UsageError(holder_ + ": " + stream_ + " holds " + who + " (name a file)");
    holder_ = who;
  }

 private:
  const char* stream_;
  std::string holder_;
};

void add(OneHolder& holder, const CLI::Option& option, const std::string& who) {
  for (auto times = std::ranges::count(option.results(), "-"); times > 0; --times) holder.add(who);
}

}  // namespace

void CommandLine::check_files() {
  OneHolder input("standard input"), output("standard output");
  RunFiles& files = run_files();
  files.writes("-", "");
  for (const CLI::Option* option : outputs_) {
    add(output, *option, option->get_name() + " -");
    for (const std::string& path : option->results()) files.writes(path, option->get_name());
  }
  files.reads("-");
  for (const CLI::Option* option : inputs_) {
    if (option != lines_.option) add(input, *option, option->get_name() + " -");
    for (const std::string& path : option->results()) files.reads(path);
  }
  for (const CLI::Option* model : models_)
    for (const std::string& path : model->results()) files.reads_model(path);
  if (lines_.option == nullptr) return;
  add(input, *lines_.option, lines_.what);
  const std::vector<Condition> others = conditions_of(lines_.unless);
  if (lines_.option->count() == 0 &&
      std::ranges::none_of(others, [](const auto& other) { return other.holds(); }))
    input.add(lines_.what);
}

}  // namespace headwater::cli
