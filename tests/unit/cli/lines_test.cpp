#include "cli/lines.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/error.hpp"

using namespace headwater;
namespace fs = std::filesystem;

namespace {

// A folder of its own that goes away again.
struct Folder {
  Folder() {
    char name[] = "/tmp/headwater-lines-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
  fs::path path;
};

struct Read {
  std::vector<std::string> lines;
  std::string error;
  std::uint64_t crlf_lines = 0;
  bool operator==(const Read&) const = default;
};

Read read_all(std::vector<std::string> paths, cli::LineReaderSettings settings = {}) {
  Read out;
  cli::LineReader reader(std::move(paths), settings);
  try {
    for (std::string_view line; reader.next(line);) out.lines.emplace_back(line);
  } catch (const Error& error) {
    out.error = error.what();
  }
  out.crlf_lines = reader.crlf_lines();
  return out;
}

Read read_batches(std::vector<std::string> paths, std::size_t most) {
  Read out;
  cli::LineReader reader(std::move(paths));
  std::vector<std::string> batch = {"left over"};
  try {
    for (reader.next_batch(batch, most); !batch.empty(); reader.next_batch(batch, most)) {
      CHECK(batch.size() <= most);
      out.lines.insert(out.lines.end(), batch.begin(), batch.end());
    }
  } catch (const Error& error) {
    out.error = error.what();
  }
  out.crlf_lines = reader.crlf_lines();
  return out;
}

// Runs `body` with `writer` feeding a pipe that stands where standard input is.
template <class Writer, class Body>
void with_standard_input(Writer writer, Body body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::thread feeder([&] {
    writer(ends[1]);
    ::close(ends[1]);
  });
  body();
  feeder.join();
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
}

void send(int to, std::string_view bytes) {
  REQUIRE(::write(to, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

}  // namespace

TEST_CASE("what ends a line, and what does not") {
  const Folder folder;
  const auto lines = [&](const std::string& bytes) { return read_all({folder.file("x", bytes)}).lines; };
  using Lines = std::vector<std::string>;
  CHECK(lines("") == Lines{});
  CHECK(lines("\n") == Lines{""});
  CHECK(lines("\n\n") == Lines{"", ""});
  CHECK(lines("a\nb\n") == Lines{"a", "b"});
  CHECK(lines("a\nb") == Lines{"a", "b"});
  CHECK(lines("a\r\nb\r\n") == Lines{"a", "b"});
  CHECK(lines("a\rb\n") == Lines{"a\rb"});
  CHECK(lines("a\r\r\n") == Lines{"a\r"});
  CHECK(lines("a\r") == Lines{"a"});
  CHECK(lines("a\xC2\x85"
              "b\xE2\x80\xA8"
              "c\x0C"
              "d\x0B"
              "e\n") == Lines{"a\xC2\x85"
                              "b\xE2\x80\xA8"
                              "c\x0C"
                              "d\x0B"
                              "e"});
  CHECK(read_all({folder.file("x", "a\r\nb\nc\r\n")}).crlf_lines == 2);
}

TEST_CASE("records of CSV, members of JSON and whole files are texts like lines") {
  const Folder folder;
  using Lines = std::vector<std::string>;
  const cli::LineReaderSettings csv{.is_csv = true, .csv = {.columns = {"b"}}};
  const std::vector<std::string> files = {folder.file("1", "a,b\r\n1,\"x\r\ny\"\r\n"),
                                          folder.file("2", "b\n\nz")};
  CHECK(read_all(files, csv).lines == Lines{"x y", "", "z"});
  const cli::LineReaderSettings json{.refuses_tabs = true, .is_json = true};
  CHECK(read_all({folder.file("x", R"({"text":"a\n\tb"})"
                                   "\n"
                                   R"({"id":1,"text":"\u00e9"})")},
                 json)
            .lines == Lines{"a\n\tb", "é"});
  CHECK(read_all({folder.file("x", "{\"text\":\"a\"}\n\n")}, json)
            .error.ends_with("/x:2:1: an empty line (each line is an object: {\"text\": \"...\"})"));
  const cli::LineReaderSettings whole{.refuses_tabs = true, .is_whole = true};
  CHECK(read_all({folder.file("x", ""),
                  folder.file("y",
                              "\xEF\xBB\xBF"
                              "a\tb\r\nc\r\n"),
                  folder.file("z", "\n\n")},
                 whole)
            .lines == Lines{"", "a\tb\nc", "\n"});
}

TEST_CASE("the place of a record is the line it begins with, also within a batch") {
  const Folder folder;
  cli::LineReader reader({folder.file("f", "a\n\"1\n2\"\n3\n\"4\n5\"\n")}, {.is_csv = true});
  std::vector<std::string> batch;
  reader.next_batch(batch, 10);
  REQUIRE(batch == std::vector<std::string>{"1 2", "3", "4 5"});
  CHECK(reader.place(0).ends_with("/f:2"));
  CHECK(reader.place(1).ends_with("/f:4"));
  CHECK(reader.place(2).ends_with("/f:5"));
}

TEST_CASE("files one after the other; a missing line end ends with its file") {
  const Folder folder;
  const std::string a = folder.file("a", "1\n2"), b = folder.file("b", ""), c = folder.file("c", "3\n");
  cli::LineReader reader({a, b, c});
  std::string_view line;
  std::vector<std::string> places;
  while (reader.next(line)) places.push_back(reader.place() + " " + std::string(line));
  CHECK(places == std::vector<std::string>{a + ":1 1", a + ":2 2", c + ":1 3"});
  CHECK_FALSE(reader.next(line));
}

TEST_CASE("place and reason of what cannot be read") {
  const Folder folder;
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.file("x", bytes);
    std::string text = read_all({path}).error;
    REQUIRE(text.starts_with(path + ":"));
    return text.substr(path.size() + 1);
  };
  const std::string fix = " (convert it to UTF-8)";
  CHECK(error("ok\n\xC3\xA9\xC3\xA9 \xFFz\n") == "2:4: invalid UTF-8 at byte 0xff" + fix);
  CHECK(error("\xC0\xAF") == "1:1: invalid UTF-8 at byte 0xc0" + fix);                  // overlong
  CHECK(error("a\xED\xA0\x80") == "1:2: invalid UTF-8 at byte 0xed" + fix);             // surrogate
  CHECK(error("12345678\xF4\x90\x80\x80") == "1:9: invalid UTF-8 at byte 0xf4" + fix);  // beyond U+10FFFF
  CHECK(error("\xFF\xFEH\n") ==
        "1:1: invalid UTF-8 at byte 0xff (it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it)");
  CHECK(error("1234567\xE2\x82\n") == "1:8: invalid UTF-8 at byte 0xe2" + fix);  // cut short
  CHECK(error(std::string("12345678abc\0d\n", 14)) == "1:12: a NUL byte" + fix);
  CHECK_THROWS_AS(cli::LineReader({(folder.path / "none").string()}), Error);
  CHECK_THROWS_WITH(cli::LineReader({folder.path.string()}),
                    (folder.path.string() + ": is a directory (name a file)").c_str());
}

TEST_CASE("every bad byte at every place of a word is found") {
  const Folder folder;
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char bad : {'\0', '\x80', '\xFF'}) {
        std::string text(length, 'a');
        text[at] = bad;
        const std::string path = folder.file("x", text);
        CHECK(read_all({path}).error.starts_with(path + ":1:" + std::to_string(at + 1) + ":"));
      }
    }
  }
}

