// BLEU and chrF against sacreBLEU's figures, ROUGE against rouge-score's (reference/scores; another folder of
// the same layout through HEADWATER_REFERENCE).
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/rouge.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"

using namespace headwater;

namespace {

using Lines = std::vector<std::string>;

fs::path scores_folder() {
  const char* elsewhere = std::getenv("HEADWATER_REFERENCE");
  return fs::path(elsewhere != nullptr ? elsewhere : HEADWATER_SOURCE_DIR "/tests/golden/reference") /
         "scores";
}

Lines read_lines(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path.string());
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Equal but for the last bits of the C library's exp and log, which depend on the processor.
bool is_equal(double ours, double theirs) { return std::abs(ours - theirs) <= 1e-15 * 8 * std::abs(theirs); }

std::string with_our_version(const std::string& signature) {
  return signature.substr(0, signature.rfind("version:")) + "version:headwater-0.1.0";
}

struct Set {
  Lines hypotheses, reference, second_reference;
  Json expected;
};

void check_counts(const BleuScore& ours, const Json& theirs) {
  CHECK(is_equal(ours.score, theirs.at("score").as_number()));
  CHECK(is_equal(ours.brevity_penalty, theirs.at("bp").as_number()));
  CHECK(ours.reference_length == theirs.at("ref_len").as_integer());
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    CHECK(ours.counts[n] == theirs.at("counts").as_array().at(n).as_integer());
    CHECK(ours.totals[n] == theirs.at("totals").as_array().at(n).as_integer());
  }
}

// "13a", "intl_lc": as the keys of the expected figures name them
void check_bleu(const Set& set, std::string name, const Json& theirs) {
  BleuSettings settings;
  if (name.ends_with("_lc")) {
    settings.is_lowercased = true;
    name.resize(name.size() - 3);
  }
  const auto tokenization = bleu_tokenization(name);
  REQUIRE(tokenization.has_value());
  settings.tokenization = *tokenization;
  const BleuScore ours = corpus_bleu(set.hypotheses, std::vector<Lines>{set.reference}, settings);
  check_counts(ours, theirs);
  CHECK(ours.hypothesis_length == theirs.at("sys_len").as_integer());
  CHECK("BLEU = " + format_fixed(ours.score, 2) + " " + bleu_details(ours) == theirs.at("text").as_string());
  CHECK(bleu_signature(settings, 1) == with_our_version(theirs.at("signature").as_string()));
}

// The figures of the smoothings are those of the first three lines.
void check_smoothing(const Set& set, const Json& theirs) {
  const Lines hypotheses(set.hypotheses.begin(), set.hypotheses.begin() + 3);
  const Lines reference(set.reference.begin(), set.reference.begin() + 3);
  for (const auto& [name, score] : theirs.as_object()) {
    const auto smoothing = bleu_smoothing(name);
    REQUIRE(smoothing.has_value());
    INFO(name);
    CHECK(is_equal(corpus_bleu(hypotheses, std::vector<Lines>{reference}, {.smoothing = *smoothing}).score,
                   score.as_number()));
  }
}

void check_sentences(const Set& set, const Json& theirs) {
  const std::vector<BleuScore> ours = sentence_bleu(set.hypotheses, std::vector<Lines>{set.reference});
  REQUIRE(ours.size() >= theirs.as_array().size());
  for (std::size_t i = 0; i < theirs.as_array().size(); ++i) {
    INFO("line ", i + 1);
    CHECK(is_equal(ours[i].score, theirs.as_array()[i].as_number()));
  }
}

// A line is one sentence, so rougeLsum, a mean over sentences, is rougeL.
const RougeScore& rouge_of_name(const RougeScores& scores, const std::string& name) {
  const auto* const at =
      std::find(kRougeNames.begin(), kRougeNames.end(), name == "rougeLsum" ? "rougeL" : name);
  REQUIRE(at != kRougeNames.end());
  return scores[at - kRougeNames.begin()];
}

void check_chrf(const Set& set, const ChrfSettings& settings, const Json& theirs) {
  CHECK(is_equal(corpus_chrf(set.hypotheses, std::vector<Lines>{set.reference}, settings),
                 theirs.at("score").as_number()));
  CHECK(chrf_signature(settings, 1) == with_our_version(theirs.at("signature").as_string()));
}

// Means of precision, recall and F1 by name.
void check_rouge(const Set& set, const RougeSettings& settings, const Json& theirs) {
  const RougeScores ours =
      mean_rouge(sentence_rouge(set.hypotheses, std::vector<Lines>{set.reference}, settings));
  for (const auto& [name, figures] : theirs.as_object()) {
    INFO(name);
    const RougeScore& score = rouge_of_name(ours, name);
    CHECK(std::abs(score.precision - figures.as_array().at(0).as_number()) <= 1e-9);
    CHECK(std::abs(score.recall - figures.as_array().at(1).as_number()) <= 1e-9);
    CHECK(std::abs(score.f1 - figures.as_array().at(2).as_number()) <= 1e-9);
  }
}

void check_rouge_lines(const Set& set, const RougeSettings& settings, const Json& theirs) {
  const std::vector<RougeScores> ours =
      sentence_rouge(set.hypotheses, std::vector<Lines>{set.reference}, settings);
  REQUIRE(ours.size() >= theirs.as_array().size());
  for (std::size_t i = 0; i < theirs.as_array().size(); ++i) {
    for (const auto& [name, f1] : theirs.as_array()[i].as_object()) {
      INFO("line ", i + 1, ": ", name);
      CHECK(std::abs(rouge_of_name(ours[i], name).f1 - f1.as_number()) <= 1e-12);
    }
  }
}

// Compares what is a BLEU, chrF or ROUGE figure; returns how many there were.
int check_set(const Set& set) {
  int checked = 0;
  for (const auto& [key, theirs] : set.expected.as_object()) {
    INFO(key);
    if (key == "bleu_two_references") {
      check_counts(corpus_bleu(set.hypotheses, std::vector<Lines>{set.reference, set.second_reference}),
                   theirs);
    } else if (key == "bleu_smooth") {
      check_smoothing(set, theirs);
    } else if (key == "sentence_bleu") {
      check_sentences(set, theirs);
    } else if (key.starts_with("bleu_")) {
      check_bleu(set, key.substr(5), theirs);
    } else if (key == "chrf") {
      check_chrf(set, {}, theirs);
    } else if (key == "chrfpp") {
      check_chrf(set, {.word_order = 2}, theirs);
    } else if (key == "chrf_lc") {
      check_chrf(set, {.is_lowercased = true}, theirs);
    } else if (key.starts_with("rouge")) {
      const RougeSettings settings{.is_stemmed = key.starts_with("rouge_stemmed")};
      key.ends_with("_first40") ? check_rouge_lines(set, settings, theirs)
                                : check_rouge(set, settings, theirs);
    } else {
      continue;
    }
    ++checked;
  }
  return checked;
}

}  // namespace

TEST_CASE("BLEU and chrF equal sacreBLEU's figures, ROUGE rouge-score's") {
  const fs::path folder = scores_folder();
  const Json expected = Json::parse(read_file(folder / "expected.json"), "expected.json");
  const Lines reference = read_lines(folder / "ref");
  CHECK(!expected.as_object().empty());
  for (const auto& [name, figures] : expected.as_object()) {
    INFO(name);
    CHECK(check_set({read_lines(folder / (name + ".hyp")), reference, read_lines(folder / (name + ".ref2")),
                     figures}) >= 18);
  }
}
