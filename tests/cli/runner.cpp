// Runs tests/cli/*.case against the real programs: cli_cases [--sealed DIR] BIN_DIR SCRATCH_DIR FILE.case...
// DIR has links by which they run sealed (sealed.cpp): one that opens a connection or starts a program is
// ended.
//
// A file is a list of cases:
//   === what the case shows              (after an empty line; "=== setup" runs once, the other cases of the
//   file begin with its files)
//   --- needs train translate            programs without which the case is skipped, and reported as skipped
//   --- command                          for sh, in an empty folder, with BIN_DIR, or DIR, first in PATH
//   --- file NAME | stdin | stdout | stderr [escaped] [no-newline] [glob] [any]
//   --- status                           0 where it is not given
//   --- absent                           names that must not exist afterwards, one a line
//   --- present                          names that must
// escaped: \xNN, \t, \r, \\ are bytes; no-newline: the last line has no end; glob: * in a line is any text;
// any: not compared. An option that a tool's message names must be in its --help, or in that of a tool named
// before it in the message. Standard input, output and error are empty where not given.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Section {
  std::string text;
  bool is_glob = false, is_any = false;
};

struct Case {
  std::string title, place;
  std::vector<std::string> needs;
  std::string command;
  std::vector<std::pair<std::string, std::string>> files;
  Section input, output, errors;
  int status = 0;
  std::vector<std::string> absent, present;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot open");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot write");
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string unescape(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char kind = text[++at];
    if (kind == 'x') {
      out += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
      at += 2;
    } else {
      out += kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
  }
  return out;
}

// Adds one finished section to its case.
void add_section(Case& c, const std::vector<std::string>& heading, std::string body,
                 const std::string& place) {
  if (heading.empty()) return;
  Section section;
  const std::string& kind = heading[0];
  for (std::size_t i = kind == "file" ? 2 : 1; i < heading.size() && kind != "needs"; ++i) {
    if (heading[i] == "escaped") {
      body = unescape(body);
    } else if (heading[i] == "no-newline") {
      if (!body.empty()) body.pop_back();
    } else if (heading[i] == "glob") {
      section.is_glob = true;
    } else if (heading[i] == "any") {
      section.is_any = true;
    } else {
      throw std::runtime_error(place + ": unknown word " + heading[i]);
    }
  }
  section.text = body;
  if (kind == "command") {
    c.command = body;
  } else if (kind == "needs") {
    c.needs.assign(heading.begin() + 1, heading.end());
  } else if (kind == "file" && heading.size() > 1) {
    c.files.emplace_back(heading[1], body);
  } else if (kind == "stdin") {
    c.input = section;
  } else if (kind == "stdout") {
    c.output = section;
  } else if (kind == "stderr") {
    c.errors = section;
  } else if (kind == "status") {
    c.status = std::stoi(body);
  } else if (kind == "absent") {
    c.absent = words_of(body);
  } else if (kind == "present") {
    c.present = words_of(body);
  } else {
    throw std::runtime_error(place + ": unknown section " + kind);
  }
}

std::vector<Case> parse(const fs::path& path) {
  std::vector<Case> cases;
  std::vector<std::string> heading;
  std::string body, place;
  std::istringstream lines(read(path));
  int number = 0;
  const auto finish = [&] {
    if (!cases.empty()) add_section(cases.back(), heading, body, place);
    heading.clear();
    body.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("=== ")) {
      if (body == "\n" || body.ends_with("\n\n")) body.pop_back();  // the empty line between cases
      finish();
      cases.emplace_back();
      cases.back().title = line.substr(4);
      cases.back().place = path.filename().string() + ":" + std::to_string(number);
    } else if (line.starts_with("--- ")) {
      finish();
      heading = words_of(line.substr(4));
      place = path.filename().string() + ":" + std::to_string(number);
    } else if (!heading.empty()) {
      body += line + "\n";
    } else if (!line.empty() && line[0] != '#') {
      throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": text outside a section");
    }
  }
  finish();
  return cases;
}

