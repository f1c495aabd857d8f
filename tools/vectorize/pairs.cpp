// Pairs of a corpus that a translator should learn from, without those that would teach it wrong things.
#include <array>
#include <optional>
#include <unordered_set>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/unicode/scripts.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

enum class Fault { none, columns, empty, copy, script, ratio, repeat };
struct FaultRow {
  std::string_view name, what;
};
constexpr std::array<FaultRow, 7> kFaults = {{{"", ""},
                                              {"columns", "of other than two columns"},
                                              {"empty", "with an empty side"},
                                              {"copy", "with the same text on both sides"},
                                              {"script", "in another script"},
                                              {"ratio", "with one side too long for the other"},
                                              {"repeat", "that stood before"}}};

struct Pair {
  std::string_view source, target;
};

// Nothing where the line is not two columns.
std::optional<Pair> pair_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == line.npos || line.find('\t', tab + 1) != line.npos) return std::nullopt;
  return Pair{trimmed(line.substr(0, tab)), trimmed(line.substr(tab + 1))};
}

class PairFilter {
 public:
  explicit PairFilter(const Options& o) : max_ratio_(o.max_ratio) {
    if (o.scripts.empty()) return;
    if (o.scripts.size() != 2) throw UsageError("--scripts takes two, of the source and of its translation");
    scripts_.emplace(Scripts(o.scripts[0]), Scripts(o.scripts[1]));
  }

  Fault fault_of(std::string_view line) {
    const std::optional<Pair> columns = pair_of(line);
    if (!columns) return Fault::columns;
    const Pair& pair = *columns;
    if (pair.source.empty() || pair.target.empty()) return Fault::empty;
    std::string source, target;
    append_unicode_lower(source, pair.source);
    append_unicode_lower(target, pair.target);
    if (source == target) return Fault::copy;
    if (scripts_ &&
        (scripts_->first.share(source) < kLeastShare || scripts_->second.share(target) < kLeastShare))
      return Fault::script;
    const auto characters = [](std::string_view text) {
      return static_cast<double>(count_code_points(text));
    };
    const double a = characters(source), b = characters(target);
    if (a > max_ratio_ * b || b > max_ratio_ * a) return Fault::ratio;
    // 64 bits: among a billion pairs there is a false repeat with a probability of 3 %.
    return seen_.insert(hash64(source + '\t' + target)).second ? Fault::none : Fault::repeat;
  }

 private:
  static constexpr double kLeastShare = 0.5;
  double max_ratio_;
  std::optional<std::pair<Scripts, Scripts>> scripts_;
  std::unordered_set<std::uint64_t> seen_;
};

void say(const std::array<std::int64_t, kFaults.size()>& counts, std::int64_t all) {
  cli::note("kept " + format_count(counts[0]) + " of " + counted(all, "pair"));
  for (std::size_t i = 1; i < kFaults.size(); ++i) {
    if (counts[i] > 0)
      cli::note("dropped " + counted(counts[i], "pair") + " " + std::string(kFaults[i].what) + " (" +
                std::string(kFaults[i].name) + ")");
  }
}

}  // namespace

void describe_pairs(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Pairs of a corpus (pairs)"));
  line.add_option("--max-ratio", o.max_ratio,
                  "drop pairs of which one side has more characters than the other times this")
      .between(1, 1000)
      .with_default();
  line.add_option("--scripts", o.scripts,
                  "drop pairs in which fewer than half of a side's letters are of its script or language: "
                  "`Latin,Cyrillic`, `en,ja`")
      .list(',')
      .shown_as("SOURCE,TARGET")
      .checked([](const std::string& name) { Scripts{name}; });
  line.add_option("--dropped", o.dropped, "write what was dropped to FILE, the reason as first column")
      .writes_beside("the pairs that are kept");
}

void filter_pairs(const Options& o) {
  PairFilter filter(o);
  cli::LineReaderSettings settings = o.reader;
  settings.has_columns = true;
  settings.csv_fix = "make lines of its columns first: vectorize --csv --column NAME";
  cli::LineReader reader(o.tokens, settings);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  std::array<std::int64_t, kFaults.size()> counts{};
  std::int64_t all = 0;
  const auto read = [&](const cli::TakePiece& drop) {
    for (std::string_view line; reader.next(line); ++all) {
      const Fault fault = filter.fault_of(line);
      ++counts[static_cast<std::size_t>(fault)];
      if (fault == Fault::none) {
        writer.line(line);
      } else if (drop) {
        drop(std::string(kFaults[static_cast<std::size_t>(fault)].name) + '\t' + std::string(line) + '\n');
      }
    }
    writer.flush();
  };
  if (o.dropped.empty()) {
    read(nullptr);
  } else {
    cli::write_result_file(o.dropped, read);
  }
  if (o.is_quiet) return;
  reader.note_dropped();
  say(counts, all);
}

}  // namespace headwater::vectorize
