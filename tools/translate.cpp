// translate: a translation for each line of text.

#include "decoding/translate.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/same_vocabulary.hpp"

#include <optional>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "families/registry.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tools/search/options.hpp"
#include "tools/translate/output.hpp"
#include "tools/translate/required.hpp"
#include "tools/translate/sentences.hpp"

namespace {

using namespace headwater;

struct Options {
  std::string model, recipe, scale = "full", compute_type, isa = "auto";
  std::vector<std::string> ensemble, text, keep;
  std::int64_t batch = 64;
  std::string prefix, terms;
  std::optional<std::int64_t> n_best, alignment_layer, alignment_head;
  search::DecodingOptions decoding;
  search::SamplingOptions sampling;
  int threads = 0;
  bool allows_unknown = false, wants_scores = false, wants_alignments = false, splits_sentences = false,
       ignores_shortlist = false, is_json = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model,
                  "model directory of train, one of its checkpoints, or a directory of Hugging Face's Marian "
                  "or of Marian NMT")
      .required()
      .reads_model();
  line.add_option("text", o.text, "text, one sentence a line; - is standard input").reads_lines("the text");
  line.group("Output");
  line.add_option(
          "--n-best", o.n_best,
          "write the N best translations of each line, at most as many as there are beams: three columns, "
          "the line's number from 1, score and text. An empty line has N lines, too, without score and text")
      .at_least(1);
  line.add_flag("--scores", o.wants_scores,
                "add two columns: the translation's log-probability, and those of its tokens, the end token "
                "too, separated by spaces; both are empty for an empty line");
  line.add_flag("--alignments", o.wants_alignments,
                "add a column of pairs \"0-0 2-1\" (Pharaoh's format): a source token, from 0, and the token "
                "of the translation that was made from it ([below](#sampling-prefixes-alignments))");
  line.add_option("--alignment-layer", o.alignment_layer,
                  "the decoder's layer, from 0, whose attention is read (the last)")
      .at_least(0)
      .goes_with("--alignments");
  line.add_option("--alignment-head", o.alignment_head, "its head, from 0 (the mean of all)")
      .at_least(0)
      .goes_with("--alignments");
  line.add_flag("--json", o.is_json, "write a JSON object a line ([below](#output))");
  line.group("Speed");
  line.add_option("--batch", o.batch, "sentences decoded together; the text is the same for any")
      .at_least(1)
      .with_default();
  search::add_compute_type_option(line, o.compute_type);
  line.group("Search");
  o.decoding.describe(line, [](std::string_view) { return true; });
  line.add_option("--prefix", o.prefix,
                  "a line for each line of text, which may be empty: the translation begins with it")
      .reads();
  line.add_option("--keep", o.keep,
                  "what this regular expression finds in a line stands in its translation, as it is and as "
                  "often; may be given again ([below](#placeholders-and-terms))")
      .shown_as("PATTERN")
      .one_value_each()
      .goes_without("--sampling --alignments");
  line.add_option("--terms", o.terms,
                  "a glossary, a term, a TAB and its translation a line: where a line has the term, its "
                  "translation has the term's")
      .reads()
      .goes_without("--sampling");
  describe(line, o.sampling, o.decoding, "draw each token at random by its probability", "--sampling");
  line.group("Model");
  line.add_option("--ensemble", o.ensemble,
                  "a further model with the same tokenizers: each token is chosen by the mean of the models' "
                  "log-probabilities; may be given again ([below](#ensembles))")
      .shown_as("MODEL")
      .one_value_each()
      .reads_model()
      .goes_without("--alignments", "alignments are of one model");
  line.add_option("-r,--recipe", o.recipe,
                  "search as this recipe's `decoding` section says, not as the model's "
                  "`generation_config.json`; the command line overrides the recipe")
      .reads();
  line.add_option("--scale", o.scale, "of the recipe: quick is its cut-down version")
      .offers({"full", "quick"})
      .with_default()
      .goes_with("--recipe");
  line.add_flag("--allow-unknown", o.allows_unknown,
                "let [UNK] be generated; otherwise the most likely known token is taken");
  line.add_flag("--no-shortlist", o.ignores_shortlist,
                "choose among all tokens, although the model has a [shortlist](vectorize.md#shortlists)");
  line.group("Input");
  line.add_flag("--split-sentences", o.splits_sentences,
                "translate each sentence of a line by itself, and put the translations together again")
      .goes_without("--n-best --scores --alignments --prefix");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  cli::add_json_input_option(line, o.reader);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

std::optional<DecodingSettings> decoding_of_recipe(const Options& o) {
  if (o.recipe.empty()) return std::nullopt;
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  if (family_of(recipe.model).task != Task::translation)
    throw UsageError("--recipe: " + o.recipe + " is of " + recipe.model.kind().with_article() +
                     ", which does not translate");
  return recipe.decoding;
}

// Nothing where there is no sampling. `files`: what the model says, over which the options go.
std::optional<SamplingSettings> sampling_of(const Options& o, bool has_beams, const GenerationConfig& files) {
  const search::SamplingOptions& typed = o.sampling;
  if (!typed.is_on && typed.any() && !files.samples)
    throw UsageError("--temperature, --top-k, --top-p, --min-p and --seed are read with --sampling");
  if (!typed.is_on && has_beams) return std::nullopt;
  std::optional<SamplingSettings> settings =
      typed.is_on ? sampling_settings(files) : sampling_of_files(files);
  if (settings) set(*settings, typed);
  return settings;
}

GenerationSettings settings_of(const Options& o, const LoadedTranslator& model, ComputeType compute_type,
                               const std::optional<DecodingSettings>& of_recipe) {
  GenerationSettings settings{.search = of_recipe ? *of_recipe : model.generation.decoding,
                              .n_best = o.n_best.value_or(1),
                              .allows_unknown = o.allows_unknown,
                              .wants_scores = o.wants_scores || o.n_best.has_value(),
                              .compute_type = compute_type};
  o.decoding.put_over(settings.search);
  const bool has_beams = o.decoding.has("num_beams");
  search::check_room(settings.search, o.decoding, of_recipe ? o.recipe : model.generation.file,
                     search::ModelRoom{model.max_new_tokens, model.model->length()});
  settings.sampling = sampling_of(o, has_beams, of_recipe ? GenerationConfig{} : model.generation);
  if (settings.sampling) settings.search.num_beams = 1;
  if (o.wants_alignments) settings.alignment = {o.alignment_layer, o.alignment_head};
  const std::int64_t beams = settings.search.num_beams;
  if (!o.n_best && model.generation.return_sequences > 1) {
    throw Error(model.generation.file + ": \"num_return_sequences\" is " +
                std::to_string(model.generation.return_sequences) +
                ", and a line has one translation here (give --n-best)");
  }
  if (settings.n_best > beams) {
    throw UsageError("--n-best is " + std::to_string(settings.n_best) + ", expected 1 to " +
                     std::to_string(beams) + ", the number of beams (see --num-beams)");
  }
  return settings;
}

std::vector<Translations> translate_lines(Translator& translator, const std::vector<std::string>& lines,
                                          std::span<const std::string> prefixes,
                                          const translate::Required& required) {
  std::vector<RequiredTexts> texts;
  for (std::size_t i = 0; required.any() && i < lines.size(); ++i) {
    try {
      texts.push_back(required.of(lines[i]));
    } catch (const Error& error) {
      throw LineError(i, error.what());
    }
  }
  return translator.translations(lines, prefixes, texts);
}

std::vector<Translations> translate_sentences(Translator& translator, const std::vector<std::string>& lines,
                                              const translate::Required& required) {
  const translate::SentencesOfLines of_lines(lines, required);
  try {
    return of_lines.joined(translate_lines(translator, of_lines.sentences(), {}, required));
  } catch (const LineError& error) {
    throw LineError(of_lines.line_of(error.line), error.what());
  }
}

// A model, and what products with its weights are computed in.
struct OpenedTranslator {
  ComputeType compute_type;
  LoadedTranslator model;
};

OpenedTranslator open_translator(const std::string& path, const Options& o) {
  ModelFolder folder = open_model(path);
  cli::note_skipped_checkpoints(folder.skipped);
  const ComputeType compute_type = search::compute_type_of(folder, o.compute_type);
  if (o.wants_alignments) folder.keeps_bytes = false;  // which are of float32
  return {compute_type, load_translator(folder)};
}

std::vector<OpenedTranslator> open_ensemble(const LoadedTranslator& first, const Options& o) {
  std::vector<OpenedTranslator> others;
  for (const std::string& path : o.ensemble) {
    others.push_back(open_translator(path, o));
    check_same_vocabulary(first, others.back().model);
  }
  return others;
}

void run(const Options& o) {
  const std::optional<DecodingSettings> of_recipe = decoding_of_recipe(o);
  translate::Required required(o.keep, o.terms, o.reader);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool pool(o.threads);
  pool.run([&] {
    OpenedTranslator opened = open_translator(o.model, o);
    if (o.ignores_shortlist && !opened.model.shortlist)
      throw UsageError("--no-shortlist: " + o.model + " has none (leave it out)");
    if (o.ignores_shortlist) opened.model.shortlist = nullptr;
    const LoadedTranslator& model = opened.model;
    const std::vector<OpenedTranslator> others = open_ensemble(model, o);
    std::vector<EnsembleMember> members;
    for (const OpenedTranslator& other : others) members.push_back({other.model, other.compute_type});
    Translator translator(model, settings_of(o, model, opened.compute_type, of_recipe), members);
    translate::Output output({.has_numbers = o.n_best.has_value(),
                              .has_scores = o.wants_scores,
                              .has_alignments = o.wants_alignments,
                              .is_json = o.is_json},
                             model);
    cli::LineReader reader(o.text, o.reader);
    reader.show_progress(o.is_quiet);
    std::optional<translate::Prefixes> prefixes;
    if (!o.prefix.empty()) prefixes.emplace(o.prefix, o.reader);
    TruncatedLines truncated;
    std::int64_t read = 0;
    reader.for_each_batch(o.batch, [&](const std::vector<std::string>& lines) {
      std::span<const std::string> begun;
      if (prefixes) begun = prefixes->next(reader, lines.size());
      const std::vector<Translations> translations =
          o.splits_sentences ? translate_sentences(translator, lines, required)
                             : translate_lines(translator, lines, begun, required);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        ++read;
        output.write(translations[i], lines[i]);
        const Translation& best = translations[i].front();
        if (best.is_truncated) truncated.add(read);
        if (required.any()) required.check(read, lines[i], best.text);
      }
      output.flush();
    });
    if (prefixes) prefixes->finish();
    if (o.is_quiet) return;
    reader.note_dropped();
    cli::note_unknown_tokens(translator.source_tokens());
    required.note();
    cli::note_truncated_lines(truncated, model.model->length());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "translate",
       .summary = "translate each input line",
       .examples = "echo \"Where is the station?\" | translate models/spa-eng\n"
                   "cut -f1 test.tsv | translate models/spa-eng --num-beams 4 > test.hyp\n"
                   "translate models/spa-eng --num-beams 4 --n-best 4 < sentences.txt"},
      describe, run);
}
