// Lines in two files: what is learned from, and a share that is held out.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/held_out.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "text/unicode/unicode_properties.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

// A line in two: column `number`, from 1, and what stands beside it. Throws Error where it has less.
struct Parts {
  std::string_view field;
  std::string others;

  Parts(std::string_view line, std::int64_t number, std::string_view option) {
    std::size_t begin = 0;
    for (std::int64_t before = 1; before < number; ++before) {
      const std::size_t tab = line.find('\t', begin);
      if (tab == std::string_view::npos)
        throw Error(" " + counted(before, "column") + " where " + std::string(option) + " names column " +
                    std::to_string(number) + " (columns are separated by one TAB)");
      begin = tab + 1;
    }
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    field = line.substr(begin, end - begin);
    others.append(line.substr(0, begin)).append(line.substr(end));
  }
};

void write_lines(const std::vector<std::string>& lines, const std::vector<bool>& is_held_out, bool wanted,
                 const fs::path& output) {
  cli::write_result_file(output, [&](const cli::TakePiece& take) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::string piece;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_held_out[i] == wanted) (piece += lines[i]) += '\n';
      if (piece.size() < kPiece && i + 1 < lines.size()) continue;
      take(piece);
      piece.clear();
    }
  });
}

}  // namespace

void describe_split(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Lines in two files (--split)"));
  line.add_option("--split", o.split,
                  "write a share of the lines to FILE, the others to -o ([below](#splitting-lines))")
      .writes();
  line.add_option("--split-by", o.split_by, "lines with the same text in column N, from 1, stay together")
      .at_least(1)
      .goes_without("--column --csv");
  line.add_option("--validation-fraction", o.validation_fraction,
                  "the share that is held out, rounded, at least one image")
      .inside(0, 1)
      .with_default()
      .goes_with("--split --validation");
  line.add_option("--seed", o.seed, "draws which lines or images they are, or the order of tokens")
      .with_default()
      .goes_with("--split --validation --order=shuffled");
}

void split_lines(const Options& o) {
  check_outputs(o.output, o.split);
  const std::int64_t column = o.reader.column;
  cli::LineReaderSettings settings = o.reader;
  settings.column = 0;
  settings.has_columns = true;
  settings.csv_fix = "make lines of its columns first: vectorize --csv --column NAME";
  cli::LineReader reader(o.tokens, settings);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  std::vector<std::string> lines, names;
  const auto seed = static_cast<std::uint64_t>(o.seed);
  std::vector<std::uint32_t> groups;
  std::vector<std::uint64_t> keys;
  std::unordered_map<std::string, std::uint32_t> group_of;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    try {
      if (column == 0) {
        groups.push_back(0);
        keys.push_back(split_key(o.split_by > 0 ? Parts(line, o.split_by, "--split-by").field : line, seed));
        continue;
      }
      const Parts parts(line, column, "--column");
      const std::string name(trimmed(parts.field));
      keys.push_back(split_key(parts.others, seed));
      const auto [group, is_new] = group_of.emplace(name, static_cast<std::uint32_t>(names.size()));
      if (is_new) names.push_back(name);
      groups.push_back(group->second);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
  const std::string where = o.tokens.empty() ? "-" : o.tokens.front();
  if (lines.size() < 2)
    throw Error(where + ": " + counted(static_cast<std::int64_t>(lines.size()), "line") +
                ", which cannot be split");
  std::vector<bool> is_held_out(lines.size());
  const std::vector<std::uint32_t> held_out = split_by_text(keys, groups, o.validation_fraction);
  for (const std::uint32_t i : held_out) is_held_out[i] = true;
  if (held_out.empty())
    throw Error(where + ": every label has one line, of which none can be held out (is column " +
                std::to_string(column) + ", which --column names, the column of labels?)");
  // -o last: where it is there, the other file is, too.
  write_lines(lines, is_held_out, true, o.split);
  write_lines(lines, is_held_out, false, o.output);
  if (o.is_quiet) return;
  reader.note_dropped();
  const auto count = static_cast<std::int64_t>(held_out.size());
  cli::note(cli::output_name(o.output) + ": " +
            counted(static_cast<std::int64_t>(lines.size()) - count, "line"));
  cli::note(o.split.string() + ": " + counted(count, "line"));
  std::unordered_set<std::uint64_t> learned;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_held_out[i]) learned.insert(keys[i]);
  }
  const std::int64_t known = std::count_if(held_out.begin(), held_out.end(),
                                           [&](std::uint32_t i) { return learned.contains(keys[i]); });
  if (known > 0)
    cli::warn(counted(known, "text") + " of " + o.split.string() +
              (known == 1 ? " stands in " : " stand in ") + o.output.string() +
              ", too (take each text once)");
  if (column == 0) return;
  std::vector<std::int64_t> sizes(names.size());
  for (const std::uint32_t group : groups) ++sizes[group];
  std::vector<std::string> alone;
  for (std::size_t group = 0; group < names.size(); ++group) {
    if (sizes[group] == 1) alone.push_back(names[group]);
  }
  if (!alone.empty())
    cli::warn(cli::output_name(o.output) + ": has the only line of " +
              counted(static_cast<std::int64_t>(alone.size()), "label") + ": " + quoted_list(alone));
}

}  // namespace headwater::vectorize