// Whether `text` is `pattern`, in which * stands for any text without a line end.
bool matches(std::string_view pattern, std::string_view text) {
  while (true) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') {
      for (std::size_t skip = 0; skip <= text.size(); ++skip) {
        if (matches(pattern.substr(1), text.substr(skip))) return true;
        if (skip < text.size() && text[skip] == '\n') return false;
      }
      return false;
    }
    if (text.empty() || text[0] != pattern[0]) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
}

// The status as a shell would tell it.
int run_shell(const std::string& command, const fs::path& folder, const fs::path& bin) {
  const std::string path = bin.string() + ":/usr/local/bin:/usr/bin:/bin";
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    ::setenv("PATH", path.c_str(), 1);
    ::alarm(300);
    if (::chdir(folder.c_str()) != 0 || std::freopen("../stdin", "r", stdin) == nullptr ||
        std::freopen("../stdout", "w", stdout) == nullptr ||
        std::freopen("../stderr", "w", stderr) == nullptr) {
      ::_exit(126);
    }
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Empty, or what differs.
std::string compare(const char* what, const Section& wanted, const std::string& got) {
  if (wanted.is_any) return {};
  const bool is_same = wanted.is_glob ? matches(wanted.text, got) : wanted.text == got;
  if (is_same) return {};
  return std::string(what) + " wanted:\n" + wanted.text + what + " got:\n" + got +
         (got.ends_with('\n') ? "" : "\n");
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// The --help of the tools, each asked once.
class Helps {
 public:
  explicit Helps(fs::path bin) : bin_(std::move(bin)) {}

  bool is_tool(const std::string& word) const {
    static const std::set<std::string> tools{"tokenize", "vectorize", "train",     "translate", "classify",
                                             "evaluate", "inspect",   "attn-dump", "embed",     "generate",
                                             "convert",  "report",    "headwater"};
    return tools.contains(word) && fs::exists(bin_ / word);
  }

  bool has(const std::string& tool, const std::string& option) {
    auto [at, is_new] = options_.try_emplace(tool);
    if (is_new) {
      FILE* help = ::popen(("'" + (bin_ / tool).string() + "' --help").c_str(), "r");
      if (help == nullptr) throw std::runtime_error("popen failed");
      std::string text;
      for (int c = 0; (c = std::fgetc(help)) != EOF;) text += static_cast<char>(c);
      ::pclose(help);
      for_each_option(text, [&](std::size_t, const std::string& name) { at->second.insert(name); });
    }
    return at->second.contains(option);
  }

  // f(place, "--name") for each.
  template <class F>
  static void for_each_option(const std::string& text, const F& f) {
    for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) {
      std::size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      const bool is_start = at == 0 || (!is_word_character(text[at - 1]) && text[at - 1] != '/');
      if (is_start && end > at + 2) f(at, text.substr(at, end - at));
      at = end;
    }
  }

 private:
  fs::path bin_;
  std::map<std::string, std::set<std::string>> options_;
};

// Empty, or which options the messages of tools name that do not exist: a message's own tool has the option,
// or a tool that the message names before it ("learn it with tokenize --size 5"). What the command says may
// be anything, and so may what is in quotes.
std::string wrong_options(const std::string& messages, const std::string& command, Helps& helps) {
  std::string wrong;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || !helps.is_tool(line.substr(0, colon))) continue;
    const std::string tool = line.substr(0, colon), text = line.substr(colon + 1);
    Helps::for_each_option(text, [&](std::size_t at, const std::string& option) {
      const std::string before = text.substr(0, at);
      const bool is_quoted = std::count(before.begin(), before.end(), '"') % 2 == 1;
      if (is_quoted ? !before.ends_with("did you mean \"") : command.find(option) != std::string::npos)
        return;
      std::vector<std::string> tools{tool};
      std::string word;
      for (const char c : before + " ") {
        if (is_word_character(c)) {
          word += c;
        } else {
          if (helps.is_tool(word)) tools.push_back(word);
          word.clear();
        }
      }
      const auto has = [&](const std::string& named) { return helps.has(named, option); };
      if (!std::any_of(tools.begin(), tools.end(), has))
        wrong += "no " + option + " in " + tool + " --help, but in: " + line + "\n";
    });
  }
  return wrong;
}

