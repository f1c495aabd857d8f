#include "cli/tool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>
#include <thread>

#include "cli/last_resort.hpp"
#include "cli/message_text.hpp"
#include "cli/output.hpp"
#include "cli/program_names.hpp"
#include "cli/ranks.hpp"
#include "support/bits_version.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/run_messages.hpp"
#include "support/signals.hpp"

#ifndef HEADWATER_GIT_ID
#define HEADWATER_GIT_ID "unknown"
#endif
#ifndef HEADWATER_VERSION
#define HEADWATER_VERSION "unknown"
#endif

#if defined(__clang__)
#define HEADWATER_COMPILER "clang " __clang_version__
#else
#define HEADWATER_COMPILER "g++ " __VERSION__
#endif

namespace headwater::cli {
namespace {

// The program's name for notes; set once by tool_main before anything else runs.
std::string_view& name_of_tool() {
  static std::string_view name = ::program_invocation_short_name;  // until main() knows better
  return name;
}
// Which of the processes that mpirun started this is.
int& rank_of_tool() {
  static int rank = 0;
  return rank;
}
std::string_view& prefix_of_tools() {
  static std::string_view prefix;
  return prefix;
}

// A file opened by the program must never become its standard output: closed descriptors are occupied first.
// The mode is the wrong one on purpose, so that using them still fails.
void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      const int opened = ::open("/dev/null", descriptor == 1 ? O_RDONLY : O_WRONLY);
      if (opened > 2) ::close(opened);
    }
  }
}

std::string help_text(CommandLine& line, const ToolDescription& tool) {
  std::string out = line.name() + ": " + std::string(tool.summary) + "\n";
  const auto add = [&](std::string_view title, std::string_view lines) {
    if (lines.empty()) return;
    out.append("\n").append(title).append("\n");
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      out.append("  ").append(lines, at, end - at).append("\n");
      at = end + 1;
    }
  };
  add("Examples:", commands_with_program_prefix(tool.examples, prefix_of_tools()));
  add("Modes, the first word of a line (MODE --help shows the options of one):", tool.modes);
  out += "\n" + with_program_prefix(line.help(), prefix_of_tools());
  while (out.size() > 1 && out.ends_with("\n\n")) out.pop_back();
  return out + "\nExit status: 0 done, 1 the work failed, 2 called wrongly, 128 + n ended by signal n.\n";
}

// "path: no such file or directory" from what the standard library throws.
std::string file_error_text(const std::filesystem::filesystem_error& error) {
  std::string out;
  if (!error.path1().empty()) out += error.path1().string() + ": ";
  if (!error.path2().empty()) out += error.path2().string() + ": ";
  return out + lower_first(error.code().message());
}

// Writes to C's stdout and looks at the result of everything that went there.
void finish_standard_output(std::string_view text) {
  errno = 0;
  bool is_good = text.empty() || std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  std::cout.flush();
  is_good = std::fflush(stdout) == 0 && is_good;
  is_good = is_good && std::ferror(stdout) == 0 && std::cout.good();
  if (!is_good) throw output_error(errno);
  if (const int lost = lost_output_errno(); lost != 0) throw output_error(lost);
  const int copy = ::dup(STDOUT_FILENO);  // closing tells what a network file system could not store
  if (copy >= 0 && ::close(copy) != 0) throw output_error(errno);
}

}  // namespace

std::string version_text() {
  std::string out = std::string(tool_name()) + " " HEADWATER_VERSION "\ngit " HEADWATER_GIT_ID;
  out += "\nbits version " + std::to_string(kBitsVersion);
  out += "\nbuilt with " HEADWATER_COMPILER " for ";
#if defined(__AVX512F__)
  out += "x86-64 with AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  out += "x86-64 with AVX2 and FMA";
#elif defined(__x86_64__)
  out += "x86-64";
#elif defined(__aarch64__)
  out += "aarch64";
#else
  out += "a generic CPU";
#endif
  return out.append("\n").append(option_library()).append("\n");
}

std::string_view tool_name() { return name_of_tool(); }

int rank() { return rank_of_tool(); }

