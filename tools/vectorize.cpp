// vectorize: tokens to ids; labels to ids. Manual: tools/vectorize.md.
#include <CLI/CLI.hpp>
#include <atomic>
#include <charconv>
#include <filesystem>

#include "cli/line_filter.hpp"
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "recipe/recipe.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"
#include "text/labels.hpp"
#include "text/token_lines.hpp"
#include "text/tokenizer.hpp"

namespace headwater {
namespace {

struct Options {
  std::vector<std::string> tokens;
  fs::path tokenizer, labels, output, recipe;
  std::string learn, side = "source", scale = "full";
  std::int64_t length = 0;
  bool has_start = false, has_end = false, has_header = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

struct TypedOptions {
  CLI::Option *length = nullptr, *start = nullptr, *end = nullptr;
};

void describe(CLI::App& app, Options& o, TypedOptions& typed) {
  app.add_option("tokens", o.tokens, "token lines from tokenize; - or none: standard input")
      ->option_text("[TOKENS...]");
  app.add_option("-t,--tokenizer", o.tokenizer, "the tokenizer.json that made the tokens")
      ->option_text("FILE");
  typed.length = app.add_option("-l,--length", o.length, "positions of the model: longer lines are cut")
                     ->option_text("L");
  typed.start = app.add_flag("--start", o.has_start, "put the id of [START] before each line");
  typed.end = app.add_flag("--end", o.has_end, "put the id of [END] behind each line");
  app.add_flag("--header", o.has_header, "write a first line that names the vocabulary");
  app.add_option("--labels", o.labels, "turn lines into the ids of this label set instead")
      ->option_text("FILE");
  app.add_option("--learn", o.learn, "labels: collect a label set from the lines")->option_text("labels");
  app.add_option("-o,--output", o.output, "where the learned label set goes; - is standard output")
      ->option_text("FILE");
  app.add_option("-r,--recipe", o.recipe, "take length, start and end from a recipe")->option_text("FILE");
  app.add_option("--side", o.side, "of the recipe: source or target")->capture_default_str();
  app.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version")
      ->capture_default_str();
  app.add_flag("--replace-invalid", o.reader.replace_invalid, "turn invalid UTF-8 and NUL into U+FFFD");
  cli::add_threads_option(app, o.threads);
  cli::add_quiet_option(app, o.is_quiet);
}

// What was typed goes before the recipe.
void resolve(Options& o, const TypedOptions& typed) {
  if (o.side != "source" && o.side != "target") {
    throw UsageError("--side: unknown value " + quote(o.side) + " (source or target)");
  }
  if (!o.recipe.empty()) {
    const Recipe recipe = read_recipe(o.recipe, o.scale);
    if (typed.length->count() == 0) o.length = recipe.model.length;
    if (typed.start->count() == 0) o.has_start = o.side == "target";
    if (typed.end->count() == 0) o.has_end = o.side == "target";
  }
  const int modes = (o.tokenizer.empty() ? 0 : 1) + (o.labels.empty() ? 0 : 1) + (o.learn.empty() ? 0 : 1);
  if (modes != 1)
    throw UsageError("give one of --tokenizer FILE, --labels FILE, --learn labels (see --help)");
  if (!o.learn.empty()) {
    if (o.learn != "labels") throw UsageError("--learn: unknown kind " + quote(o.learn) + " (labels)");
    if (o.output.empty()) throw UsageError("--learn needs -o FILE for the label set");
  } else if (!o.output.empty()) {
    throw UsageError("-o goes with --learn only (ids go to standard output)");
  }
  if (!o.tokenizer.empty()) {
    if (typed.length->count() == 0 && o.recipe.empty()) {
      throw UsageError("--length is missing (the model's number of positions)");
    }
    if (o.length < 1 || o.length > 0x7FFFFFFF) {
      throw UsageError("--length: " + std::to_string(o.length) + " is not in 1 .. 2147483647");
    }
  } else if (typed.length->count() + typed.start->count() + typed.end->count() > 0) {
    throw UsageError("--length, --start and --end go with --tokenizer only");
  }
}

void note_crlf(const Options& o, const cli::LineReader& reader) {
  if (!o.is_quiet && reader.crlf_lines() > 0) {
    cli::note(std::to_string(reader.crlf_lines()) + " lines ended in CR LF; the CR was dropped");
  }
}

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

std::string header(const std::string& hash, std::int64_t size, std::int64_t pad) {
  return "#ids v1 vocab=" + hash.substr(0, 16) + " size=" + std::to_string(size) +
         " pad=" + std::to_string(pad);
}

void learn_labels(const Options& o) {
  cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  WordTable counts;
  std::string_view line;
  while (reader.next(line)) {
    if (!line.empty()) ++counts.value(line);
  }
  const LabelSet set = LabelSet::learn(counts);
  cli::write_result_file(o.output, set.to_text());
  note_crlf(o, reader);
  if (!o.is_quiet) cli::note(o.output.string() + ": " + std::to_string(set.size()) + " labels");
}

void write_label_ids(const Options& o) {
  const LabelSet set = LabelSet::load(o.labels);
  cli::LineReader reader(o.tokens, o.reader);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(set.hash(), set.size(), -1));
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    if (!line.empty()) {
      const std::int32_t id = set.find(line);
      if (id < 0) {
        throw Error(" the label " + quote(line) + " is not among the " + std::to_string(set.size()) + " of " +
                    o.labels.string());
      }
      append_number(out, id);
    }
    out.push_back('\n');
  });
  note_crlf(o, reader);
}

