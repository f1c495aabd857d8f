// The programs tokenize and vectorize on streams: pieces of any size, dialogues, threads, memory.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>  // IWYU pragma: keep
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/files.hpp"
#include "text/learning/tokenizer_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "unit/text/formats/model_file.hpp"

using namespace headwater;

namespace {

using Arguments = std::vector<std::string>;

// A program with pipes to its standard input and output.
class Program {
 public:
  explicit Program(const Arguments& arguments) {
    int to[2], from[2];
    REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
    const std::string path = HEADWATER_BIN_DIR "/" + arguments[0];
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      ::execv(path.c_str(), words.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    input_ = to[1];
    output_ = from[0];
  }
  ~Program() {
    end_input();
    ::close(output_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(input_, bytes.data(), bytes.size());
      REQUIRE(done > 0);
      bytes.remove_prefix(done);
    }
  }
  void end_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }
  // One line of output, or what came within ten seconds.
  std::string read_line() const {
    std::string line;
    for (char c = 0; c != '\n';) {
      pollfd waiting{output_, POLLIN, 0};
      if (::poll(&waiting, 1, 10000) <= 0 || ::read(output_, &c, 1) != 1) break;
      line.push_back(c);
    }
    return line;
  }
  std::string read_all() const {
    std::string all;
    char block[65536];
    for (ssize_t got; (got = ::read(output_, block, sizeof block)) > 0;)
      all.append(block, static_cast<std::size_t>(got));
    return all;
  }
  void skip_all() const {
    char block[65536];
    while (::read(output_, block, sizeof block) > 0) continue;
  }
  // The exit status; `peak_kilobytes` is the largest memory it ever had.
  int wait(long* peak_kilobytes = nullptr) {
    int status = 0;
    rusage usage{};
    ::wait4(process_, &status, 0, &usage);
    process_ = -1;
    if (peak_kilobytes != nullptr) *peak_kilobytes = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  int input_ = -1, output_ = -1;
};

struct Scratch {
  fs::path folder = fs::temp_directory_path() / ("headwater-tools-" + std::to_string(::getpid()));
  std::string tokenizer = (folder / "t.json").string();
  Scratch() {
    fs::create_directories(folder);
    TokenizerLearner learner({.size = 50, .has_start_end = true});
    learner.add("the red house é\nthe house\n");
    write_file(tokenizer, learner.finish().to_json());
  }
  ~Scratch() { fs::remove_all(folder); }
};

std::string run(const Arguments& arguments, std::string_view input, std::size_t first_piece,
                std::size_t piece) {
  Program program(arguments);
  program.write(input.substr(0, first_piece));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the program meets the end of the piece
  for (std::size_t at = first_piece; at < input.size(); at += piece) program.write(input.substr(at, piece));
  program.end_input();
  const std::string output = program.read_all();
  CHECK(program.wait() == 0);
  return output;
}

// Feeds copies of a text in a thread while the output is thrown away; the peak memory in kilobytes. The
// system counts what this process holds when it forks as the child's, so what is free goes back first.
[[maybe_unused]] long peak_of(const Arguments& arguments, const std::string& text, int copies) {
  ::malloc_trim(0);
  Program program(arguments);
  std::thread feeder([&] {
    for (int i = 0; i < copies; ++i) program.write(text);
    program.end_input();
  });
  program.skip_all();
  feeder.join();
  long peak = 0;
  CHECK(program.wait(&peak) == 0);
  return peak;
}

}  // namespace

TEST_CASE("tokenize and vectorize: the same bytes wherever the input is cut") {
  const Scratch scratch;
  const std::string text =
      "\xEF\xBB\xBFThe RED\xC2\xA0house.\r\n\nUnknown \xF0\x9F\x98\x80 \\ \xE2\x96\x81\n \f!\nno end, "
      "\xC3\xA9";
  const std::string tokens =
      "the red\xC2\xA0house\n\nunknown \xF0\x9F\x98\x80 \\\xE2\x96\x81\n\nno end \xC3\xA9\n";
  const Arguments tokenize = {"tokenize", "-q", "--tokenizer", scratch.tokenizer};
  const Arguments vectorize = {"vectorize", "-q", "--tokenizer", scratch.tokenizer,
                               "--length",  "9",  "--start",     "--end"};
  const std::string ids = run(vectorize, tokens, tokens.size(), 1);
  CHECK(ids == "2 4 1 3\n\n2 1 1 1 3\n\n2 1 1 6 3\n");
  for (std::size_t at = 0; at <= text.size(); ++at) REQUIRE(run(tokenize, text, at, text.size()) == tokens);
  for (std::size_t at = 0; at <= tokens.size(); ++at)
    REQUIRE(run(vectorize, tokens, at, tokens.size()) == ids);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    CHECK(run(tokenize, text, 0, piece) == tokens);
    CHECK(run(vectorize, tokens, 0, piece) == ids);
  }
}

