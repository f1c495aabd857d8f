#include "decoding/embed_images.hpp"

#include "models/transformer_stack.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

ImageEmbeddings::ImageEmbeddings(const LoadedVisionModel& model, const VectorSettings& settings)
    : model_(model), settings_(settings) {
  check_layer(settings, model.model->settings().layers);
  batch_.clear();
}

const ImagePipeline& ImageEmbeddings::pipeline_of(std::string_view where, const ImageShape& shape) {
  if (pipeline_ && pipeline_shape_ == shape) return *pipeline_;
  const VisionSettings& settings = model_.model->settings();
  try {
    pipeline_.emplace(settings.images, model_.statistics, shape, settings.image_shape());
  } catch (const Error& error) {
    throw Error(std::string(where) + ": " + error.what());
  }
  pipeline_shape_ = shape;
  return *pipeline_;
}

void ImageEmbeddings::add(std::string_view where, const ImageShape& shape,
                          std::span<const std::uint8_t> pixels) {
  const ImagePipeline& pipeline = pipeline_of(where, shape);
  batch_.add(pipeline.apply(pixels, nullptr, scratch_), model_.model->settings().grid());
  ++images_;
}

ConstMatrix ImageEmbeddings::vectors() {
  const VisionModel& model = *model_.model;
  const VisionSettings& settings = model.settings();
  batch_.finish(settings.grid(), settings.has_class_token());
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const ForwardContext context{tape};
  const Variable states = model.encoder().states(context, model.embed(context, batch_),
                                                 settings_.layer.value_or(settings.layers));
  const ops::Pooling own = settings.has_class_token() ? ops::Pooling::first : ops::Pooling::mean;
  const Matrix rows =
      settings_.has_tokens
          ? states.value()
          : ops::pool(tape, states, settings_.pooling.value_or(own), pack(tape, batch_.rows)).value();
  if (settings_.normalizes) normalize_rows(rows);
  const Index at = kernels::find_not_finite(rows.rows * rows.cols, rows.data);
  if (at >= 0)
    throw LineError(static_cast<std::size_t>(at / (rows.rows / images_ * rows.cols)), kOutputNotFinite);
  batch_.clear();
  images_ = 0;
  return rows;
}

}  // namespace headwater
