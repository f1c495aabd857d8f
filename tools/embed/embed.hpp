// What the parts of embed share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/npy.hpp"
#include "cli/lines.hpp"
#include "cli/options.hpp"
#include "cli/result_output.hpp"
#include "decoding/embed.hpp"
#include "decoding/vector_search.hpp"
#include "families/model_directory.hpp"
#include "support/files.hpp"

namespace headwater::embed {

struct Options {
  std::string model, format = "text", pooling, compute_type, isa = "auto";
  std::vector<std::string> inputs;
  fs::path output, nearest, vectors;
  std::optional<std::int64_t> layer;
  std::optional<double> duplicates;
  std::int64_t batch = 1024, top_k = 5, nearest_column = 0;
  int threads = 0;
  bool normalizes = false, has_tokens = false, has_ids = false, is_resized = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
  cli::Option format_option;
  cli::KindOptions of_kinds;
};

VectorSettings settings_of(const Options& o);

// The vectors of all lines or images, in the form of --format: lines as they come, or an array at the end.
class VectorWriter {
 public:
  VectorWriter(const Options& o, Index width);
  // A row a line or image.
  void add(ConstMatrix vectors);
  // Rows of tokens: those of the next line or image, and the tokens' texts.
  void add_tokens(ConstMatrix vectors, std::span<const std::string> tokens,
                  std::span<const std::int32_t> ids);
  void flush() { output_.flush(); }
  void finish();

 private:
  void keep(ConstMatrix vectors);
  std::int64_t rows_of(std::string_view bytes) const;
  void write_npy(std::string_view rows);
  void write_safetensors(std::string_view rows);

  const Options& o_;
  Index width_;
  cli::ResultOutput output_;
  std::string text_;
  std::int64_t sources_ = 0;           // lines or images
  std::optional<UnnamedFile> values_;  // of formats that say first how many there are
  std::vector<std::int64_t> offsets_{0}, ids_;
};

// The vectors of --vectors. Throws Error where these are not the vectors that the model makes of the lines:
// by their numbers, and by the cosines of a few lines spread over the file, which are embedded again.
class SavedVectors {
 public:
  SavedVectors(const Options& o, Index width);
  // Whether line `line`, from 0, is one of those few; add() takes them in order.
  bool compares(std::int64_t line) const;
  void add(std::string_view text, std::string place);
  // Reads so many lines.
  void read(std::int64_t lines, TextEmbeddings& embeddings, VectorSearch& search) const;

 private:
  ConstMatrix rows(Index begin, Index end, std::vector<float>& values) const;
  void check_texts(TextEmbeddings& embeddings) const;

  const Options& o_;
  MappedFile file_;
  std::string where_, fix_;
  NpyArray array_;
  std::vector<std::int64_t> compared_;  // lines
  std::vector<std::string> texts_, places_;
};

// The lines of the file of --nearest, or of the input with --duplicates, and their vectors: of the model, or
// of the file of --vectors. Throws Error where this one is not of these lines, by its numbers.
class SearchedLines {
 public:
  SearchedLines(const Options& o, TextEmbeddings& embeddings);
  // A line for each of the nearest of each vector; the first is of input line `lines_before` + 1.
  std::string nearest(ConstMatrix vectors, std::int64_t lines_before) const;
  // A line for each pair of lines, some at a time.
  void for_each_duplicates(const std::function<void(std::string_view)>& take) const;

 private:
  void append(std::string& out, std::int64_t line, const VectorSearch::Match& match) const;

  const Options& o_;
  std::int64_t count_ = 0;
  std::vector<std::string> lines_;  // none where only their numbers are written
  VectorSearch search_;
};

void embed_texts(const Options& o, const ModelFolder& folder);
void embed_images(const Options& o, const ModelFolder& folder);

}  // namespace headwater::embed
