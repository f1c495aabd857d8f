// How fast texts are encoded and merges learned, for tests/bench/tokenizers.sh. Prints a line
// TASK WHO THREADS MB/S MB/CPU-SECOND IDS SUM PEAK-MIB, separated by TABs; IDS and SUM tell whether peers
// agree.
//
//   tokenizers_bench encode NAME TOKENIZER TEXT THREADS      the tokenizer is loaded before the clock starts
//   tokenizers_bench learn-bytes NAME SIZE TEXT THREADS      counting included; IDS are the merges
//   tokenizers_bench learn-metaspace NAME SIZE TEXT THREADS
//   tokenizers_bench learn-wordpiece|learn-unigram NAME SIZE TEXT THREADS    IDS are the tokens
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"
#include "text/learning/bpe_learner.hpp"
#include "text/learning/piece_counts.hpp"
#include "text/learning/subword_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/unicode/byte_level.hpp"

using namespace headwater;

namespace {

struct Amount {
  std::uint64_t ids = 0, sum = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Amount encode(const Tokenizer& tokenizer, std::string_view text) {
  constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
  std::vector<std::string_view> blocks;
  while (!text.empty()) {
    const std::size_t end = text.size() <= kBlockBytes ? text.npos : text.find('\n', kBlockBytes);
    blocks.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(blocks.back().size());
  }
  std::vector<Amount> amounts(blocks.size());
  parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t i) {
    Amount& amount = amounts[i];
    std::vector<std::int32_t> ids;
    for_each_line(blocks[i], [&](std::string_view line) {
      tokenizer.encode(line, ids);
      amount.ids += ids.size();
      for (const std::int32_t id : ids) amount.sum += static_cast<std::uint64_t>(id);
    });
  });
  Amount total;
  for (const Amount& amount : amounts) {
    total.ids += amount.ids;
    total.sum += amount.sum;
  }
  return total;
}

// Words after the space before them, which becomes U+2581.
void count_metaspace(std::string_view lines, WordTable& counts) {
  std::string word;
  for_each_line(lines, [&](std::string_view line) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      word.assign("\u2581");
      word.append(line.substr(0, end));
      ++counts.value(word);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  });
}

void count_bytes(std::string_view lines, WordTable& counts) {
  for_each_line(lines, [&](std::string_view line) {
    for_each_byte_level_piece(line, [&](std::string_view piece) { ++counts.value(piece); });
  });
}

Amount learn(bool is_byte_level, std::int64_t size, std::string_view text) {
  PieceCounter counter(is_byte_level ? count_bytes : count_metaspace);
  counter.add(text);
  BpeLearnerSettings settings;
  settings.size = size;
  settings.is_byte_level = is_byte_level;
  Amount total;
  for (const auto& [left, right] : learn_bpe(counter.finish(), settings).merges) {
    ++total.ids;
    total.sum += static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right);
  }
  return total;
}

Amount learn_tokens(std::string_view kind, std::int64_t size, std::string_view text) {
  SubwordTokenizerSettings settings;
  settings.kind = kind;
  settings.size = size;
  TokenizerLearner learner = subword_learner(settings);
  learner.add(text);
  return {.ids = static_cast<std::uint64_t>(learner.finish().vocabulary_size())};
}

Amount perform(std::string_view task, std::int64_t size, std::string_view text) {
  if (task == "learn-wordpiece") return learn_tokens("wordpiece", size, text);
  if (task == "learn-unigram") return learn_tokens("unigram", size, text);
  return learn(task == "learn-bytes", size, text);
}

void run(char** argv) {
  const std::string_view task = argv[1];
  const std::string text = read_file(argv[4]);
  std::optional<Tokenizer> tokenizer;
  if (task == "encode") tokenizer = Tokenizer::load(argv[3]);
  ThreadPool pool(std::atoi(argv[5]));
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  Amount total;
  pool.run([&] { total = tokenizer ? encode(*tokenizer, text) : perform(task, std::atoll(argv[3]), text); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double megabytes = static_cast<double>(text.size()) * 1e-6;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s\tours\t%s\t%.1f\t%.1f\t%llu\t%llu\t%ld\n", argv[2], argv[5], megabytes / seconds,
              megabytes / (cpu_seconds() - cpu), static_cast<unsigned long long>(total.ids),
              static_cast<unsigned long long>(total.sum), usage.ru_maxrss / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: tokenizers_bench TASK NAME TOKENIZER|SIZE TEXT THREADS\n", stderr);
    return 2;
  }
  try {
    run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenizers_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