TEST_CASE("bad bytes may be replaced, one U+FFFD each") {
  const Folder folder;
  const std::string path = folder.file("x", std::string("a\xFF"
                                                        "b\xC3\n\0\xC3\xA9\n",
                                                        9));
  const Read read = read_all({path}, {.replace_invalid = true});
  CHECK(read.error.empty());
  CHECK(read.lines == std::vector<std::string>{"a\xEF\xBF\xBD"
                                               "b\xEF\xBF\xBD",
                                               "\xEF\xBF\xBD\xC3\xA9"});
}

TEST_CASE("lines of up to 16 MiB, across all chunks") {
  const Folder folder;
  const std::size_t most = std::size_t{1} << 24;
  const std::string longest(most, 'x');
  CHECK(read_all({folder.file("x", "a\n" + longest + "\nb\n")}).lines ==
        std::vector<std::string>{"a", longest, "b"});
  const std::string path = folder.file("y", "a\n" + longest + "x\nb\n");
  CHECK(read_all({path}).error == path + ":2: longer than 16 MiB (is this text with one example a line?)");
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3000; ++i) {
    lines.emplace_back(i * 7 % 1013, static_cast<char>('a' + i % 26));
    text += lines.back() + "\n";
  }
  CHECK(read_all({folder.file("z", text)}).lines == lines);
  CHECK(read_batches({folder.file("z", text)}, 64).lines == lines);
}

