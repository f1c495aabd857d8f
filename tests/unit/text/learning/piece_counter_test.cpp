#include "text/learning/piece_counter.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/error.hpp"
#include "support/parallel.hpp"

using namespace headwater;

namespace {

void count_lines(std::string_view lines, WordTable& counts) {
  for_each_line(lines, [&](std::string_view line) { ++counts.value(line); });
}

std::string written(const WordTable& counts) {
  std::string text;
  for (const WordTable::Entry& entry : by_bytes(counts)) {
    text += entry.word();
    text += '=' + std::to_string(entry.value) + ' ';
  }
  return text;
}

}  // namespace

TEST_CASE("for_each_line: the last line needs no end, and empty ones count") {
  std::string seen;
  for_each_line("a\n\nb", [&](std::string_view line) { (seen += line) += '|'; });
  CHECK(seen == "a||b|");
}

TEST_CASE("pieces counted in any order, blocks and threads are the same counts") {
  std::string lines, backwards;
  for (int i = 0; i < 100000; ++i) {
    lines += std::to_string(i % 997) + '\n';
    backwards += std::to_string((99999 - i) % 997) + '\n';
  }
  PieceCounter at_once(count_lines);
  at_once.add(lines);
  const std::string expected = written(at_once.finish());
  CHECK(expected.starts_with("0=101 1=101 10=101 "));
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool(threads).run([&] {
      PieceCounter counter(count_lines);
      const std::size_t middle = backwards.find('\n', backwards.size() / 3) + 1;
      counter.add(std::string_view(backwards).substr(0, middle));
      counter.add(std::string_view(backwards).substr(middle));
      CHECK(written(counter.finish()) == expected);
    });
  }
}

TEST_CASE("pieces counted elsewhere are added") {
  PieceCounter counter(count_lines);
  counter.add("a\nb\na\n");
  counter.add("b", 5);
  CHECK(written(counter.finish()) == "a=2 b=6 ");
  CHECK(written(counter.finish()).empty());
}

TEST_CASE("an error while counting comes out of add") {
  PieceCounter counter([](std::string_view, WordTable&) { throw Error("no"); });
  CHECK_THROWS_AS(counter.add("a\n"), Error);
}

TEST_CASE("most_frequent: counts descending, ties by bytes descending") {
  PieceCounter counter(count_lines);
  counter.add("a\nb\nc\nb\n");
  const WordTable counts = counter.finish();
  const auto entries = most_frequent(counts, 2);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].word() == "b");
  CHECK(entries[1].word() == "c");
}
