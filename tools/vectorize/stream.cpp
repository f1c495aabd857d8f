// All lines as one long text: id lines of one length, or a file of ids that train maps.
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cli/line_filter.hpp"
#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/token_stream.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"
#include "support/token_counts.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

struct StreamOptions {
  std::vector<std::string> tokens;
  std::int64_t block = 0, stride = 0;  // of id lines; 0: a file of ids
  fs::path output;                     // of a file of ids
  bool has_start = false, has_end = false, is_quiet = false;
  std::string header;  // first line of id lines; empty: none
  cli::LineReaderSettings reader;
};

// The ids of each line that is not empty one after the other, with [START] before and [END] after them where
// that is asked for. Returns how many tokens were unknown.
TokenCounts write_stream(const StreamOptions& o, const Tokenizer& tokenizer);

namespace {

// Ids go from the lines to the writer as four bytes each.
void append_id(std::string& out, std::int32_t id) {
  char bytes[sizeof id];
  std::memcpy(bytes, &id, sizeof id);
  out.append(bytes, sizeof bytes);
}

template <class Use>
void for_each_id(std::string_view bytes, const Use& use) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
    std::int32_t id = 0;
    std::memcpy(&id, bytes.data() + at, sizeof id);
    use(id);
  }
}

// Lines of block + 1 ids.
class BlockLines {
 public:
  BlockLines(std::int64_t block, std::int64_t stride) : size_(block + 1), stride_(stride) {}

  void text(std::string_view bytes) {
    for_each_id(bytes, [&](std::int32_t id) {
      ids_.push_back(id);
      if (static_cast<std::int64_t>(ids_.size()) < size_) return;
      write_line();
      ids_.erase(ids_.begin(), ids_.begin() + stride_);
      is_first_ = false;
    });
  }
  void flush() { lines_.flush(); }
  void header(const std::string& text) { lines_.line(text); }
  // The last line holds what is left, where that has an id which no line has yet.
  void finish() {
    const std::int64_t known = is_first_ ? 1 : size_ - stride_;
    if (static_cast<std::int64_t>(ids_.size()) > known) write_line();
    lines_.flush();
  }

 private:
  void write_line() {
    std::string line;
    char digits[16];
    for (const std::int32_t id : ids_) {
      if (!line.empty()) line.push_back(' ');
      line.append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
    }
    lines_.line(line);
  }

  std::int64_t size_, stride_;
  std::vector<std::int32_t> ids_;
  bool is_first_ = true;  // no line has been written
  cli::LineWriter lines_;
};

// The file appears when it is whole; its header, which counts the ids, is written last.
class IdFile {
 public:
  IdFile(const fs::path& path, std::int64_t vocabulary)
      : file_(cli::result_path(path)), id_bytes_(token_stream_id_bytes(vocabulary)) {
    buffer_.assign(kTokenStreamHeader, ' ');
  }
  void text(std::string_view bytes) {
    for_each_id(bytes, [&](std::int32_t id) {
      char both[sizeof id];
      std::memcpy(both, &id, sizeof id);  // little-endian: the lower bytes first
      buffer_.append(both, id_bytes_);
    });
    ids_ += static_cast<std::int64_t>(bytes.size() / sizeof(std::int32_t));
    if (buffer_.size() > (std::size_t{1} << 20)) write();
  }
  void flush() {}
  void finish(TokenStreamHeader header) {
    write();
    header.ids = ids_;
    file_.write_at(0, token_stream_header(header));
    file_.commit();
  }
  std::int64_t ids() const { return ids_; }

 private:
  void write() {
    file_.write(buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::size_t id_bytes_;
  std::string buffer_;
  std::int64_t ids_ = 0;
};

// Appends the ids of a line; an empty one has none.
TokenCounts append_ids(const StreamOptions& o, const Tokenizer& tokenizer, std::string_view line,
                       std::string& out) {
  TokenCounts counts;
  std::string scratch;
  bool is_empty = true;
  const SpecialIds special = tokenizer.special_ids();
  for_each_token_of_line(line, scratch, [&](std::string_view token) {
    if (is_empty && o.has_start) append_id(out, tokenizer.start_id());
    is_empty = false;
    const std::int32_t id = tokenizer.id_of_token(token);
    counts.add(std::span(&id, 1), special);
    append_id(out, id);
  });
  if (!is_empty && o.has_end) append_id(out, tokenizer.end_id());
  return counts;
}

template <class Writer>
TokenCounts write_all_ids(const StreamOptions& o, const Tokenizer& tokenizer, cli::LineReader& reader,
                          Writer& writer) {
  std::atomic<std::int64_t> tokens = 0, unknown = 0;
  cli::filter_lines(reader, writer, [&](std::string_view line, std::string& out) {
    const TokenCounts counts = append_ids(o, tokenizer, line, out);
    tokens += counts.tokens;
    unknown += counts.unknown;
  });
  if (!o.is_quiet) reader.note_dropped();
  return {tokens, unknown};
}

}  // namespace

TokenCounts write_stream(const StreamOptions& o, const Tokenizer& tokenizer) {
  if (o.block == 0) cli::check_result_file(o.output);
  cli::LineReader reader(o.tokens, o.reader);
  if (o.block > 0) {
    reader.show_progress(o.is_quiet);
    BlockLines lines(o.block, o.stride);
    if (!o.header.empty()) lines.header(o.header);
    const TokenCounts counts = write_all_ids(o, tokenizer, reader, lines);
    lines.finish();
    return counts;
  }
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  IdFile file(o.output, tokenizer.vocabulary_size());
  const TokenCounts counts = write_all_ids(o, tokenizer, reader, file);
  if (file.ids() < 2)
    throw Error(shown(o.output) + ": " + counted(file.ids(), "id") +
                " in all lines, of which nothing can be learned (is the stage before it still alive?)");
  const std::int64_t ids = file.ids();
  file.finish({.vocabulary = tokenizer.vocabulary_size(), .vocabulary_hash = tokenizer.hash()});
  if (!o.is_quiet) cli::note(cli::output_name(o.output) + ": " + counted(ids, "id"));
  return counts;
}

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
