// The rows of a recipe itself, and of what it decodes and expects; families say theirs.
#include <algorithm>

#include "metrics/registry.hpp"
#include "recipe/rows.hpp"

namespace headwater::schema {

static void rows(Visitor& v, ShortlistSettings& s);

void rows(Visitor& v, DecodingSettings& s) {
  v.renamed("most_tokens", "max_new_tokens");
  v.field("max_new_tokens", &s.max_new_tokens, Between{0, 1e6, "tokens"},
          "the longest output, the end token not counted; 0, of a translator: the model's length");
  v.field("max_length_ratio", &s.max_length_ratio, Between{0, 1000, kNoUnit},
          "the longest output for each token of the source; 0: no limit");
  v.field("min_new_tokens", &s.min_new_tokens, Between{0, 1e6, "tokens"},
          "the end token is not chosen before this many others");
  v.field("no_repeat_ngram_size", &s.no_repeat_ngram_size, Between{0, 1000, "tokens"},
          "no sequence of this many tokens occurs twice in an output (Paulus et al. 2018); 0: any may");
  v.field("num_beams", &s.num_beams, Between{1, 256, "hypotheses"},
          "hypotheses that beam search keeps side by side; 1: greedy decoding, the most likely token at each "
          "step");
  const When beams{s.num_beams > 1, "greedy decoding", "num_beams above 1"};
  v.field("length_penalty", &s.length_penalty, Between{-10, 10, kNoUnit},
          "alpha: hypotheses of n tokens, the end token counted, are compared by log-probability divided by "
          "the penalty; above 0 long ones are favoured",
          beams);
  v.field("length_penalty_kind", &s.length_penalty_kind,
          {"n^alpha, as Marian and Hugging Face's library have it", "((5 + n) / 6)^alpha (Wu et al. 2016)"},
          "the penalty", beams);
  v.field("early_stopping", &s.early_stopping,
          {"when num_beams have ended and no other would be better than the worst of them if it ended "
           "now (Hugging Face: false)",
           "when no other can become better than the kept ones: exact (\"never\")",
           "as soon as num_beams have ended (true)"},
          "when the search for a sentence ends", beams);
  v.section(
      "shortlist",
      {"which tokens a translation may consist of, learned beside the model", "make recipe (vectorize)"},
      [&](Visitor& below) { rows(below, s.shortlist); });
}

void rows(Visitor& v, ShortlistSettings& s) {
  v.field(
      "best", &s.best, Between{0, 1e6, "tokens"},
      "the likeliest translations of each source token, by IBM Model 1 (Brown et al. 1993); 0: no shortlist");
  v.field("first", &s.first, Between{0, 1e6, "tokens"},
          "the likeliest tokens that no source token explains, for every sentence",
          When{s.best > 0, "without a shortlist, decoding", "shortlist.best above 0"});
}

namespace {

// What a run can be expected to reach: figures of the run itself, then of its validation, then of test data.
const OneOf& figure_words() {
  using Words = std::vector<std::pair<std::string, std::string>>;
  static const Words kWords = [] {
    Words words{{"parameters", "numbers that are learned"},
                {"training_loss", "mean loss of the last epoch's steps, with dropout at work"},
                {"training_accuracy", "of the last epoch's steps, likewise"}};
    for (const Metric* metric : all_metrics()) {
      // Perplexity says in another way what the loss says.
      const bool has_own_column = metric->column.ends_with("_" + std::string(metric->name));
      if (has_own_column)
        words.emplace_back(metric->column, metric->of == MetricOf::texts
                                               ? "of the best epoch: of its validation_translations"
                                               : "of the best epoch");
    }
    constexpr std::string_view kPadded = "over padded positions as the source counts";
    words.insert(
        words.end(),
        {{"reference_loss", "of the best epoch, " + std::string(kPadded)},
         {"reference_accuracy", "of the best epoch, " + std::string(kPadded)},
         {"training_reference_loss", "training_loss, but " + std::string(kPadded)},
         {"training_padded_loss",
          "training_loss, but over the positions of batches that are padded to their longest target"},
         {"training_padded_accuracy",
          "of the last epoch's steps, over the same positions, of which padding is never right"},
         {"best_epoch", "its number, from 1"},
         {"seconds_an_epoch", "mean time of an epoch, in seconds"},
         {"tokens_a_second", "tokens read and predicted in a second of training"},
         {"waiting_share", "share of the time of training in which steps waited for batches"}});
    for (const Metric* metric : all_metrics()) {
      if (metric->is_validated() && metric->of != MetricOf::texts)
        words.emplace_back("test_" + std::string(metric->name), "of the test data");
    }
    for (const Metric* metric : all_metrics()) {
      if (metric->is_validated() && metric->of == MetricOf::texts)
        words.emplace_back(metric->name, std::string(metric->heading) + " of the test data's translations");
    }
    return words;
  }();
  static const OneOf kFigures = [] {
    OneOf figures;
    for (const auto& [word, meaning] : kWords) figures.words.emplace_back(word, meaning);
    return figures;
  }();
  return kFigures;
}

}  // namespace

void rows(Visitor& v, Expectation& s) {
  v.field("metric", &s.metric, figure_words(), "the figure");
  v.field("value", &s.value, Between{-1e18, 1e18, kNoUnit}, "what it should be");
  v.field("tolerance", &s.tolerance, Between{0, 1e18, kNoUnit}, "how far it may be away, with compare: near");
  v.field("compare", &s.compare, {"within the tolerance", "no less", "no more"}, "how it is judged");
  v.field("source", &s.source, Text::any, "where the value is from");
}

void kind_row(Visitor& v, ModelKinds kinds, std::string& kind) {
  OneOf names;
  for (const ModelKind* known : kinds) names.words.emplace_back(known->name, known->meaning);
  v.field("kind", &kind, names, "which kind of model");
}

void rows(Visitor& v, Recipe& s) {
  v.field("name", &s.name, Text::required,
          {"name of the experiment, and of its folder", "train, make recipe"}, Follows{"the file's name"});
  v.field(
      "seed", &s.seed, Anything{},
      {"seed of everything that is drawn: first weights, the order of examples, dropout, held-out examples",
       "train, make recipe"});
  v.section("data", {"where the examples are and what they hold", kMake},
            [&](Visitor& below) { rows(below, s.data, s.model); });
  v.model("model", {"what is trained", "train, inspect"}, s.model);
  const bool has_sides = !s.model || s.model.kind().reads("target_tokenizer");
  v.field("shared_tokenizer", &s.shared_tokenizer, Anything{},
          {"one tokenizer for both sides, learned from both columns, by the keys of source_tokenizer",
           "make recipe (tokenize), train"},
          When{has_sides, "", "translators"});
  v.section_of_kinds("source_tokenizer", {"how texts become ids", "make recipe (tokenize)"}, s.model,
                     [&](Visitor& below) { rows(below, s.source_tokenizer); });
  if (!s.shared_tokenizer)
    v.section_of_kinds("target_tokenizer", {"the same for the target", "make recipe (tokenize)"}, s.model,
                       [&](Visitor& below) { rows(below, s.target_tokenizer); });
  v.section_of_kinds(
      "terms",
      {"the terms of a bag of words: n-grams of the source tokenizer's tokens", "make recipe (vectorize)"},
      s.model, [&](Visitor& below) { rows(below, s.terms); });
  v.section_of_kinds("masking",
                     {"what a masked language model reads, and which of its tokens are hidden", "train"},
                     s.model, [&](Visitor& below) { rows(below, s.masking); });
  v.section("training", {"how it is trained", "train"},
            [&](Visitor& below) { rows(below, s.training, s.model); });
  v.section_of_kinds("decoding", {"how the trained model writes", "train, translate"}, s.model,
                     [&](Visitor& below) { rows(below, s.decoding); });
  v.list("expected",
         {"what the run should reach: one line each of the table that ends it", "train, evaluate"},
         s.expected);
}

bool OneOf::has(std::string_view word) const {
  return std::any_of(words.begin(), words.end(), [&](const Word& known) { return known.word == word; });
}

std::vector<std::string_view> OneOf::names() const {
  std::vector<std::string_view> all;
  for (const Word& known : words) all.push_back(known.word);
  return all;
}

}  // namespace headwater::schema

namespace headwater {

bool is_subword_kind(std::string_view kind) { return kind != "word" && kind != "character"; }
bool keeps_size(std::string_view kind) { return kind != "subword_text_encoder"; }

std::string default_standardization(std::string_view kind) {
  return is_subword_kind(kind) ? "none" : "lower_and_strip_punctuation";
}

}  // namespace headwater
