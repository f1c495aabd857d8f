#include "cli/tool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/output.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

#ifndef HEADWATER_GIT_ID
#define HEADWATER_GIT_ID "unknown"
#endif
#ifndef HEADWATER_VERSION
#define HEADWATER_VERSION "unknown"
#endif

namespace headwater::cli {
namespace {

// The program's name for notes; set once by tool_main before anything else runs.
std::string_view& tool_name() {
  static std::string_view name = "headwater";
  return name;
}

// What may be printed to a terminal: control characters and ill-formed bytes become \xNN, LF stays.
std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    const bool is_c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    const bool is_control = (byte < 0x20 && byte != '\n') || byte == 0x7F;
    const std::size_t taken = length == 0 ? 1 : length;
    if (length == 0 || is_c1 || is_control) {
      for (const char c : text.substr(at, taken)) {
        const unsigned char b = static_cast<unsigned char>(c);
        (out += "\\x") += {kHex[b >> 4], kHex[b & 15]};
      }
    } else {
      out += text.substr(at, taken);
    }
    at += taken;
  }
  return out;
}

// "Foo bar" of a library becomes "foo bar"; "UTF-8 ..." and "--option: ..." stay.
std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string first_line_joined(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
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

std::string version_text(const ToolDescription& tool) {
  std::string out = std::string(tool.name) + " " HEADWATER_VERSION "\ngit " HEADWATER_GIT_ID
                                             "\nbuilt with " __VERSION__ " for ";
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
  return out + "\nCLI11 " CLI11_VERSION "\n";
}

std::string help_text(const CLI::App& app, const ToolDescription& tool) {
  std::string out = std::string(tool.name) + ": " + std::string(tool.summary) + "\n";
  if (!tool.examples.empty()) {
    out += "\nExamples:\n";
    for (std::size_t at = 0; at < tool.examples.size();) {
      std::size_t end = tool.examples.find('\n', at);
      if (end == std::string_view::npos) end = tool.examples.size();
      out.append("  ").append(tool.examples.substr(at, end - at)).append("\n");
      at = end + 1;
    }
  }
  out += "\n" + app.help();
  while (out.size() > 1 && out.ends_with("\n\n")) out.pop_back();
  return out + "\nExit status: 0 done, 1 the work failed, 2 called wrongly, 128 + n ended by signal n.\n";
}

std::string unexpected_text(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.size() < 2 || word[0] != '-') return "unexpected operand " + quote(word);
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string_view typed = std::string_view(word).substr(0, word.find('='));
  const std::string_view nearest = nearest_word(typed, known);
  std::string out = "unknown option " + quote(typed);
  if (!nearest.empty()) out += "; did you mean " + quote(nearest) + "?";
  return out;
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

void note(std::string_view text) {
  const std::string shown = printable(text);
  std::string out;
  for (std::size_t at = 0; at <= shown.size();) {
    std::size_t end = shown.find('\n', at);
    if (end == std::string::npos) end = shown.size();
    out.append(tool_name()).append(": ").append(shown, at, end - at).append("\n");
    at = end + 1;
  }
  write_messages(out);
}

namespace {

// The note for bad_alloc, in memory that is there already.
void note_out_of_memory() {
  constexpr std::string_view kText = ": out of memory (use smaller batches or close other programs)\n";
  std::array<char, 128> line;
  const std::string_view name = tool_name().substr(0, line.size() - kText.size());
  std::copy(name.begin(), name.end(), line.begin());
  std::copy(kText.begin(), kText.end(), line.begin() + name.size());
  write_messages({line.data(), name.size() + kText.size()});
}

int run_tool(int argc, char** argv, const ToolDescription& tool,
             const std::function<void(CLI::App&)>& describe, const std::function<void()>& run) {
  try {
    CLI::App app("", std::string(tool.name));
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("--version", version_text(tool), "print the version");
    app.get_formatter()->column_width(34);
    describe(app);
    try {
      app.parse(argc, argv);
      run();
      finish_standard_output("");
    } catch (const CLI::CallForHelp&) {
      finish_standard_output(help_text(app, tool));
    } catch (const CLI::CallForAllHelp&) {
      finish_standard_output(help_text(app, tool));
    } catch (const CLI::CallForVersion&) {
      finish_standard_output(version_text(tool));
    } catch (const CLI::ExtrasError&) {
      throw UsageError(unexpected_text(app) + " (see " + std::string(tool.name) + " --help)");
    } catch (const CLI::ParseError& error) {
      throw UsageError(lower_first(first_line_joined(error.what())) + " (see " + std::string(tool.name) +
                       " --help)");
    }
    return 0;
  } catch (const UsageError& error) {
    note(error.what());
    return 2;
  } catch (const Error& error) {
    note(error.what());
  } catch (const std::bad_alloc&) {
    note_out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    note(file_error_text(error));
  } catch (const std::system_error& error) {  // of a thread that cannot be started
    note(lower_first(error.code().message()) +
         " (out of memory or threads: close other programs, or raise the limits of ulimit -v and -u)");
  } catch (const CLI::Error& error) {
    note(std::string("internal error in the options: ") + first_line_joined(error.what()));
  } catch (const std::exception& error) {
    note(std::string("internal error: ") + first_line_joined(error.what()) + " (please report this)");
  }
  return 1;
}

}  // namespace

int tool_main(int argc, char** argv, const ToolDescription& tool,
              const std::function<void(CLI::App&)>& describe, const std::function<void()>& run) {
  tool_name() = tool.name;
  occupy_standard_descriptors();
  try {
    return run_tool(argc, argv, tool, describe, run);
  } catch (...) {  // not even the memory for a message
    note_out_of_memory();
    return 1;
  }
}

void note_cut_lines(std::int64_t count, std::int64_t length) {
  if (count == 0) return;
  note(format_count(count) + " lines had more than " + std::to_string(length) +
       " tokens; the rest of each was left out");
}

void add_threads_option(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "worker threads; 0: one a processor. Results do not depend on it")
      ->type_name("N")
      ->capture_default_str()
      ->check([](const std::string& text) -> std::string {
        // CLI11's own range check prints bounds of its number type; and 1024 is what TBB arenas are sane for.
        const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        if (is_number && text.size() <= 4 && std::stoi(text) <= 1024) return {};
        return quote(text) + " is not a number from 0 to 1024";
      });
}

void add_quiet_option(CLI::App& app, bool& is_quiet) {
  app.add_flag("-q,--quiet", is_quiet, "no messages but errors");
}

void add_isa_option(CLI::App& app, std::string& isa) {
  app.add_option("--isa", isa, "code path of the kernels; every one gives the same bits")
      ->check(CLI::IsMember({"auto", "avx512", "avx2", "portable"}))
      ->capture_default_str();
}

}  // namespace headwater::cli
