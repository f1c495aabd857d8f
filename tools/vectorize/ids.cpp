// Ids of the tokens of each line.
#include <atomic>

#include "cli/line_filter.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

struct LineWorker {
  const Tokenizer& tokenizer;
  SpecialIds special;
  std::size_t max_length;  // special ones counted
  bool has_start, has_end;

  // Appends the ids of the line; returns whether ids were cut off. An empty line stays empty. `counts` are of
  // the tokens that were kept.
  bool operator()(std::string_view line, std::string& out, TokenCounts& counts) const {
    std::string scratch;
    std::size_t count = 0;
    const auto add = [&](std::int32_t id) {
      if (count < max_length) {
        if (count != 0) out.push_back(' ');
        append_number(out, id);
      }
      ++count;
    };
    for_each_token_of_line(line, scratch, [&](std::string_view token) {
      if (count == 0 && has_start) add(tokenizer.start_id());
      const std::int32_t id = tokenizer.id_of_token(token);
      if (count < max_length) counts.add(std::span(&id, 1), special);
      add(id);
    });
    if (count != 0 && has_end) add(tokenizer.end_id());
    return count > max_length;
  }
};

}  // namespace

Tokenizer load_tokenizer(const Options& o) {
  Tokenizer tokenizer = Tokenizer::load(o.tokenizer);
  if (!o.is_quiet) {
    for (const std::string& warning : tokenizer.warnings()) cli::note(warning);
  }
  if ((o.has_start && tokenizer.start_id() < 0) || (o.has_end && tokenizer.end_id() < 0)) {
    throw Error(o.tokenizer.string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  return tokenizer;
}

void describe_ids(cli::CommandLine& line, Options& o, ModeOptions& typed) {
  line.group("Ids of tokens (--tokenizer)");
  line.add_option("-t,--tokenizer", o.tokenizer, "the tokenizer.json that made the tokens")
      .shown_as("FILE")
      .reads();
  typed.add("--length",
            line.add_option("-l,--length", o.length, "positions of the model: longer lines are cut")
                .between(1, kMaxLength)
                .shown_as("L"),
            {Mode::ids, Mode::bags});
  const std::initializer_list<Mode> all = {Mode::ids, Mode::blocks, Mode::id_file};
  typed.add("--start", line.add_flag("--start", o.has_start, "put the id of [START] before each line"), all);
  typed.add("--end", line.add_flag("--end", o.has_end, "put the id of [END] after each line"), all);
  describe_one_text(line, o, typed);
  typed.add("--max-unknown",
            line.add_option("--max-unknown", o.max_unknown,
                            "an error where more than P percent of the tokens are unknown")
                .shown_as("P"),
            {Mode::ids, Mode::blocks, Mode::id_file, Mode::bags});
}

void resolve_ids(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  if (o.length < 1) throw UsageError("--length is missing (the model's number of positions)");
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
  const LineWorker worker{tokenizer, tokenizer.special_ids(), max_length, o.has_start, o.has_end};
  std::atomic<std::uint64_t> all_lines = 0, truncated_lines = 0;
  std::atomic<std::int64_t> tokens = 0, unknown = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    TokenCounts counts;
    truncated_lines += worker(line, out, counts) ? 1 : 0;
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