struct Runner {
  fs::path bin, called, scratch;  // called: where commands find the programs
  Helps helps{bin};
  int passed = 0, failed = 0, skipped = 0;

  void run_file(const fs::path& path) {
    const std::vector<Case> cases = parse(path);
    if (cases.empty()) throw std::runtime_error(path.string() + ": no cases");
    const fs::path start = scratch / path.stem() / "setup";
    fs::remove_all(scratch / path.stem());
    bool is_set_up = true;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Case& c = cases[i];
      const std::string missing = missing_program(c);
      if (!missing.empty() || !is_set_up) {
        ++skipped;
        std::cout << c.place << ": skipped: " << c.title
                  << (missing.empty() ? " (no setup)" : " (no " + missing + ")") << "\n";
        if (c.title == "setup") is_set_up = false;
        continue;
      }
      const fs::path folder = c.title == "setup" ? start : scratch / path.stem() / std::to_string(i);
      const std::string wrong = run_case(c, folder, start);
      if (!wrong.empty()) {
        ++failed;
        std::cout << c.place << ": FAILED: " << c.title << "\n$ " << c.command << wrong << "(in "
                  << folder.string() << ")\n";
        if (c.title == "setup") is_set_up = false;
      } else {
        ++passed;
        if (c.title != "setup") fs::remove_all(folder);
      }
    }
  }

  std::string missing_program(const Case& c) const {
    for (const std::string& program : c.needs) {
      if (!fs::exists(bin / program)) return program;
    }
    return {};
  }

  std::string run_case(const Case& c, const fs::path& folder, const fs::path& start) {
    const fs::path work = folder / "work";
    fs::create_directories(work);
    if (c.title != "setup" && fs::exists(start / "work")) {
      fs::copy(start / "work", work, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }
    for (const auto& [name, bytes] : c.files) write(work / name, bytes);
    write(folder / "stdin", c.input.text);
    const int status = run_shell(c.command, work, called);
    std::string wrong = compare("stdout", c.output, read(folder / "stdout")) +
                        compare("stderr", c.errors, read(folder / "stderr"));
    wrong += wrong_options(read(folder / "stderr"), c.command, helps);
    if (status != c.status)
      wrong += "status wanted " + std::to_string(c.status) + ", got " + std::to_string(status) + "\n";
    for (const std::string& name : c.absent) {
      if (fs::exists(fs::symlink_status(work / name))) wrong += name + " must not exist\n";
    }
    for (const std::string& name : c.present) {
      if (!fs::exists(work / name)) wrong += name + " must exist\n";
    }
    return wrong;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bool is_sealed = argc > 2 && std::string_view(argv[1]) == "--sealed";
  const int first = is_sealed ? 3 : 1;
  if (argc < first + 3) {
    std::cerr << "usage: cli_cases [--sealed DIR] BIN_DIR SCRATCH_DIR FILE.case...\n";
    return 2;
  }
  try {
    Runner runner{.bin = fs::absolute(argv[first]),
                  .called = fs::absolute(argv[is_sealed ? 2 : first]),
                  .scratch = fs::absolute(argv[first + 1])};
    for (int i = first + 2; i < argc; ++i) runner.run_file(argv[i]);
    std::cout << runner.passed << " passed, " << runner.failed << " failed, " << runner.skipped
              << " skipped\n";
    return runner.failed == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "cli_cases: " << error.what() << "\n";
    return 1;
  }
}
