// What the parts of embed share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "cli/options.hpp"
#include "cli/result_output.hpp"
#include "decoding/embed.hpp"
#include "pretrained/model_directory.hpp"
#include "support/files.hpp"

namespace headwater::embed {

struct Options {
  std::string model, format = "text", pooling, compute_type = "float32", isa = "auto";
  std::vector<std::string> inputs;
  fs::path output, nearest;
  std::optional<std::int64_t> layer;
  std::int64_t batch = 1024, top_k = 5;
  int threads = 0;
  bool normalizes = false, has_tokens = false, is_resized = false, is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
  cli::Option format_option;
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

void embed_texts(const Options& o, const ModelFolder& folder);
void embed_images(const Options& o, const ModelFolder& folder);

}  // namespace headwater::embed
