// Texts and images to labels with a classifier.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/image_folder.hpp"
#include "families/classifier/directory.hpp"
#include "families/vision/directory.hpp"
#include "layers/packed_weights.hpp"
#include "support/token_counts.hpp"
#include "tensor/arena.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

struct LabelProbability {
  std::int32_t label = 0;
  float probability = 0;
};

class TextLabeller {
 public:
  // In int8 the blocks of the encoder are computed in bytes. Throws Error where a weight cannot be.
  TextLabeller(const LoadedClassifier& model, ComputeType compute_type);

  // Throws LineError where a line does not hold as many texts as the model reads.
  // The probability of each label (in the order of model.labels), line by line: [lines, labels], valid, and
  // the caller's to change, until the next call. Tokens beyond the model's positions are cut off and the line
  // counted. A line without a token has what the model gives to nothing: the bias of its last layer alone (of
  // a bag of words of all layers; where padding counts as tokens, padding alone). Any grouping of lines into
  // calls gives the same bits.
  Matrix probabilities(const std::vector<std::string>& lines);
  // The same of the ids of texts, without special tokens around them, of a model that reads ids and one text
  // at a time. They are in its vocabulary, and what it has no positions for is left out.
  Matrix probabilities_of_ids(const std::vector<std::span<const std::int32_t>>& texts);

  // The `count` most probable, most probable first; of equals the first label.
  static std::vector<LabelProbability> best(const float* probabilities, Index labels, Index count);

  // Whether tokens of this line of the last call were cut off.
  bool is_truncated(std::size_t line) const { return sources_[line].is_truncated; }
  const TruncatedLines& truncated_lines() const { return truncated_lines_; }
  std::int64_t empty_lines() const { return empty_lines_; }  // without a token; training leaves them out
  const TokenCounts& tokens() const { return tokens_; }      // of the lines, without what was cut off

 private:
  void encode(const std::vector<std::string>& lines);
  void add_line(std::size_t line);
  // The probabilities of sources_, or of the terms, of so many lines.
  Matrix probabilities_of_encoded(std::size_t lines);
  // Appends the probabilities of the lines in the batch to probabilities_.
  void run_batch();

  const LoadedClassifier& model_;
  std::unique_ptr<PackedWeights> packed_;  // of int8
  Arena arena_;
  ClassBatch batch_;
  std::vector<Real> probabilities_;
  std::vector<SourceIds> sources_;                   // of each line
  std::vector<std::vector<TermValue>> term_values_;  // of each line, for a bag of words
  std::vector<TokenCounts> counts_;                  // of each line, for a bag of words
  std::int64_t lines_ = 0, empty_lines_ = 0;         // lines_: of all calls so far
  TruncatedLines truncated_lines_;
  TokenCounts tokens_;
};

// Images to labels with a model of images. Images of a data set and of files go the same way, the one of
// validation. Any grouping of images into calls gives the same bits.
class ImageLabeller {
 public:
  // resizes_files: of images in files with other sides than the model's the bytes are resized first, as
  // vectorize --resize does it, whatever model.resizing says.
  explicit ImageLabeller(const LoadedVisionModel& model, bool resizes_files = false);

  // The probability of each label (in the order of model.labels), file by file: [files, labels], valid, and
  // the caller's to change, until the next call. Throws LineError for the first file that is no image, or
  // whose image is none that the model reads, or gets no finite numbers.
  Matrix of_files(std::span<const std::filesystem::path> files);
  // The same of these images of a data set whose shape `pipeline` was made for.
  Matrix of_images(const ImageDataset& images, const ImagePipeline& pipeline, std::int64_t begin,
                   std::int64_t end);

  // The reader, which counts the files that were labelled.
  const ImageFileReader& files() const { return reader_; }

 private:
  // Writes what the model reads of image i.
  using Prepare = std::function<void(std::int64_t i, std::span<Real> out)>;
  Matrix label(std::int64_t images, const Prepare& prepare);
  void run(std::int64_t begin, std::int64_t end, const Prepare& prepare);
  void prepare_file(const std::filesystem::path& path, std::span<Real> out) const;
  // Turns the image into one that a pipeline takes.
  ImagePipeline fitted(DecodedImage& image) const;

  const LoadedVisionModel& model_;
  bool resizes_files_;
  ImageFileReader reader_;
  Arena arena_;
  ImageBatch batch_;
  std::vector<Real> numbers_;  // of the images of the batch
  std::vector<Real> probabilities_;
};

}  // namespace headwater