struct LineWorker {
  const Tokenizer& tokenizer;
  std::size_t most_ids;  // special ones counted
  bool has_start, has_end;

  // Appends the ids of the line; returns whether ids were cut off. An empty line stays empty.
  bool operator()(std::string_view line, std::string& out) const {
    std::string scratch;
    std::size_t count = 0;
    const auto add = [&](std::int32_t id) {
      if (count < most_ids) {
        if (count != 0) out.push_back(' ');
        append_number(out, id);
      }
      ++count;
    };
    for_each_token_of_line(line, scratch, [&](std::string_view token) {
      if (count == 0 && has_start) add(tokenizer.start_id());
      add(tokenizer.id_of_token(token));
    });
    if (count != 0 && has_end) add(tokenizer.end_id());
    return count > most_ids;
  }
};

void write_ids(const Options& o) {
  const Tokenizer tokenizer = Tokenizer::load(o.tokenizer);
  if (!o.is_quiet) {
    for (const std::string& warning : tokenizer.warnings()) cli::note(warning);
  }
  if ((o.has_start && tokenizer.start_id() < 0) || (o.has_end && tokenizer.end_id() < 0)) {
    throw Error(o.tokenizer.string() +
                ": has no [START] and [END] (learn it with tokenize --learn ... --start-end)");
  }
  // A target holds one id more than the model has positions: all but the last are read, all but the first
  // predicted.
  const std::size_t most_ids = static_cast<std::size_t>(o.length) + (o.has_start && o.has_end ? 1 : 0);
  cli::LineReader reader(o.tokens, o.reader);
  cli::LineWriter writer;
  if (o.has_header) writer.line(header(tokenizer.hash(), tokenizer.vocabulary_size(), tokenizer.pad_id()));
  const LineWorker worker{tokenizer, most_ids, o.has_start, o.has_end};
  std::atomic<std::uint64_t> all_lines = 0, cut_lines = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    cut_lines += worker(line, out) ? 1 : 0;
    ++all_lines;
    out.push_back('\n');
  });
  note_crlf(o, reader);
  if (!o.is_quiet && cut_lines > 0) {
    cli::note(std::to_string(cut_lines) + " of " + std::to_string(all_lines) + " lines were cut to " +
              std::to_string(most_ids) + " ids");
  }
}

void run(const Options& o) {
  if (!o.learn.empty()) {
    learn_labels(o);
  } else if (!o.labels.empty()) {
    write_label_ids(o);
  } else {
    write_ids(o);
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  Options options;
  TypedOptions typed;
  return cli::tool_main(
      argc, argv,
      {"vectorize", "turn token lines into id lines, labels into ids",
       "cut -f1 train.tsv | tokenize --tokenizer en.json | vectorize --tokenizer en.json --length 20 > "
       "en.ids\n"
       "cut -f2 train.tsv | tokenize --tokenizer es.json | vectorize --tokenizer es.json --length 20 --start "
       "--end > es.ids\n"
       "cut -f2 reviews.tsv | vectorize --learn labels -o labels.txt"},
      [&](CLI::App& app) { describe(app, options, typed); },
      [&] {
        resolve(options, typed);
        ThreadPool(options.threads).run([&] { run(options); });
      });
}