TEST_CASE("a dialogue: each line is answered before the next is asked") {
  const Scratch scratch;
  for (const Arguments& arguments :
       {Arguments{"tokenize", "--tokenizer", scratch.tokenizer},
        Arguments{"vectorize", "--tokenizer", scratch.tokenizer, "--length", "9"}}) {
    Program program(arguments);
    for (int turn = 0; turn < 3; ++turn) {
      program.write("the house\n");
      CHECK(program.read_line() == (arguments[0] == "tokenize" ? "the house\n" : "4 5\n"));
    }
    program.end_input();
    CHECK(program.wait() == 0);
  }
}

TEST_CASE("tokenize and vectorize: the same bytes for any number of threads") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 30000; ++i)
    text += "The house No. " + std::to_string(i * 7919 % 1009) + " is " + (i % 5 == 0 ? "" : "red") + ".\n";
  write_file(scratch.folder / "text", text);
  const auto output = [&](Arguments arguments) {
    Program program(arguments);
    program.end_input();
    std::string all = program.read_all();
    CHECK(program.wait() == 0);
    return all;
  };
  std::string first_tokens, first_ids, first_json;
  for (const char* threads : {"1", "2", "3", "8"}) {
    const std::string tokens = output({"tokenize", "--threads", threads, "--tokenizer", scratch.tokenizer,
                                       (scratch.folder / "text").string()});
    write_file(scratch.folder / "tokens", tokens);
    const std::string ids = output({"vectorize", "--threads", threads, "--tokenizer", scratch.tokenizer,
                                    "--length", "4", "-q", (scratch.folder / "tokens").string()});
    output({"tokenize", "--threads", threads, "-q", "--learn", "word", "--size", "500", "-o",
            (scratch.folder / "new.json").string(), (scratch.folder / "text").string()});
    const std::string json = read_file(scratch.folder / "new.json");
    if (first_tokens.empty()) {
      first_tokens = tokens;
      first_ids = ids;
      first_json = json;
    }
    CHECK(tokens == first_tokens);
    CHECK(ids == first_ids);
    CHECK(json == first_json);
  }
  CHECK(std::count(first_tokens.begin(), first_tokens.end(), '\n') == 30000);
  CHECK(std::count(first_ids.begin(), first_ids.end(), '\n') == 30000);
}

// Not under the address sanitizer, whose shadow memory and quarantine grow with every allocation.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("memory does not grow with the input") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "the red house number " + std::to_string(i) + " is a house\n";
  std::string long_line(1 << 20, 'x');
  long_line += '\n';
  for (const Arguments& arguments :
       {Arguments{"tokenize", "-q", "--threads", "2", "--tokenizer", scratch.tokenizer},
        Arguments{"tokenize", "-q", "--threads", "2", "--tokenizer", scratch.tokenizer, "--decode"},
        Arguments{"vectorize", "-q", "--threads", "2", "--tokenizer", scratch.tokenizer, "--length", "5"}}) {
    const long little = peak_of(arguments, text, 4), much = peak_of(arguments, text, 64);
    INFO(arguments[0], ": ", little, " kB for 3 MB, ", much, " kB for 50 MB");
    CHECK(much < little + 8192);
    CHECK(peak_of(arguments, long_line, 64) < 65536);
  }
}

