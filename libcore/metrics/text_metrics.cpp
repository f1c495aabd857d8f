#include "metrics/text_metrics.hpp"

#include <algorithm>

#include "metrics/word_alignment.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

Score bleu_of(ScoredTexts& texts) {
  const BleuSettings& settings = texts.settings().bleu;
  const BleuScore score = corpus_bleu(texts.hypotheses(), texts.references(), settings);
  const std::string signature = bleu_signature(settings, texts.references().size());
  Json::Array precisions, counts, totals;
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    precisions.emplace_back(score.precisions[n]);
    counts.emplace_back(score.counts[n]);
    totals.emplace_back(score.totals[n]);
  }
  return {score.score,
          {bleu_details(score), signature},
          {{"precisions", precisions},
           {"counts", counts},
           {"totals", totals},
           {"brevity_penalty", score.brevity_penalty},
           {"hypothesis_length", score.hypothesis_length},
           {"reference_length", score.reference_length},
           {"signature", signature}},
          "BLEU"};
}

std::vector<double> bleu_of_lines(ScoredTexts& texts) {
  std::vector<double> scores;
  for (const BleuScore& s : sentence_bleu(texts.hypotheses(), texts.references(), texts.settings().bleu))
    scores.push_back(s.score);
  return scores;
}

template <ChrfSettings TextMetricSettings::*kSettings>
Score chrf_of(ScoredTexts& texts) {
  const ChrfSettings& settings = texts.settings().*kSettings;
  const std::string signature = chrf_signature(settings, texts.references().size());
  return {corpus_chrf(texts.hypotheses(), texts.references(), settings),
          {signature},
          {{"signature", signature}},
          chrf_name(settings)};
}

template <ChrfSettings TextMetricSettings::*kSettings>
std::vector<double> chrf_of_lines(ScoredTexts& texts) {
  return sentence_chrf(texts.hypotheses(), texts.references(), texts.settings().*kSettings);
}

// F1 is the score.
template <std::size_t kIndex>
Score rouge_of(ScoredTexts& texts) {
  const RougeScore score = mean_rouge(texts.rouge())[kIndex];
  const std::string signature = rouge_signature(texts.settings().rouge, texts.references().size());
  return {
      score.f1,
      {"precision " + format_fixed(score.precision, 4) + ", recall " + format_fixed(score.recall, 4),
       signature},
      {{"precision", score.precision}, {"recall", score.recall}, {"f1", score.f1}, {"signature", signature}}};
}

template <std::size_t kIndex>
std::vector<double> rouge_of_lines(ScoredTexts& texts) {
  std::vector<double> scores;
  for (const RougeScores& s : texts.rouge()) scores.push_back(s[kIndex].f1);
  return scores;
}

template <int kOrder>
Score distinct_of(ScoredTexts& texts) {
  const Diversity& diversity = texts.diversity();
  const std::int64_t distinct = diversity.distinct[kOrder - 1];
  const std::string signature = diversity_signature(texts.settings().diversity);
  return {
      diversity.distinct_share(kOrder),
      {format_count(distinct) + " different among " + counted(diversity.tokens, "token"), signature},
      {{"distinct", distinct}, {"tokens", diversity.tokens}, {"signature", signature}},
  };
}

template <int kOrder>
std::vector<double> distinct_of_lines(ScoredTexts& texts) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < texts.hypotheses().size(); ++i)
    scores.push_back(
        diversity_of(texts.hypotheses().subspan(i, 1), texts.settings().diversity).distinct_share(kOrder));
  return scores;
}

Score repetition_of(ScoredTexts& texts) {
  const Diversity& diversity = texts.diversity();
  const std::string signature = diversity_signature(texts.settings().diversity);
  return {diversity.repetition(),
          {"mean share of 4-grams that stood before, of " + counted(diversity.texts_with_ngrams, "text") +
               " of 4 tokens or more",
           signature},
          {{"texts", diversity.texts_with_ngrams}, {"signature", signature}}};
}

std::vector<double> repetition_of_lines(ScoredTexts& texts) { return texts.diversity().repeated; }

// One for each line.
std::vector<AlignmentCounts> alignment_counts(ScoredTexts& texts) {
  std::vector<AlignmentCounts> counts;
  if (texts.references().size() != 1)
    throw Error("aer: one file of right alignments (name one with --references)");
  const std::vector<std::string>& right = texts.references().front();
  for (std::size_t i = 0; i < texts.hypotheses().size(); ++i) {
    const auto read = [&](const std::string& line, std::string_view whose) {
      try {
        return read_alignment(line);
      } catch (const Error& e) {
        throw Error("aer: line " + std::to_string(i + 1) + " of the " + std::string(whose) + ": " + e.what());
      }
    };
    const Alignment found = read(texts.hypotheses()[i], "hypotheses");
    if (!found.possible.empty())
      throw Error("aer: line " + std::to_string(i + 1) +
                  " of the hypotheses: a link that is possible only (write it 0-0)");
    counts.emplace_back().add(found, read(right[i], "references"));
  }
  return counts;
}