TEST_CASE("batches: never across files, good lines before the error, places of each line") {
  const Folder folder;
  const std::string a = folder.file("a", "1\n2\n3\n"), b = folder.file("b", "4\n\xFF\n5\n");
  CHECK(read_batches({a, b}, 2).lines == std::vector<std::string>{"1", "2", "3", "4"});
  CHECK(read_batches({a, b}, 2).error.starts_with(b + ":2:1: "));
  cli::LineReader reader({a});
  std::vector<std::string> batch;
  reader.next_batch(batch, 2);
  reader.next_batch(batch, 2);
  CHECK(reader.place(0) == a + ":3");
  cli::LineReader whole({a});
  whole.next_batch(batch, 10);
  CHECK(batch.size() == 3);
  CHECK(whole.place(0) == a + ":1");
  CHECK(whole.place(2) == a + ":3");
}

TEST_CASE("a batch of long lines ends at 8 MiB, so that memory stays small") {
  const Folder folder;
  const std::string long_line(std::size_t{3} << 20, 'x');
  std::string text;
  for (int i = 0; i < 4; ++i) text += long_line + "\n";
  cli::LineReader reader({folder.file("x", text)});
  std::vector<std::string> batch;
  reader.next_batch(batch, 100);
  CHECK(batch.size() == 3);
  reader.next_batch(batch, 100);
  CHECK(batch == std::vector<std::string>{long_line});
  CHECK(reader.place(0).ends_with(":4"));
}

TEST_CASE("a pipe cut at any byte gives the same lines") {
  const Folder folder;
  std::string text;
  for (int i = 0; text.size() < 4096; ++i) {
    text += std::string(i % 40, 'x') + (i % 3 == 0 ? "\xC3\xA9" : "") + (i % 5 == 0 ? "\r\n" : "\n");
  }
  text += "the end";
  const Read wanted = read_all({folder.file("x", text)});
  CHECK(wanted.lines.size() > 100);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    with_standard_input(
        [&](int to) {
          send(to, std::string_view(text).substr(0, cut));
          send(to, std::string_view(text).substr(cut));
        },
        [&] {
          if (cut % 2 == 0) {
            CHECK(read_all({}) == wanted);
          } else {
            CHECK(read_batches({"-"}, 7) == wanted);
          }
        });
  }
}

TEST_CASE("a dialogue: a batch ends where the writer waits") {
  int answer[2];
  REQUIRE(::pipe(answer) == 0);
  with_standard_input(
      [&](int to) {
        char byte = 0;
        send(to, "a\nb\npart");
        REQUIRE(::read(answer[0], &byte, 1) == 1);  // the two lines came before more was written
        send(to, "ial\n");
        REQUIRE(::read(answer[0], &byte, 1) == 1);
        send(to, "last");
      },
      [&] {
        cli::LineReader reader({});
        std::vector<std::string> batch, all;
        while (all.size() < 2) {
          reader.next_batch(batch, 100);
          all.insert(all.end(), batch.begin(), batch.end());
        }
        CHECK(all == std::vector<std::string>{"a", "b"});
        REQUIRE(::write(answer[1], "x", 1) == 1);
        reader.next_batch(batch, 100);
        CHECK(batch == std::vector<std::string>{"partial"});
        CHECK(reader.place(0) == "-:3");
        REQUIRE(::write(answer[1], "x", 1) == 1);
        reader.next_batch(batch, 100);
        CHECK(batch == std::vector<std::string>{"last"});
        reader.next_batch(batch, 100);
        CHECK(batch.empty());
      });
  ::close(answer[0]);
  ::close(answer[1]);
}

TEST_CASE("a byte-order mark is dropped at the start of each file, and nowhere else") {
  const Folder folder;
  using Lines = std::vector<std::string>;
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(
      read_all({folder.file("a", mark + "one\n" + mark + "two\n"), folder.file("b", mark + "three")}).lines ==
      Lines{"one", mark + "two", "three"});
  CHECK(read_all({folder.file("a", mark + mark + "twice\n")}).lines == Lines{mark + "twice"});
  CHECK(read_all({folder.file("a", mark)}).lines == Lines{});
  CHECK(read_all({folder.file("a", mark), folder.file("b", "text")}).lines == Lines{"text"});
  CHECK(read_all({folder.file("a", "a\n" + mark + "b\n")}).lines == Lines{"a", mark + "b"});
  CHECK(read_all({folder.file("a", mark + "\r\n")}).lines == Lines{""});
  CHECK(read_all({folder.file("a", "\xEF\xBBx\n")}).error.find(":1:1: invalid UTF-8 at byte 0xef") !=
        std::string::npos);
  with_standard_input([&](int to) { send(to, mark + "text\n"); },
                      [] { CHECK(read_all({"-"}).lines == Lines{"text"}); });
}

