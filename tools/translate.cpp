// translate: a translation for each line of text.

#include "decoding/translate.hpp"
#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tasks/registry.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string model, recipe, scale = "full", isa = "auto";
  std::vector<std::string> text;
  std::int64_t batch = 64, max_new_tokens = 0;
  int threads = 0;
  bool allows_unknown = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory of train, or one of its checkpoints").required();
  line.add_option("text", o.text, "text, one sentence a line; - is standard input").reads();
  line.group("Speed");
  line.add_option("--batch", o.batch, "sentences decoded together; the text is the same for any")
      .with_default();
  line.group("Model");
  line.add_option("--max-new-tokens", o.max_new_tokens,
                  "stop a translation after this many tokens; 0: the model's length")
      .with_default();
  line.add_option(
          "-r,--recipe", o.recipe,
          "take max_new_tokens from a recipe's decoding section; the command line overrides the recipe")
      .shown_as("FILE")
      .reads();
  line.add_option("--scale", o.scale, "of the recipe: full, or quick: its cut-down version").with_default();
  line.add_flag("--allow-unknown", o.allows_unknown, "let [UNK] be generated");
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_option(line, o.reader);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::int64_t max_new_tokens_of(const Options& o) {
  if (o.max_new_tokens > 0 || o.recipe.empty()) return o.max_new_tokens;
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  if (task_of(recipe.model).answer() != Answer::translation)
    throw UsageError("--recipe: " + o.recipe + " is of " + recipe.model.kind().with_article() +
                     ", which does not translate");
  return recipe.decoding.max_new_tokens;
}

void run(const Options& o) {
  cli::check_one_reads_input({{"--recipe -", o.recipe == "-"}, {"the text", cli::reads_input(o.text)}});
  if (o.batch < 1) throw UsageError("--batch is " + std::to_string(o.batch) + ", expected 1 or more");
  if (o.max_new_tokens < 0)
    throw UsageError("--max-new-tokens is " + std::to_string(o.max_new_tokens) + ", expected 0 or more");
  const std::int64_t max_new_tokens = max_new_tokens_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    const TranslationModel model = load_translation_model(o.model);
    Translator translator(model, {.allows_unknown = o.allows_unknown, .max_new_tokens = max_new_tokens});
    cli::LineReader reader(o.text, o.reader);
    reader.show_progress(o.is_quiet);
    cli::LineWriter writer;
    reader.for_each_batch(static_cast<std::size_t>(o.batch), [&](const std::vector<std::string>& lines) {
      for (const std::string& translation : translator.translate(lines)) writer.line(translation);
      writer.flush();
    });
    if (o.is_quiet) return;
    reader.note_dropped();
    cli::note_unknown_tokens(translator.source_tokens());
    cli::note_truncated_lines(translator.truncated_lines(), model.model->length());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return cli::tool_main<Options>(argc, argv,
                                 {.name = "translate",
                                  .summary = "translate each input line",
                                  .examples = "echo \"Where is the station?\" | translate models/spa-eng\n"
                                              "cut -f1 test.tsv | translate models/spa-eng > test.hyp"},
                                 describe, run);
}
