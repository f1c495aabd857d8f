// All lines as one long text: lines of ids of one length, or a file of ids.
#include "cli/result_file.hpp"
#include "support/error.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/stream.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

void describe_one_text(cli::CommandLine& line, Options& o) {
  constexpr std::int64_t kMaxBlock = 1000000;  // as of model.length
  line.add_option("--block", o.block,
                  "all lines are one long text ([below](#one-long-text)): write lines of N ids and one more, "
                  "for a model of N positions")
      .between(1, kMaxBlock)
      .shown_as("N")
      .needs("--tokenizer");
  line.add_option("--stride", o.stride, "from the start of one line to that of the next, 1 to N (N)")
      .between(1, kMaxBlock)
      .shown_as("M");
}

void resolve_blocks(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  if (o.stride == 0) o.stride = o.block;
  if (o.stride > o.block)
    throw UsageError("--stride: " + std::to_string(o.stride) + " is more than " + std::to_string(o.block) +
                     ", the block (it leaves tokens out)");
}

void resolve_id_file(Options& o, const ModeOptions& typed) {
  resolve_recipe(o, typed);
  if (o.output == "-") throw UsageError("-o -: name a file (its beginning is written last)");
  cli::check_ending(o.output, "-o", "safetensors");
}

void write_id_stream(const Options& o) {
  const Tokenizer tokenizer = load_tokenizer(o);
  const std::string first_line =
      o.has_header ? header(tokenizer.hash(), tokenizer.vocabulary_size(), tokenizer.pad_id()) : "";
  report_unknown(o, write_stream({.tokens = o.tokens,
                                  .block = o.block,
                                  .stride = o.stride,
                                  .output = o.output,
                                  .has_start = o.has_start,
                                  .has_end = o.has_end,
                                  .is_quiet = o.is_quiet,
                                  .header = first_line,
                                  .reader = o.reader},
                                 tokenizer));
}

}  // namespace headwater::vectorize
