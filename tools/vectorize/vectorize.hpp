// The modes of vectorize, a file each.
#pragma once

#include <cstdint>
#include <string>

#include "support/token_counts.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "tools/vectorize/options.hpp"

namespace headwater::vectorize {

// Each reads the lines of `o`, and writes to standard output, or what was learned to o.output.
void write_ids(const Options& o);
void write_id_stream(const Options& o);
void write_columns(const Options& o);
void learn_labels(const Options& o);
void write_label_ids(const Options& o);
void learn_terms(const Options& o);
void write_terms(const Options& o);
void write_csv_columns(const Options& o);
// The lines go to two files.
void split_lines(const Options& o);
// Images to a data set, or to two.
void write_image_set(const Options& o);

// With warnings of the file. Throws Error where --start or --end has no token there.
Tokenizer load_tokenizer(const Options& o);
// What these share: the first line of --header, the digits of a number, and what is said of the lines in the
// end.
std::string header(const std::string& hash, std::int64_t size, std::int64_t pad);
void append_number(std::string& out, std::int64_t number);
void note_truncated(const Options& o, std::uint64_t cut, std::uint64_t all, std::size_t max_length);
// Says how many tokens are unknown. Throws Error where they are more than is allowed.
void report_unknown(const Options& o, const TokenCounts& counts);

}  // namespace headwater::vectorize
