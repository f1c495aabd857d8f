// A shortlist of a translator, from the pairs that it learned from.
#include "families/translator/shortlist_learner.hpp"

#include <algorithm>

#include "checkpoint/safetensors.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/layouts/layout.hpp"
#include "families/translator/evaluation.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

namespace {

LoadedTranslator translator_of(const fs::path& path) {
  const ModelFolder folder = open_model(path);
  if (folder.layout != nullptr && !folder.own_files)
    throw UsageError("--model " + path.string() + ": is in the layout " + std::string(folder.layout->name) +
                     ", which has no shortlist (name the model that train wrote)");
  return load_translator(folder);
}

TokenDataset read_pairs(const Options& o, const LoadedTranslator& model) {
  TokenDataset pairs(
      translation_columns(model.source_tokenizer, model.target_tokenizer, model.model->length()));
  if (std::ranges::any_of(o.tokens, [](const std::string& path) { return begins_as_safetensors(path); })) {
    for (const std::string& path : o.tokens) pairs.add_file(path);
  } else {
    cli::LineReader reader(o.tokens, o.reader);
    reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
    for (std::string_view line; reader.next(line);) pairs.add_line(line, reader.place());
    if (!o.is_quiet) reader.note_dropped();
  }
  pairs.advise_on_empty_columns("--allow-empty leaves them out");
  pairs.finish(o.tokens.empty() ? "-" : o.tokens.front(), o.allows_empty);
  return pairs;
}

}  // namespace

void describe_shortlist(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Shortlists (shortlist)"));
  line.add_option("--model", o.model, "the translator whose ids these are").reads_model();
  line.add_option("--best", o.shortlist.best, "list the K likeliest translations of each source token")
      .between(1, 1e6)
      .shown_as("K")
      .with_default();
  line.add_option("--first", o.shortlist.first,
                  "list the N likeliest tokens that no source token explains, for every sentence")
      .between(0, 1e6)
      .with_default();
}

void resolve_shortlist(Options& o, const ModeOptions& /*typed*/) {
  if (o.model.empty()) throw UsageError("shortlist needs --model MODEL, the translator whose ids these are");
}

void write_shortlist(const Options& o) {
  cli::check_result_file(o.output);
  const LoadedTranslator model = translator_of(o.model);
  const TokenDataset pairs = read_pairs(o, model);
  const LearnedShortlist learned = learn_shortlist(pairs, model, o.shortlist);
  cli::write_result_file(o.output, learned.bytes);
  if (o.is_quiet) return;
  cli::note(counted(pairs.examples(), "pair") + "; there the list of a source has " +
            format_fixed(learned.tokens, 0) + " of " +
            counted(model.target_tokenizer.vocabulary_size(), "token") + ", and " +
            format_fixed(100 * learned.coverage, 2) + " % of those of its translation");
  if (learned.without_list > 0)
    cli::note(counted(learned.without_list, "source token") + (learned.without_list == 1 ? " is" : " are") +
              " too rare for a list: a sentence with one is translated with all tokens");
}

}  // namespace headwater::vectorize