Score aer_of(ScoredTexts& texts) {
  AlignmentCounts all;
  for (const AlignmentCounts& line : alignment_counts(texts)) all.add(line);
  return {all.error_rate(),
          {"precision " + format_fixed(all.precision(), 4) + ", recall " + format_fixed(all.recall(), 4) +
               "; " + counted(all.links, "link") + ", " + format_count(all.sure) + " sure ones wanted",
           alignment_signature()},
          {{"precision", all.precision()},
           {"recall", all.recall()},
           {"links", all.links},
           {"sure", all.sure},
           {"signature", alignment_signature()}},
          "AER"};
}

std::vector<double> aer_of_lines(ScoredTexts& texts) {
  std::vector<double> rates;
  for (const AlignmentCounts& line : alignment_counts(texts)) rates.push_back(line.error_rate());
  return rates;
}

constexpr Metric rouge_metric(std::string_view name, std::string_view heading) {
  return {.name = name,
          .heading = heading,
          .meaning = "overlap with a reference (Lin 2004), from 0 to 1",
          .column = {},
          .of = MetricOf::texts};
}

constexpr Metric distinct_metric(std::string_view name) {
  return {.name = name,
          .heading = name,
          .meaning = "different n-grams by tokens (Li et al. 2016)",
          .column = {},
          .of = MetricOf::texts};
}

constexpr TextMetric kTextMetrics[] = {
    {{.name = "bleu",
      .heading = "BLEU",
      .meaning = "of translations of validation_translations sentences (Papineni et al. 2002)",
      .column = "validation_bleu",
      .of = MetricOf::texts,
      .digits = 2},
     TextMetricNeeds::references,
     "",
     bleu_of,
     bleu_of_lines},
    {{.name = "chrf",
      .heading = "chrF",
      .meaning = "of the same translations (Popović 2015)",
      .column = "validation_chrf",
      .of = MetricOf::texts,
      .digits = 2},
     TextMetricNeeds::references,
     "",
     chrf_of<&TextMetricSettings::chrf>,
     chrf_of_lines<&TextMetricSettings::chrf>},
    {{.name = "chrf++",
      .heading = "chrF++",
      .meaning = "chrF with words too (Popović 2017)",
      .column = {},
      .of = MetricOf::texts,
      .digits = 2},
     TextMetricNeeds::references,
     "",
     chrf_of<&TextMetricSettings::chrf_plus_plus>,
     chrf_of_lines<&TextMetricSettings::chrf_plus_plus>},
    {rouge_metric("rouge1", "ROUGE-1"), TextMetricNeeds::caseless_references, "rouge", rouge_of<0>,
     rouge_of_lines<0>},
    {rouge_metric("rouge2", "ROUGE-2"), TextMetricNeeds::caseless_references, "rouge", rouge_of<1>,
     rouge_of_lines<1>},
    {rouge_metric("rougeL", "ROUGE-L"), TextMetricNeeds::caseless_references, "rouge", rouge_of<2>,
     rouge_of_lines<2>},
    {distinct_metric("distinct-1"), TextMetricNeeds::nothing, "distinct", distinct_of<1>,
     distinct_of_lines<1>},
    {distinct_metric("distinct-2"), TextMetricNeeds::nothing, "distinct", distinct_of<2>,
     distinct_of_lines<2>},
    {distinct_metric("distinct-3"), TextMetricNeeds::nothing, "distinct", distinct_of<3>,
     distinct_of_lines<3>},
    {distinct_metric("distinct-4"), TextMetricNeeds::nothing, "distinct", distinct_of<4>,
     distinct_of_lines<4>},
    {{.name = "repetition",
      .heading = "repetition",
      .meaning = "the share of 4-grams that stood in their text before (Welleck et al. 2020)",
      .column = {},
      .of = MetricOf::texts,
      .best = Metric::Best::lowest},
     TextMetricNeeds::nothing,
     "",
     repetition_of,
     repetition_of_lines},
    {{.name = "aer",
      .heading = "AER",
      .meaning = "alignment error rate of links of words (Och and Ney 2003)",
      .column = {},
      .of = MetricOf::texts,
      .best = Metric::Best::lowest},
     TextMetricNeeds::links,
     "",
     aer_of,
     aer_of_lines}};

}  // namespace

const std::vector<RougeScores>& ScoredTexts::rouge() {
  if (!rouge_) rouge_ = sentence_rouge(hypotheses_, references_, settings_.rouge);
  return *rouge_;
}

const Diversity& ScoredTexts::diversity() {
  if (!diversity_) diversity_ = diversity_of(hypotheses_, settings_.diversity);
  return *diversity_;
}

std::span<const TextMetric> text_metrics() { return kTextMetrics; }

const TextMetric* find_text_metric(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kTextMetrics), std::end(kTextMetrics),
                                         [&](const TextMetric& metric) { return metric.name == name; });
  return found == std::end(kTextMetrics) ? nullptr : found;
}

}  // namespace headwater
