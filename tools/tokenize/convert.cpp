#include "cli/line_filter.hpp"
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "text/standardize.hpp"
#include "text/token_lines.hpp"
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

void check_line(const Tokenizer& tokenizer, std::string_view line) {
  std::string tokens;
  tokenizer.for_each_token(line, [&](std::string_view token) { append_token(tokens, 0, token); });
  const std::string back = collapsed(text_of_tokens(tokenizer, tokens));
  const std::string expected = collapsed(tokenizer.normalize(line));
  if (back != expected) throw Error(" decoding gives " + quote(back) + ", not " + quote(expected));
}

}  // namespace

void convert(const Options& o) {
  const Tokenizer tokenizer = o.tokenizer == "-" ? Tokenizer::parse_any(read_any_file("-", kMaxTextFile), "-")
                                                 : Tokenizer::load(o.tokenizer);
  if (!o.is_quiet) {
    for (const std::string& warning : tokenizer.warnings()) cli::note(warning);
  }
  cli::LineReader reader(o.texts, o.reader);
  using Writes = cli::LineReader::Writes;
  reader.show_progress(o.is_quiet, o.is_checking ? Writes::at_the_end : Writes::meanwhile);
  cli::LineWriter writer;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    if (o.is_checking) {
      check_line(tokenizer, line);
      return;
    }
    if (o.is_decoding) {
      out += text_of_tokens(tokenizer, line);
    } else {
      const std::size_t begin = out.size();
      tokenizer.for_each_token(line, [&](std::string_view token) { append_token(out, begin, token); });
    }
    out.push_back('\n');
  });
  if (!o.is_quiet) reader.note_dropped();
}

}  // namespace headwater::tokenize
