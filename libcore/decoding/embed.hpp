// Texts and images to vectors: the states of a model's tokens, pooled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/hidden_states.hpp"
#include "families/text_encoder/model.hpp"
#include "families/vision/directory.hpp"
#include "layers/packed_weights.hpp"
#include "support/token_counts.hpp"
#include "tensor/arena.hpp"

namespace headwater {

struct VectorSettings {
  std::optional<ops::Pooling> pooling = {};  // none: what the model itself does
  bool normalizes = false;                   // to the length 1, also where the model does not
  bool has_tokens = false;                   // a vector for each token, without pooling
  std::optional<Index> layer = {};  // states after so many blocks, 0: the embeddings; none: of the last block
  ComputeType compute_type = ComputeType::float32;  // of the products of the blocks
};

// Throws UsageError where the model has fewer layers than asked for.
void check_layer(const VectorSettings& settings, Index layers);

// Vectors of lines: one each, or one for each token of a line, those of line i from rows offsets[i] on.
struct LineVectors {
  ConstMatrix vectors;                // [rows, D]
  std::span<const Index> offsets;     // lines + 1
  std::span<const std::int32_t> ids;  // of tokens, a row each; none where lines have one vector each
};

class TextEmbeddings {
 public:
  // Throws as check_layer; Error where the weights cannot be written in bytes.
  TextEmbeddings(const TextStates& model, const VectorSettings& settings);

  // Valid until the next call. Lines of like length are computed together, in parallel; any grouping of lines
  // into calls gives the same bits. Tokens beyond the model's positions are cut off and the line counted. A
  // line without a token has zeros, or the states of padding where that is attended to. Throws LineError
  // where a state is not finite.
  LineVectors vectors(std::span<const std::string> lines);

  Index width() const { return model_.width(settings_.layer.value_or(model_.layers())); }
  const TruncatedLines& truncated_lines() const { return truncated_lines_; }
  const TokenCounts& tokens() const { return tokens_; }  // of the lines, without what was cut off
  // The next line is the first one.
  void restart_counts();

 private:
  void encode(std::span<const std::string> lines);
  void place_rows();
  void cut_batches();
  // The lines of order_ from `begin` to `end`.
  void run(Arena& arena, std::size_t begin, std::size_t end);
  Matrix rows_of(const ForwardContext& context, const Variable& states, const ClassBatch& batch) const;

  const TextStates& model_;
  VectorSettings settings_;
  std::unique_ptr<PackedWeights> packed_;  // of int8
  Arena arena_;
  std::vector<SourceIds> sources_;       // of each line
  std::size_t lines_ = 0;                // of this call
  std::vector<std::size_t> order_;       // lines, the longest first
  std::vector<std::size_t> batch_ends_;  // in order_
  std::vector<Index> offsets_;
  std::vector<std::int32_t> ids_;
  std::vector<Real> values_;
  std::int64_t lines_so_far_ = 0;  // of all calls
  TruncatedLines truncated_lines_;
  TokenCounts tokens_;
};

// The cosine of two vectors; 0 where one is all zeros.
double cosine(std::span<const Real> a, std::span<const Real> b);

// Images to vectors with a model of images.
class ImageEmbeddings {
 public:
  // As TextEmbeddings; compute_type is float32 alone.
  ImageEmbeddings(const LoadedVisionModel& model, const VectorSettings& settings);

  // Adds an image to those whose vectors come next. `where` is its name in messages.
  void add(std::string_view where, const ImageShape& shape, std::span<const std::uint8_t> pixels);
  std::int64_t images() const { return images_; }
  // One row an image, or one a token (the class token, where there is one, then the patches row by row):
  // valid until the next call. Afterwards no image is there. Throws LineError (image) where a state is not
  // finite.
  ConstMatrix vectors();

  Index width() const { return model_.model->settings().transformer.width; }

 private:
  const ImagePipeline& pipeline_of(std::string_view where, const ImageShape& shape);

  const LoadedVisionModel& model_;
  VectorSettings settings_;
  std::optional<ImagePipeline> pipeline_;  // for images of this shape
  ImageShape pipeline_shape_;
  ImagePipeline::Scratch scratch_;
  Arena arena_;
  ImageBatch batch_;
  std::int64_t images_ = 0;
};

}  // namespace headwater
