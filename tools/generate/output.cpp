#include "tools/generate/generate.hpp"

#include "support/enum_names.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tools/search/options.hpp"

namespace headwater::generate {

void Output::begin_lines(const std::vector<std::string>& lines, std::uint64_t first) {
  lines_ = &lines;
  first_ = first;
}

void Output::add(std::string_view text) {
  if (form_.has_line_ends) {
    text_ += text;
    return;
  }
  for (const char c : text) text_ += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
}

void Output::begins(std::size_t line) {
  if (!form_.is_streaming || !form_.has_prompts) return;
  text_.clear();
  add((*lines_)[line]);
  writer_.text(text_ += form_.separator);
  writer_.flush();
}

void Output::grows(std::string_view text) {
  if (!form_.is_streaming) return;
  text_.clear();
  add(text);
  writer_.text(text_);
  writer_.flush();
}

std::string Output::json_of(const Continuation& c) const {
  const std::string& prompt = (*lines_)[c.line];
  Json json;
  json.set("version", 1);
  json.set("line", first_ + c.line + 1);
  json.set("sample", std::uint64_t{c.sample + 1});
  json.set("prompt", prompt);
  if (c.is_truncated) json.set("truncated", true);
  json.set("text", form_.has_prompts ? prompt + form_.separator + c.text : c.text);
  json.set("end", name_of(c.end));
  json.set("new_tokens", std::uint64_t{c.hypothesis.ids.size()});
  if (form_.has_scores) {
    json.set("log_probability", c.hypothesis.log_probability);
    json.set("tokens", search::scored_tokens(c.hypothesis, tokenizer_));
  }
  return json.dump();
}

void Output::write(const Continuation& c) {
  constexpr int kDigits = 6;
  if (form_.is_json) return writer_.line(json_of(c));
  text_.clear();
  if (!form_.is_streaming) {
    if (form_.has_prompts) {
      add((*lines_)[c.line]);
      text_ += form_.separator;
    }
    add(c.text);
  }
  if (form_.has_scores) {
    text_ += '\t' + format_fixed(c.hypothesis.log_probability, kDigits) + '\t';
    bool is_first = true;
    for (const double of_token : c.hypothesis.token_log_probabilities) {
      if (!is_first) text_ += ' ';
      text_ += format_fixed(of_token, kDigits);
      is_first = false;
    }
  }
  writer_.line(text_);
}

}  // namespace headwater::generate
