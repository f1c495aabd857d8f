#include "text/learning/piece_counts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "text/learning/bpe_learner.hpp"

using namespace headwater;

namespace {

void count_lines(std::string_view lines, WordTable& counts) {
  for_each_line(lines, [&](std::string_view line) { ++counts.value(line); });
}

std::string written(const PieceCounts& counts) {
  std::string text;
  counts.for_each_by_bytes([&](const WordTable::Entry& entry) {
    text += entry.word();
    text += '=' + std::to_string(entry.value) + ' ';
  });
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
  PieceCounts counts = counter.finish();
  const auto entries = most_frequent(counts.table(), 2);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].word() == "b");
  CHECK(entries[1].word() == "c");
}

TEST_CASE("more pieces than memory shall hold go to files, and are the same counts in every form") {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += std::to_string(i * i % 4999) + "\n\n";
  PieceCounter in_memory(count_lines);
  in_memory.add(lines);
  PieceCounts expected = in_memory.finish();
  BpeLearnerSettings bpe;
  bpe.size = 60;
  for (const std::size_t most : {1u, 7u, 40u, 1000u, 2499u, 100000u}) {
    for (const int threads : {1, 3}) {
      ThreadPool(threads).run([&] {
        PieceCounter counter(count_lines, most);
        for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
          end = lines.find('\n', std::min(begin + 2000, lines.size() - 1)) + 1;
          counter.add(std::string_view(lines).substr(begin, end - begin));
        }
        counter.add("\u00e9", 7);
        counter.add("12", 1);
        PieceCounts counts = counter.finish();
        WordTable wanted;
        for (const WordTable::Entry& entry : expected.table().entries())
          wanted.value(entry.word()) = entry.value;
        wanted.value("\u00e9") += 7;
        wanted.value("12") += 1;
        INFO(most, " pieces in memory, ", threads, " threads");
        CHECK(counts.distinct() == wanted.size());
        CHECK(written(counts) == written(wanted));
        CHECK(learn_bpe(counts, bpe).merges == learn_bpe(wanted, bpe).merges);
        CHECK(written(counts.table()) == written(wanted));
        CHECK(written(counter.finish()).empty());
      });
    }
  }
}
