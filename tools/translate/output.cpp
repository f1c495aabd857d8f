#include "tools/translate/output.hpp"

#include <cmath>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tools/search/options.hpp"

namespace headwater::translate {

namespace {

// A line without tokens has translations without scores.
Json score_json(double score) { return std::isnan(score) ? Json() : Json(score); }

std::string score_text(double score) {
  constexpr int kDigits = 6;
  return std::isnan(score) ? "" : format_fixed(score, kDigits);
}

}  // namespace

std::string Output::json_of(const Translation& t, std::size_t rank, const std::string& source) const {
  Json json;
  json.set("version", 1).set("line", line_);
  if (form_.has_numbers) json.set("rank", std::uint64_t{rank});
  json.set("source", source).set("text", t.text);
  if (t.is_truncated) json.set("truncated", true);
  if (form_.has_numbers) json.set("score", score_json(t.hypothesis.score));
  if (form_.has_scores) {
    json.set("log_probability", score_json(t.hypothesis.log_probability));
    json.set("tokens", search::scored_tokens(t.hypothesis, model_.target_tokenizer));
  }
  if (form_.has_alignments) {
    Json::Array pairs;
    for (std::size_t i = 0; i < t.source_of.size(); ++i)
      pairs.push_back(Json::Array{std::int64_t{t.source_of[i]}, std::uint64_t{i}});
    json.set("alignment", std::move(pairs));
  }
  return json.dump();
}

void Output::add_columns(const Translation& t) {
  if (form_.has_numbers) text_ += std::to_string(line_) + '\t' + score_text(t.hypothesis.score) + '\t';
  for (const char c : t.text) text_ += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (form_.has_scores) {
    text_ += '\t' + score_text(t.hypothesis.log_probability);
    char separator = '\t';
    if (t.hypothesis.token_log_probabilities.empty()) text_ += separator;
    for (const double of_token : t.hypothesis.token_log_probabilities) {
      text_ += separator + score_text(of_token);
      separator = ' ';
    }
  }
  if (form_.has_alignments) {
    text_ += '\t';
    for (std::size_t i = 0; i < t.source_of.size(); ++i)
      text_ += (i == 0 ? "" : " ") + std::to_string(t.source_of[i]) + '-' + std::to_string(i);
  }
}

void Output::write(const Translations& translations, const std::string& source) {
  ++line_;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    text_.clear();
    if (form_.is_json) {
      text_ = json_of(translations[i], i + 1, source);
    } else {
      add_columns(translations[i]);
    }
    writer_.line(text_);
  }
}

Prefixes::Prefixes(const std::string& path, cli::LineReaderSettings settings)
    : path_(path),
      reader_({path}, cli::beside(std::move(settings), "give one column of prefixes, with cut -f")) {}

const std::vector<std::string>& Prefixes::next(const cli::LineReader& texts, std::size_t lines) {
  lines_.clear();
  while (lines_.size() < lines) {
    std::string_view line;
    if (!reader_.next(line)) {
      throw Error(texts.place(lines_.size()) + ": no prefix for this line, " + path_ +
                  " ended before (one line for each line of text; an empty one for none)");
    }
    lines_.emplace_back(line);
  }
  return lines_;
}

void Prefixes::finish() {
  if (std::string_view line; reader_.next(line))
    throw Error(reader_.place() + ": a prefix without a text (one line for each line of text)");
}

}  // namespace headwater::translate
