#include "cli/line_filter.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/unicode/sentences.hpp"
#include "text/unicode/standardize.hpp"
#include "tools/tokenize/tokenize.hpp"

namespace headwater::tokenize {
namespace {

// Runs of the white space that separates words become one space, none at the ends.
std::string collapsed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_ascii_space(static_cast<unsigned char>(c))) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string text_of_tokens(const Tokenizer& tokenizer, std::string_view token_line) {
  return tokenizer.join(tokens_of_line(token_line));
}

// Throws where the tokenizer's model does not make the choices that are wanted.
void check_choices(const Options& o, const Tokenizer& tokenizer) {
  const std::string type = tokenizer.model_type();
  const auto check = [&](double value, const char* option, const char* wanted) {
    if (value == 0 || type == wanted) return;
    throw UsageError(std::string(option) + " is for " + wanted + " tokenizers (" + o.tokenizer.string() +
                     (type.empty() ? " is another)" : " is of " + type + ")"));
  };
  check(o.dropout, "--dropout", "BPE");
  check(o.alpha, "--alpha", "Unigram");
}

// Appends a token to the line as it is to be shown.
class TokenWriter {
 public:
  TokenWriter(const Options& o, const Tokenizer& tokenizer, std::string& line)
      : tokenizer_(tokenizer), line_(line), begin_(line.size()), is_text_(o.show == "text") {}
  void add(std::string_view token) {
    if (!is_text_) return append_token(line_, begin_, token);
    if (line_.size() != begin_) line_.push_back(' ');
    line_ += tokenizer_.token_label(token);
  }

 private:
  const Tokenizer& tokenizer_;
  std::string& line_;
  std::size_t begin_;
  bool is_text_;
};

// The tokens of a line as the choices of this seed and line cut it.
void append_drawn(const Options& o, const Tokenizer& tokenizer, std::string_view line, std::size_t number,
                  std::string& out) {
  TokenWriter writer(o, tokenizer, out);
  tokenizer.for_each_sampled_token(line, {.dropout = o.dropout, .alpha = o.alpha},
                                   {.seed = o.seed,
                                    .purpose = Purpose::sample,
                                    .layer = static_cast<std::uint32_t>(number),
                                    .step = static_cast<std::uint32_t>(number >> 32)},
                                   [&](std::string_view token) { writer.add(token); });
}

// A line for each sentence, and an empty one after the last: the end of the document.
void append_sentences(const Options& o, const Tokenizer& tokenizer, std::string_view document,
                      std::string& out) {
  for (const std::string_view sentence : sentences_of(document)) {
    const std::size_t begin = out.size();
    TokenWriter tokens(o, tokenizer, out);
    tokenizer.for_each_token(sentence, [&](std::string_view token) { tokens.add(token); });
    if (out.size() > begin) out.push_back('\n');  // a sentence may have no token
  }
  out.push_back('\n');
}

void check_line(const Tokenizer& tokenizer, std::string_view line) {
  std::string tokens;
  tokenizer.for_each_token(line, [&](std::string_view token) { append_token(tokens, 0, token); });
  const std::string back = collapsed(text_of_tokens(tokenizer, tokens));
  if (back == collapsed(line)) return;
  const std::string expected = collapsed(tokenizer.normalize(line));
  if (back != expected) throw Error(" decoding gives " + quote(back) + ", not " + quote(expected));
}

}  // namespace

void convert(const Options& o) {
  const Tokenizer tokenizer = o.tokenizer == "-" ? Tokenizer::parse_any(read_any_file("-", kMaxTextFile), "-")
                                                 : Tokenizer::load(o.tokenizer);
  for (const std::string& warning : tokenizer.warnings()) cli::warn(warning, o.is_quiet);
  const bool is_drawn = o.dropout > 0 || o.alpha > 0;
  if (is_drawn) check_choices(o, tokenizer);
  cli::LineReader reader(o.texts, o.reader);
  using Writes = cli::LineReader::Writes;
  reader.show_progress(o.is_quiet, o.is_checking ? Writes::at_the_end : Writes::meanwhile);
  cli::LineWriter writer;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out, std::size_t number) {
    if (o.is_checking) {
      check_line(tokenizer, line);
      return;
    }
    if (o.has_sentences) {
      append_sentences(o, tokenizer, line, out);
      return;
    }
    std::string whole;
    if (o.has_line_ends) line = whole.assign(line).append("\n");
    if (o.is_decoding) {
      out += text_of_tokens(tokenizer, line);
    } else if (is_drawn) {
      append_drawn(o, tokenizer, line, number, out);
    } else {
      TokenWriter tokens(o, tokenizer, out);
      tokenizer.for_each_token(line, [&](std::string_view token) { tokens.add(token); });
    }
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
}

}  // namespace headwater::tokenize
