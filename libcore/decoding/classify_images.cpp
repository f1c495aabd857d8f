#include "decoding/classify_images.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// Images go through the model in parts of about so many tokens, which bounds the memory.
constexpr Index kImageTokensAtOnce = 8192;

// Of each label by itself.
Matrix sigmoids(const ForwardContext& context, const VisionModel& model, const ImageBatch& batch) {
  const Matrix logits = model.logits(context, model.features(context, batch)).value();
  kernels::activate(kernels::Activation::sigmoid, logits, logits);
  return logits;
}

std::optional<std::size_t> not_finite_row(ConstMatrix rows) {
  const Index at = kernels::find_not_finite(rows.rows * rows.cols, rows.data);
  if (at < 0) return std::nullopt;
  return static_cast<std::size_t>(at / rows.cols);
}

}  // namespace

ImageLabeller::ImageLabeller(const LoadedVisionModel& model, bool resizes_files)
    : model_(model), resizes_files_(resizes_files), reader_(model.reading) {}

ImagePipeline ImageLabeller::fitted(DecodedImage& image) const {
  const VisionSettings& settings = model_.model->settings();
  const bool is_published = settings.images.published.has_value();  // the pipeline resizes
  const auto has_other_sides_now = [&] {
    return image.shape.height != settings.image_height || image.shape.width != settings.image_width;
  };
  if (has_other_sides_now() && (resizes_files_ || is_published)) reader_.count_resized();
  if (resizes_files_ && !is_published) resize_image(image, settings.image_height, settings.image_width);
  convert_channels(image, settings.channels, "the image");
  const ImageShape& own = image.shape;
  const bool has_other_sides = has_other_sides_now();
  if (has_other_sides && !settings.images.takes_other_sizes()) {
    throw Error("an image of " + std::to_string(own.height) + "x" + std::to_string(own.width) +
                " pixels, the model reads " + std::to_string(settings.image_height) + "x" +
                std::to_string(settings.image_width) + " (give --resize)");
  }
  return {settings.images, model_.statistics, own, settings.image_shape()};
}

void ImageLabeller::prepare_file(const std::filesystem::path& path, std::span<Real> out) const {
  reader_.read(path, [&](DecodedImage& image) {
    try {
      ImagePipeline::Scratch scratch;
      std::ranges::copy(fitted(image).apply(image.pixels, nullptr, scratch), out.begin());
    } catch (const Error& error) {
      throw Error(shown(path) + ": " + error.what());
    }
  });
}

Matrix ImageLabeller::of_files(std::span<const std::filesystem::path> files) {
  const auto count = static_cast<std::int64_t>(files.size());
  const Matrix rows = label(count, [&](std::int64_t i, std::span<Real> out) {
    prepare_file(files[static_cast<std::size_t>(i)], out);
  });
  if (const auto row = not_finite_row(rows))
    throw LineError(*row, shown(files[*row]) + ": " + kOutputNotFinite);
  return rows;
}

Matrix ImageLabeller::of_images(const ImageDataset& images, const ImagePipeline& pipeline, std::int64_t begin,
                                std::int64_t end) {
  const Matrix rows = label(end - begin, [&](std::int64_t i, std::span<Real> out) {
    ImagePipeline::Scratch scratch;
    std::ranges::copy(pipeline.apply(images.pixels(begin + i), nullptr, scratch), out.begin());
  });
  if (const auto row = not_finite_row(rows)) throw LineError(*row, kOutputNotFinite);
  return rows;
}

Matrix ImageLabeller::label(std::int64_t images, const Prepare& prepare) {
  const VisionSettings& settings = model_.model->settings();
  const Index at_once = std::max<Index>(1, kImageTokensAtOnce / settings.grid().patches());
  probabilities_.clear();
  for (Index begin = 0; begin < images; begin += at_once)
    run(begin, std::min(images, begin + at_once), prepare);
  return {probabilities_.data(), images, settings.classes};
}

void ImageLabeller::run(std::int64_t begin, std::int64_t end, const Prepare& prepare) {
  const VisionSettings& settings = model_.model->settings();
  const auto count = static_cast<std::size_t>(end - begin);
  const auto size = static_cast<std::size_t>(settings.image_shape().bytes());
  numbers_.resize(count * size);
  const auto numbers = [&](std::size_t i) { return std::span(numbers_).subspan(i * size, size); };
  std::vector<std::optional<std::string>> faults(count);
  parallel_for(end - begin, [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    try {
      prepare(begin + task, numbers(i));
    } catch (const Error& error) {
      faults[i] = error.what();
    }
  });
  batch_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (faults[i].has_value()) throw LineError(static_cast<std::size_t>(begin) + i, *faults[i]);
    batch_.add(numbers(i), settings.grid());
  }
  batch_.finish(settings.grid(), settings.has_class_token(), BatchPart::whole(end - begin));
  const ArenaScope scope(arena_);
  Tape tape(arena_, Tape::Mode::inference);
  const ConstMatrix rows = model_.gives_many_labels ? sigmoids({tape}, *model_.model, batch_)
                                                    : model_.model->probabilities({tape}, batch_);
  probabilities_.insert(probabilities_.end(), rows.data, rows.data + rows.rows * rows.cols);
}

}  // namespace headwater
