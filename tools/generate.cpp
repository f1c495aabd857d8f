// generate: a continuation for each line of text.

#include "decoding/generate.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tools/generate/generate.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string model, compute_type, isa = "auto";
  std::vector<std::string> text, prompt_files;
  std::optional<std::int64_t> batch;
  generate::SearchOptions search;
  generate::SamplingOptions sampling;
  generate::OutputForm form;
  int threads = 0;
  bool fills_masks = false, has_start = false, allows_unknown = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
};

constexpr std::int64_t kBatch = 16, kFilledLines = 64;

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory of train, or one of its checkpoints")
      .required()
      .reads_model();
  line.add_option("text", o.text, "text, one prompt a line; - is standard input")
      .reads_lines("the text", "--prompt-file");
  line.group("Masked language models");
  line.add_flag("--fill-mask", o.fills_masks,
                "of a masked language model: write the likeliest words of each [MASK] (5, or --top-k) with "
                "their probabilities ([below](#filling-masks))");
  line.group("Output");
  line.add_flag("--echo", o.form.has_prompts, "write the prompt before its continuation");
  line.add_flag("--scores", o.form.has_scores,
                "add two columns: the continuation's log-probability, and those of its tokens, the end token "
                "too, separated by spaces");
  line.add_flag("--json", o.form.is_json, "write a JSON object a line ([below](#json))");
  line.add_flag("--stream", o.form.is_streaming,
                "write each text while it is made, one after the other, to a file or pipe too; the default "
                "to a terminal, unless --batch or --json is given")
      .goes_without("--json many", "it writes text by text");
  line.condition(
      "many", [&o] { return o.batch.value_or(1) > 1; }, "--batch above 1");
  line.add_flag("--multiline", o.form.has_line_ends,
                "let a continuation have line ends and TABs; otherwise they become spaces. To a terminal it "
                "is as with --stream");
  line.group("Speed");
  line.add_option("--batch", o.batch,
                  "continuations that are made together (16; with --fill-mask lines, 64); the text is the "
                  "same for any")
      .at_least(1);
  search::add_compute_type_option(line, o.compute_type);
  generate::describe(line, o.search);
  generate::describe(line, o.sampling, o.search);
  line.goes_without("--fill-mask",
                    "--echo --scores --stream --multiline --start --stop --repetition-penalty "
                    "--sampling --samples --temperature --top-p --min-p --seed " +
                        o.search.decoding.names(),
                    "--top-k, --allow-unknown and --json do");
  line.group("Model");
  line.add_flag(
      "--start", o.has_start,
      "put the start token before each prompt: for models whose lines were made by `vectorize --start`");
  line.add_flag("--allow-unknown", o.allows_unknown,
                "let [UNK] be generated; otherwise a known token is taken");
  line.group("Input");
  line.add_option(
          "--prompt-file", o.prompt_files,
          "this whole file (- is standard input), of at most 16 MiB, is one prompt, with its line ends but "
          "the last; end it with an empty line to end the prompt with a line end. May be given again")
      .one_value_each()
      .reads()
      .goes_without("text --csv --column --json-input", "a file is a prompt");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  cli::add_json_input_option(line, o.reader);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

// The files of prompts: lines, or whole ones.
cli::LineReaderSettings reader_of(const Options& o) {
  if (o.prompt_files.empty()) return o.reader;
  cli::LineReaderSettings whole = o.reader;
  whole.is_whole = true;
  return whole;
}

ModelFolder opened(const Options& o) {
  ModelFolder folder = open_model(o.model);
  cli::note_skipped_checkpoints(folder.skipped);
  return folder;
}

void check_start(const Options& o, const LoadedLanguageModel& model) {
  if (!o.has_start || model.tokenizer.start_id() >= 0 || model.generation.start_id) return;
  throw Error((model.files / "tokenizer.json").string() + ": has no start token (leave out --start)");
}

void note_half_read(const TruncatedLines& prompts, bool is_delimited) {
  const std::int64_t count = prompts.count();
  if (count == 0) return;
  cli::note(counted(count, "prompt") + (count == 1 ? " has" : " have") +
            " more tokens than the model reads at once; the " + (is_delimited ? "end" : "beginning") +
            " of " + (count == 1 ? "it" : "each") + " was left out" + prompts.numbers());
}

void run_fill_mask(const Options& o) {
  generate::FillSettings settings{.compute_type = o.compute_type,
                                  .allows_unknown = o.allows_unknown,
                                  .is_json = o.form.is_json,
                                  .is_quiet = o.is_quiet};
  settings.batch = o.batch.value_or(kFilledLines);
  if (o.sampling.draws.top_k) settings.top_k = *o.sampling.draws.top_k;
  const cli::LineReaderSettings lines_read = reader_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    generate::fill_masks(opened(o), o.prompt_files.empty() ? o.text : o.prompt_files, lines_read, settings);
  });
}

void run(const Options& o) {
  if (o.fills_masks) return run_fill_mask(o);
  generate::OutputForm form = o.form;
  if (!form.is_json && !o.batch && ::isatty(STDOUT_FILENO) != 0)
    form.is_streaming = form.has_line_ends = true;
  TextGeneratorSettings settings{
      .generation = {.allows_unknown = o.allows_unknown, .wants_scores = form.has_scores},
      .has_start = o.has_start};
  const cli::LineReaderSettings lines_read = reader_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    ModelFolder folder = opened(o);
    settings.generation.compute_type = search::compute_type_of(folder, o.compute_type);
    LoadedLanguageModel model = load_language_model(folder);
    model.generation = read_generation_config(folder);
    generate::set(settings, model.generation, o.search, o.sampling);
    check_start(o, model);
    TextGenerator generator(model, settings);
    const bool is_delimited = model.delimiter >= 0;
    if (is_delimited) form.separator = "\t";
    generate::Output output(form, model.tokenizer);
    cli::LineReader reader(o.prompt_files.empty() ? o.text : o.prompt_files, lines_read);
    reader.show_progress(o.is_quiet);
    const std::size_t batch = form.is_streaming ? 1 : o.batch.value_or(kBatch);
    std::uint64_t read = 0;
    reader.for_each_batch(batch, [&](const std::vector<std::string>& lines) {
      output.begin_lines(lines, read);
      read += lines.size();
      try {
        generator.continue_lines(lines, batch, output, [&](const Continuation& c) { output.write(c); });
      } catch (const LineError&) {
        output.flush();  // the lines before it
        throw;
      }
      output.flush();
    });
    if (o.is_quiet) return;
    reader.note_dropped();
    cli::note_unknown_tokens(generator.prompt_tokens());
    note_half_read(generator.truncated_lines(), is_delimited);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "generate",
       .summary = "continue each input line with a language model, or fill its gaps with a masked one",
       .examples = "echo \"this movie is\" | generate models/imdb-lm --echo\n"
                   "echo \"this movie is\" | generate models/imdb-lm --samples 5 --top-k 10 --seed 7\n"
                   "generate models/imdb-lm --max-new-tokens 200 --stop . --json < prompts.txt\n"
                   "generate models/imdb-lm --prompt-file begun.txt --echo --multiline\n"
                   "echo \"A [MASK] film.\" | generate models/bert-imdb --fill-mask --top-k 3"},
      describe, run);
}