TEST_CASE("one column of each line") {
  const Folder folder;
  using Lines = std::vector<std::string>;
  const std::string path = folder.file("x", "a\tb\tc\r\n\t\t\nd\t\xC3\xA9\t\tmore\n");
  CHECK(read_all({path}, {.column = 1}).lines == Lines{"a", "", "d"});
  CHECK(read_all({path}, {.column = 2}).lines == Lines{"b", "", "\xC3\xA9"});
  CHECK(read_all({path}, {.column = 3, .refuses_tabs = true}).lines == Lines{"c", "", ""});
  CHECK(read_all({path}, {.column = 4}).error ==
        path + ":1: 3 columns where --column names column 4 (columns are separated by one TAB)");
  CHECK(read_all({folder.file("y", "word\n")}, {.column = 2}).error.find("y:1: 1 column where") !=
        std::string::npos);
  CHECK(
      read_all({folder.file("y", "ok\tok\nok\t\xFF\n")}, {.column = 1}).error.find("y:2:4: invalid UTF-8") !=
      std::string::npos);
}

TEST_CASE("a column is read as a file that cut -f makes of it") {
  const Folder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const std::vector<std::string> texts = {
      mark + "one\r\t" + mark + "eins\r\ntwo\r\t" + mark + "zwei\r\nthree\tdrei\n",
      mark + mark + "a\r\r\t\r\r\n", "a\t" + mark + "\r\tb\r\n\r\t\r\t\r\n", "plain\ttext\n"};
  const auto cut = [](std::string_view text, int column) {  // cut -f
    std::string out;
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      for (int i = 1; i < column; ++i) line.remove_prefix(line.find('\t') + 1);
      out += std::string(line.substr(0, line.find('\t'))) + "\n";
    }
    return out;
  };
  for (const std::string& text : texts) {
    const std::string path = folder.file("pasted", text);
    const Read first = read_all({folder.file("1", cut(text, 1))}),
               second = read_all({folder.file("2", cut(text, 2))});
    CHECK(read_all({path}, {.column = 1}).lines == first.lines);
    CHECK(read_all({path}, {.column = 2}).lines == second.lines);
    std::vector<std::string> pairs;
    for (const std::string& line : read_all({path}, {.has_columns = true}).lines)
      pairs.push_back(line.substr(0, line.find('\t', line.find('\t') + 1)));
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < first.lines.size(); ++i)
      wanted.push_back(first.lines[i] + "\t" + second.lines[i]);
    CHECK(pairs == wanted);
  }
  const std::string two = folder.file("two", texts[0]);
  CHECK(read_all({two}, {.column = 1}).crlf_lines == 2);
  CHECK(read_all({two}, {.has_columns = true}).crlf_lines == 2);
  CHECK(read_all({two}).lines.front() == "one\r\t" + mark + "eins");  // of no columns nothing is known
  CHECK(read_all({folder.file("bad", "\xFF\r\tb\n")}, {.replace_invalid = true, .has_columns = true}).lines ==
        std::vector<std::string>{"\xEF\xBF\xBD\tb"});
}

TEST_CASE("a TAB where each line is one text") {
  const Folder folder;
  const std::string path = folder.file("x", "plain\n\xC3\xA9 b\tc\n");
  const Read kept = read_all({path}), refused = read_all({path}, {.refuses_tabs = true, .tab_fix = "cut"});
  CHECK(kept.lines.size() == 2);
  CHECK(kept.error.empty());
  CHECK(refused.lines == std::vector<std::string>{"plain"});
  CHECK(refused.error == path + ":2:4: a TAB where each line is one text (cut)");
}

TEST_CASE("numbers of columns") {
  CHECK(cli::column_number("1") == 1);
  CHECK(cli::column_number("12") == 12);
  for (const char* text : {"", "0", "-1", "+1", " 1", "1 ", "1.5", "text", "99999999999999999999"})
    CHECK_FALSE(cli::column_number(text));
}
