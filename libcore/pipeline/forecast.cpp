// How long training and the test will take, measured and said before they begin.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <system_error>

#include "pipeline/run.hpp"
#include "support/directories.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kManyTexts = 1000;
constexpr int kFew = 8, kMany = 72;  // texts that are timed; loading the model is in both

std::int64_t lines_of(const fs::path& file) {
  std::int64_t lines = 0;
  for_each_piece(file, [&](std::string_view piece) {
    for (const char c : piece) lines += c == '\n' ? 1 : 0;
  });
  return lines;
}

double size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : static_cast<double>(size);
}

std::string minutes_text(double minutes) {
  return minutes <= 1 ? "a minute" : format_fixed(minutes, minutes < 10 ? 1 : 0) + " minutes";
}

// What train --dry-run printed: names and numbers.
std::map<std::string, double> numbers_of(const fs::path& plan) {
  std::map<std::string, double> numbers;
  const std::string text = read_file(plan);
  for (const std::string_view row : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(row, '\t');
    if (fields.size() == 2)
      numbers[std::string(fields[0])] = std::strtod(std::string(fields[1]).c_str(), nullptr);
  }
  return numbers;
}

}  // namespace

// The milliseconds in which a model writes all texts of the test: so few and so many of them are timed,
// spread evenly over it.
double RecipeRun::milliseconds_of_texts(const fs::path& model, std::int64_t lines) const {
  const fs::path sample = draft_of("sample");
  std::array<double, 2> took{};
  for (const int wanted : {kFew, kMany}) {
    const Words texts =
        line("cut", "-f" + std::to_string(e_.field("source").value_or(1)), e_.part("test"), sh("| awk"), "-v",
             "wanted=" + std::to_string(wanted), "-v", "lines=" + std::to_string(lines),
             "int(NR * wanted / lines) > int((NR - 1) * wanted / lines)", sh(">"), sample);
    static_cast<void>(shell_status(Shell().text(texts), {}));
    const auto begin = std::chrono::steady_clock::now();
    const Words write = line(e_.writer(), "--quiet", model, e_.with_threads(), sample, sh("> /dev/null"));
    if (shell_status(Shell().text(write), {}) != 0) return 0;
    took[wanted == kMany ? 1 : 0] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
  std::error_code error;
  fs::remove(sample, error);
  const double more = took[1] - took[0];
  return more > 0 ? more * static_cast<double>(lines) / (kMany - kFew) * e_.ways() : 0;
}

// Said if that is a minute or more, or if a thousand texts are written. A text is read in no more time than a
// step takes for it. A model that has learned one step from a few examples writes until its texts are as long
// as they may be.
void RecipeRun::forecast_run(const RunStages& stages) const {
  const fs::path plan = e_.plan();
  std::error_code error;
  if (!fs::exists(plan, error) || fs::is_empty(plan, error)) return;
  bool writes = false;
  for (const Stage& stage : stages.scores) writes = writes || stage.outputs.front() == e_.hypotheses();
  const std::int64_t lines = writes ? lines_of(e_.part("test")) : 0;
  double written = 0;
  if (lines >= kManyTexts) {
    const fs::path model = draft_of("drawn"), ids = draft_of("drawn.ids");
    Words tokenizers;
    for (const std::string side : {"source", "target"}) {
      if (e_.field(side)) tokenizers = line(tokenizers, "--" + side + "-tokenizer", e_.tokenizer(side));
    }
    if (!e_.files.validation.empty()) tokenizers = line(tokenizers, "--validation", ids);
    const Words begin = line("head", "-n", "64", e_.train_files().front(), sh(">"), ids);
    const Words learn =
        line(e_.bin / "train", "--quiet", "--recipe", e_.own_recipe(), "--max-steps", "1", tokenizers,
             "--allow-empty", "-o", model, e_.with_threads(), ids, sh("> /dev/null 2>&1"));
    if (shell_status(Shell().text(begin) + "\n" + Shell().text(learn), {}) == 0)
      written = milliseconds_of_texts(model, lines);
    remove_tree(model, error);
    remove_tree(ids, error);
  }
  std::map<std::string, double> numbers = numbers_of(plan);
  if (!numbers.contains("minutes")) return;
  const bool has_test = e_.has_test();
  const fs::path test_file = e_.has_columns() ? e_.part("test") : e_.data / e_.files.test;
  const double train = size_of(e_.has_columns() ? e_.part("train") : e_.train_files().front());
  const double times = 1 + static_cast<double>(e_.recipe.data.test_orders.size());
  double test = written / 60000;
  if (has_test && train > 0)
    test += times * numbers["milliseconds_a_step"] * numbers["steps_an_epoch"] * size_of(test_file) / train /
            60000;
  const double minutes = numbers["minutes"];
  if (minutes < 1 && test < 1 && lines < kManyTexts) return;
  std::string text = "training takes about " + minutes_text(minutes) + ", without validation";
  if (has_test) text += "; the test takes at most about " + minutes_text(test);
  if (lines > 0)
    text += " (" + std::to_string(lines) + " texts are written" +
            (e_.ways() > 1 ? " " + std::to_string(e_.ways()) + " times" : "") + ")";
  r_.say(text);
}

// The same of the test by the model itself.
void RecipeRun::forecast_test() const {
  const std::int64_t lines = lines_of(e_.run / "test.sources");
  if (lines < kManyTexts) return;
  const double minutes = milliseconds_of_texts(e_.model(), lines) / 60000;
  const int ways = e_.ways();
  r_.say("the test has " + std::to_string(lines) + " texts, which are written " +
         (ways == 1 ? "once" : std::to_string(ways) + " times") + ": about " +
         format_fixed(minutes < 0.1 ? 0.1 : minutes, minutes < 10 ? 1 : 0) + " minutes");
}

}  // namespace headwater