namespace {

// The beginning of the name of a file for messages, where the stages of a recipe call; "" where they do not.
std::string_view messages_of_stage() {
  const char* const name = std::getenv("HEADWATER_MESSAGES");
  return name == nullptr ? "" : name;
}

std::string for_caller(std::string text) {
  if (messages_of_stage().empty()) return text;
  const char* const front = std::getenv("HEADWATER");  // the name under which headwater was called
  return for_recipe(text, front == nullptr || *front == '\0' ? RecipeCaller::make : RecipeCaller::headwater);
}

}  // namespace

void note(std::string_view text) {
  clear_progress();
  const int rank = rank_of_tool();
  write_messages(std::string(tool_name()) + ": " + (rank > 0 ? "rank " + std::to_string(rank) + ": " : "") +
                 with_program_prefix(for_caller(with_named_input(visible(text))), prefix_of_tools()) + "\n");
}

static std::vector<std::string>& kept_warnings() {
  static std::vector<std::string> kept;
  return kept;
}

const std::vector<std::string>& warnings() { return kept_warnings(); }

void warn(std::string_view text, bool is_quiet) {
  if (!is_quiet) note(text);
  kept_warnings().emplace_back(visible(text));
}

void end_by_signal(int number) noexcept {
  remove_temporaries();
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(number);
}

namespace {

// Until mpirun has ended the other ranks, which takes it a second.
constexpr std::chrono::seconds kBehindFirstRank{3};

void do_as_told(int argc, char** argv, const ToolDescription& tool,
                const std::function<void(CommandLine&)>& describe, const std::function<void()>& run) {
  std::string text;
  CommandLine line(tool_name(), version_text());
  describe(line);
  if (const std::optional<Shell> shell = shell_to_complete(argc, argv)) {
    Completion completion = line.completion();
    for (CompletedOption& option : completion.options)
      option.help = with_program_prefix(option.help, prefix_of_tools());
    return finish_standard_output(completion_script(completion, *shell));
  }
  if (argc == 2 && argv[1] == std::string_view("--print-options"))
    return finish_standard_output(line.option_tables());
  switch (line.parse(argc, argv)) {
    case Parsed::options:
      run();
      break;
    case Parsed::help:
      text = help_text(line, tool);
      break;
    case Parsed::version:
      text = version_text();
      break;
  }
  finish_standard_output(text);
}

// Says why the program failed, and for the page of a run what it said.
void keep_messages(std::string_view failed) noexcept {
  const std::string_view name = messages_of_stage();
  if (name.empty() || rank_of_tool() > 0) return;
  try {
    const fs::path file =
        std::string(name) + "." + std::string(tool_name()) + "." + std::string(kMessagesFile);
    RunMessages messages{.failed = without_places(for_caller(std::string(failed)), "")};
    for (const std::string& warning : warnings())
      messages.warnings.push_back(without_places(for_caller(warning), ""));
    std::error_code ignored;
    if (messages.warnings.empty() && failed.empty()) {
      fs::remove(file, ignored);
    } else {
      write_file(file, messages.json());
    }
  } catch (const std::exception&) {  // the program's own work is done, or has failed, all the same
  }
}

int end_with(const std::string& why, int status = 1) {
  note(why);
  keep_messages(why);
  return status;
}

int run_tool(int argc, char** argv, const ToolDescription& tool,
             const std::function<void(CommandLine&)>& describe, const std::function<void()>& run) {
  try {
    try {
      do_as_told(argc, argv, tool, describe, run);
    } catch (...) {
      wait_if_not_first_to_fail();
      if (rank_of_tool() > 0) std::this_thread::sleep_for(kBehindFirstRank);
      throw;
    }
    keep_messages("");
    return 0;
  } catch (const SeveralErrors& errors) {
    for (const std::string& line : errors.lines()) note(line);
    keep_messages(errors.lines().front());
    return 2;
  } catch (const UsageError& error) {
    return end_with(error.what(), 2);
  } catch (const Error& error) {
    return end_with(error.what());
  } catch (const std::bad_alloc&) {
    note_out_of_memory();
    keep_messages("out of memory (use smaller batches or close other programs)");
    return 1;
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(file_error_text(error));
  } catch (const std::system_error& error) {  // of a thread that cannot be started
    return end_with(
        lower_first(error.code().message()) +
        " (out of memory or threads: close other programs, or raise the limits of ulimit -v and -u)");
  } catch (const std::exception& error) {
    return end_with(std::string("internal error: ") + on_one_line(error.what()) + " (please report this)");
  }
}

// A mapped file that another program cuts has no bytes any more where they are read, nor has one whose disk
// fails. What is not of such a file is a mistake of the program, and ends as one.
void on_bus_error(int number, siginfo_t* info, void*) noexcept {
  const char* const path = mapped_path_at(info->si_addr);
  if (path == nullptr) return end_by_signal(number);
  remove_temporaries();
  for (const std::string_view part :
       {tool_name(), std::string_view(": "), std::string_view(path),
        std::string_view(": was cut while it was read, or its disk fails (start again when it is whole)\n")})
    write_messages(part);
  ::_exit(1);
}

// A limit on the size of files is an error like a full disk. The signals that end the program, and are not
// ignored, take its temporary files along.
void set_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = end_by_signal;
    ::sigaction(number, &action, nullptr);
  }
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int tool_main(int argc, char** argv, const ToolDescription& tool,
              const std::function<void(CommandLine&)>& describe, const std::function<void()>& run) {
  // Installed as hw-train, train calls itself so, and the others hw-translate; also where a link to it leads.
  const std::string_view path = argc > 0 ? argv[0] : "", called = path.substr(path.rfind('/') + 1);
  name_of_tool() = called.ends_with(tool.name) ? called : tool.name;
  prefix_of_tools() = program_prefix(path, tool.name);
  std::array<char, 4096> file;
  const ssize_t length = ::readlink("/proc/self/exe", file.data(), file.size());
  if (prefix_of_tools().empty() && length > 0) {
    static const std::string prefix(
        program_prefix({file.data(), static_cast<std::size_t>(length)}, tool.name));
    prefix_of_tools() = prefix;
  }
  grow_stack();
  set_signals();
  rank_of_tool() = started_ranks().rank;
  occupy_standard_descriptors();
  try {
    return run_tool(argc, argv, tool, describe, run);
  } catch (...) {  // not even the memory for a message
    note_out_of_memory();
    return 1;
  }
}

