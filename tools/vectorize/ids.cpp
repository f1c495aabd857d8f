// Ids of the tokens of each line.
#include <algorithm>
#include <atomic>

#include "cli/line_filter.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/random.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

// Puts the tokens of line `number`, from 0, into another order. Shuffled ones are in that of Fisher-Yates
// (random_order), layer and step of the stream being the two halves of the number.
void put_in_order(const Options& o, std::uint64_t number, std::vector<std::int32_t>& ids) {
  if (o.order == TokenOrder::reversed) std::reverse(ids.begin(), ids.end());
  if (o.order != TokenOrder::shuffled) return;
  const std::vector<std::int32_t> written = ids;
  const std::vector<std::uint32_t> order = random_order({.seed = o.seed,
                                                         .purpose = Purpose::token_order,
                                                         .layer = static_cast<std::uint32_t>(number),
                                                         .step = static_cast<std::uint32_t>(number >> 32)},
                                                        ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = written[order[i]];
}

struct LineWorker {
  const Tokenizer& tokenizer;
  const Options& options;
  SpecialIds special;
  std::size_t max_length;  // special ones counted

  // Appends the ids of the line; returns whether ids were cut off. An empty line stays empty. `counts` are of
  // the tokens that were kept.
  bool operator()(std::string_view line, std::uint64_t number, std::string& out, TokenCounts& counts) const {
    std::string scratch;
    std::vector<std::int32_t> ids;
    std::size_t count = 0;  // tokens of the line
    const std::size_t first = options.has_start ? 1 : 0;
    for_each_token_of_line(line, scratch, [&](std::string_view token) {
      if (first + count < max_length) ids.push_back(tokenizer.id_of_token(token));
      ++count;
    });
    if (count == 0) return false;
    counts.add(ids, special);
    put_in_order(options, number, ids);
    if (options.has_start) ids.insert(ids.begin(), tokenizer.start_id());
    if (options.has_end && first + count < max_length) ids.push_back(tokenizer.end_id());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i != 0) out.push_back(' ');
      append_number(out, ids[i]);
    }
    return first + count + (options.has_end ? 1 : 0) > max_length;
  }
};

}  // namespace

Tokenizer load_tokenizer(const Options& o) {
  Tokenizer tokenizer = Tokenizer::load(o.tokenizer);
  for (const std::string& warning : tokenizer.warnings()) cli::warn(warning, o.is_quiet);
  if ((o.has_start && tokenizer.start_id() < 0) || (o.has_end && tokenizer.end_id() < 0)) {
    throw Error(o.tokenizer.string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  return tokenizer;
}

void describe_ids(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Ids of tokens (--tokenizer)"));
  line.add_option("-t,--tokenizer", o.tokenizer, "the `tokenizer.json` that made the tokens").reads_file();
  line.add_option("-l,--length", o.length,
                  "the model's number of positions; longer lines are truncated ([below](#id-lines))")
      .between(1, kMaxLength)
      .shown_as("L");
  line.add_flag("--start", o.has_start, "put the id of [START] before each line");
  line.add_flag("--end", o.has_end, "put the id of [END] after each line");
  line.add_option("--order", o.order,
                  "write the tokens of each line in another order, after it was truncated, to [test a "
                  "model](#another-order)");
  describe_one_text(line, o);
  line.add_option("--max-unknown", o.max_unknown,
                  "an error (status 1, after the last line) if more than P percent of the tokens are "
                  "unknown: `5`, `0.5%`; of --terms, are no term")
      .shown_as("P")
      .checked([](const std::string& text) { percent_of(text); });
}

void resolve_ids(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  check_length(o, "the model's number of positions");
}

void write_ids(const Options& o) {
  const Tokenizer tokenizer = load_tokenizer(o);
  // A target holds one id more than the model has positions: all but the last are read, all but the first
  // predicted.
  const std::size_t max_length = static_cast<std::size_t>(o.length) + (o.has_start && o.has_end ? 1 : 0);
  cli::LineReader reader(o.tokens, o.reader);
  reader.show_progress(o.is_quiet);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(tokenizer.hash(), tokenizer.vocabulary_size(), tokenizer.pad_id()));
  const LineWorker worker{tokenizer, o, tokenizer.special_ids(), max_length};
  std::atomic<std::uint64_t> all_lines = 0, truncated_lines = 0;
  std::atomic<std::int64_t> tokens = 0, unknown = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out, std::size_t number) {
    TokenCounts counts;
    truncated_lines += worker(line, number, out, counts) ? 1 : 0;
    tokens += counts.tokens;
    unknown += counts.unknown;
    ++all_lines;
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
  note_truncated(o, truncated_lines, all_lines, max_length);
  report_unknown(o, {tokens, unknown});
}

}  // namespace headwater::vectorize