TEST_CASE("a .model takes memory as its bytes") {
  const Scratch scratch;
  const auto peak = [&](unsigned algorithm, std::size_t longest) {
    std::string bytes = piece_field("<unk>", 0, SentencePieceFile::Type::unknown);
    for (std::size_t length = 1; length <= longest; ++length)
      bytes += piece_field(std::string(length, 'a'), -static_cast<float>(length));
    bytes += block_field(2, number_field(3, algorithm));
    const std::string file = (scratch.folder / "bomb.model").string();
    write_file(file, bytes);
    return std::pair(peak_of({"tokenize", "-q", "-t", file}, "aaa\n", 1), bytes.size());
  };
  for (const unsigned algorithm : {1u, 2u}) {
    const auto [little, few_bytes] = peak(algorithm, 1);
    const auto [much, bytes] = peak(algorithm, 1000);
    INFO(little, " kB for ", few_bytes, " bytes, ", much, " kB for ", bytes);
    CHECK(much - little < static_cast<long>(16 * bytes / 1024 + 1024));
  }
}

// Letters of a fixed random order.
std::string random_letters(std::size_t count, unsigned letters) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    text.push_back(static_cast<char>('a' + (state >> 24) % letters));
  }
  return text;
}

TEST_CASE("learning takes memory as the text, whatever pieces and n-grams it has") {
  const Scratch scratch;
  const std::string model = (scratch.folder / "learned").string();
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  const std::string word = random_letters(kBytes, 26) + "\n";
  std::string words = random_letters(kBytes, 26);
  for (std::size_t i = 5; i < words.size(); i += 6) words[i] = ' ';
  words.push_back('\n');
  for (const auto& [arguments, text] :
       {std::pair{Arguments{"tokenize", "-q", "--learn", "unigram", "--size", "2000", "-o", model}, word},
        {Arguments{"tokenize", "-q", "--learn", "subword_text_encoder", "-o", model}, word},
        {Arguments{"vectorize", "-q", "--learn", "ngrams", "--ngrams", "100", "-o", model}, words}}) {
    const long little = peak_of(arguments, text.substr(0, kBytes / 16) + "\n", 1),
               much = peak_of(arguments, text, 1);
    INFO(arguments[0], ": ", little, " kB for 64 KiB, ", much, " kB for 1 MiB");
    CHECK(much < 65536);
  }
}

TEST_CASE("learning takes at most 16 times the bytes of a line without a boundary") {
  const Scratch scratch;
  const std::string model = (scratch.folder / "learned").string();
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  for (const char* kind : {"wordpiece", "bpe", "byte_bpe"}) {
    const Arguments arguments{"tokenize", "-q", "--learn", kind, "--size", "1000", "-o", model};
    const long little = peak_of(arguments, "a b\n", 1);
    for (const char c : {'a', ' ', '.'}) {
      std::string line(kBytes, c);
      line.append("a\n");
      const long much = peak_of(arguments, line, 1);
      INFO(kind, ": ", little, " kB for 4 bytes, ", much, " kB for 4 MiB of '", std::string(1, c), "'");
      CHECK(much - little < static_cast<long>(16 * kBytes / 1024));
    }
  }
}

TEST_CASE("10,000 labels take memory as their lines") {
  const Scratch scratch;
  std::string labels;
  for (int i = 0; i < 10000; ++i) labels += "label" + std::to_string(i) + "\n";
  const std::string file = (scratch.folder / "labels").string();
  write_file(file, labels);
  const Arguments arguments = {"evaluate", "--labels", file, "--predictions", "-"};
  CHECK(peak_of(arguments, labels, 1) < 65536);
  Arguments json = arguments;
  json.insert(json.end(), {"--json", "--confusion", (scratch.folder / "matrix.csv").string()});
  CHECK(peak_of(json, labels, 1) < 65536);
}
#endif