void note_truncated_lines(const TruncatedLines& lines, std::int64_t length, bool is_quiet) {
  if (lines.count() == 0) return;
  warn(counted(lines.count(), "line") + " had more than " + std::to_string(length) + " tokens; the rest of " +
           (lines.count() == 1 ? "it" : "each") + " was left out" + lines.numbers(),
       is_quiet);
}

void note_skipped_checkpoints(std::span<const std::string> reasons) {
  for (const std::string& reason : reasons) note("skipped a checkpoint: " + reason);
}

std::string unknown_tokens(std::span<const ColumnTokenCounts> columns) {
  std::string text;
  for (const auto& [column, counts] : columns) {
    if (counts.unknown == 0) continue;
    text += (text.empty() ? "" : ", ") + format_count(counts.unknown) + " of " +
            counted(counts.tokens, column + (column.empty() ? "token" : " token")) + " (" +
            format_percent(counts.unknown, counts.tokens) + ") unknown";
  }
  return text;
}

void note_unknown_tokens(const TokenCounts& counts, bool is_quiet) {
  const ColumnTokenCounts column{"", counts};
  note_unknown_tokens(std::span(&column, 1), is_quiet);
}

void note_unknown_tokens(std::span<const ColumnTokenCounts> columns, bool is_quiet) {
  if (const std::string text = unknown_tokens(columns); !text.empty()) warn(text, is_quiet);
}

void add_threads_option(CommandLine& line, int& threads) {
  line.add_option("--threads", threads, "threads, 0 (default): one a processor; results do not depend on it")
      .group("Speed")
      .between(0, 1024);  // more is nothing that TBB arenas are sane for
}

void add_quiet_option(CommandLine& line, bool& is_quiet) {
  line.add_flag("-q,--quiet", is_quiet, "no messages but errors").group("Other");
}

void add_isa_option(CommandLine& line, std::string& isa) {
  line.add_option("--isa", isa, "code path of the kernels; every one gives the same bits")
      .group("Speed")
      .one_of({"auto", "avx512", "avx2", "portable"})
      .with_default();
}

}  // namespace headwater::cli
