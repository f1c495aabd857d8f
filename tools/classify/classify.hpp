// What the parts of classify share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "data/labels.hpp"
#include "decoding/classify.hpp"
#include "families/model_directory.hpp"
#include "tensor/matrix.hpp"

namespace headwater::classify {

struct Options {
  std::string model, compute_type, isa = "auto";
  std::vector<std::string> inputs;
  std::int64_t batch = 64, top = 1;
  int threads = 0;
  double temperature = 1;
  bool has_all = false, has_header = false, is_json = false, is_quiet = false, is_resized = false;
  cli::LineReaderSettings reader;
  cli::KindOptions of_kinds;
};

// A line for each row of probabilities.
class RowWriter {
 public:
  // With --header the names of the labels come first. `gives_many`: an example may have several labels.
  RowWriter(const Options& o, const LabelSet& labels, bool gives_many);
  // For JSON: `files`: whose rows they are; none of lines of text. `truncated`: the labeller of texts, which
  // knows what it cut off.
  void write(Matrix probabilities, const std::vector<std::string>& files = {},
             const TextLabeller* truncated = nullptr);

 private:
  const Options& o_;
  const LabelSet& labels_;
  cli::LineWriter out_;
};

void classify_texts(const Options& o, ModelFolder& folder);
void classify_images(const Options& o, ModelFolder& folder);

}  // namespace headwater::classify
