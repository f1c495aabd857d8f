#include "families/vision/attention.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "support/error.hpp"
#include "tensor/kernels/loss/loss.hpp"

namespace headwater {

PatchTokens patch_tokens(const VisionSettings& settings) {
  const auto patches_of = [&](std::int64_t side) {
    return static_cast<std::size_t>(side / settings.patch_size);
  };
  return {.rows = patches_of(settings.image_height),
          .columns = patches_of(settings.image_width),
          .has_class_token = settings.has_class_token()};
}

std::vector<std::string> patch_names(const PatchTokens& tokens) {
  std::vector<std::string> names;
  if (tokens.has_class_token) names.emplace_back("[CLS]");
  for (std::size_t row = 0; row < tokens.rows; ++row) {
    for (std::size_t column = 0; column < tokens.columns; ++column)
      names.push_back(std::to_string(row) + "," + std::to_string(column));
  }
  return names;
}

VisionTracer::VisionTracer(LoadedVisionModel model)
    : model_(std::move(model)), token_names_(patch_names(patch_tokens(settings()))) {}

void VisionTracer::check(const AttentionSelection& selection) const {
  if (selection.kind && *selection.kind != AttentionKind::encoder) {
    throw UsageError("--kind " + std::string(name_of(*selection.kind)) +
                     ": a model of images has encoder attention only");
  }
  if (selection.layer) check_below("layer", *selection.layer, settings().layers);
  if (selection.head) check_below("head", *selection.head, settings().transformer.heads);
}

const ImagePipeline& VisionTracer::pipeline_of(const TracedImage& image) {
  if (pipeline_ && pipeline_shape_ == image.shape) return *pipeline_;
  pipeline_shape_ = image.shape;
  try {
    pipeline_.emplace(settings().images, model_.statistics, image.shape, settings().image_shape());
  } catch (const Error& error) {
    throw Error(std::string(image.where) + ": " + error.what());
  }
  return *pipeline_;
}

// Probabilities are Real; a record's weights are float in the double build too.
template <class Number>
static void check_finite(std::string_view where, std::span<const Number> values) {
  if (!std::ranges::all_of(values, [](Number value) { return std::isfinite(value); }))
    throw Error(std::string(where) + ": " + kOutputNotFinite);
}

VisionTrace VisionTracer::trace(const TracedImage& image, const AttentionSelection& selection) {
  const VisionModel& model = *model_.model;
  const ImagePipeline& pipeline = pipeline_of(image);
  const std::span<const Real> numbers = pipeline.apply(image.pixels, nullptr, scratch_);
  batch_.clear();
  batch_.add(numbers, settings().grid());
  batch_.finish(settings().grid(), settings().has_class_token());
  const ArenaScope scope(arena_);
  Tape tape(arena_, Tape::Mode::inference);
  std::vector<AttentionTrace> traces;
  const Matrix logits = model.logits({tape}, model.features({tape}, batch_, &traces)).value();
  const Matrix probabilities = arena_.matrix(1, logits.cols);
  kernels::softmax(logits, probabilities);
  check_finite<Real>(image.where, {probabilities.data, static_cast<std::size_t>(probabilities.cols)});
  const Real* const best = std::max_element(probabilities.data, probabilities.data + probabilities.cols);
  VisionTrace result;
  result.seen = pipeline.bytes_of(numbers);
  result.label = static_cast<std::int32_t>(best - probabilities.data);
  result.probability = *best;
  AttentionExample example;
  example.number = image.number;
  example.source_tokens = token_names_;
  result.records =
      AttentionHeads(traces, settings().transformer.heads, arena_, example, selection, {}).records();
  for (const AttentionRecord& record : result.records) check_finite<float>(image.where, record.weights);
  return result;
}

}  // namespace headwater
