#include "pretrained/image_processor.hpp"

#include <algorithm>
#include <cmath>

#include "pretrained/config.hpp"
#include "pretrained/layouts/foreign_config.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr double kByte = 1.0 / 255;  // the usual rescale_factor: numbers from 0 to 1
constexpr double kUsual = 0.5;       // mean and deviation where the file says nothing
constexpr double kSmallestImageStd = 1e-7, kLargestNumber = 255;  // what config.json may hold
constexpr const char *kBackground = "image_background", *kAppliesOrientation = "image_applies_orientation";
constexpr std::int64_t kBilinear = 2;  // the number of the filter in Pillow

// One number a channel, or one for all.
std::vector<double> numbers_of(const Json& config, const char* name, std::int64_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  const Json* const member = member_said(config, name);
  if (member == nullptr) return std::vector<double>(count, kUsual);
  if (member->is_number()) return std::vector<double>(count, member->as_number());
  std::vector<double> numbers;
  for (const Json& number : member->as_array()) numbers.push_back(number.as_number());
  if (numbers.size() != count) {
    throw Error(quote(name) + " has " + std::to_string(numbers.size()) + " numbers, the images " +
                std::to_string(channels) + " channels");
  }
  return numbers;
}

double factor_of(const Json& config) {
  if (!truth_of(config, "do_rescale", true)) return 1;
  const Json* const member = member_said(config, "rescale_factor");
  if (member == nullptr) return kByte;
  const double factor = member->as_number();
  if (!(factor >= 1e-6 && factor <= 1)) refuse_member("rescale_factor", member->dump(), "0.000001 to 1");
  return factor;
}

// x · factor, less the mean, over the deviation, for bytes x; here for x / 255.
ChannelStatistics statistics_of(const Json& config, std::int64_t channels) {
  constexpr double kRounding = 1e-9;
  ChannelStatistics out{numbers_of(config, "image_mean", channels),
                        numbers_of(config, "image_std", channels)};
  if (!truth_of(config, "do_normalize", true)) {
    std::ranges::fill(out.mean, 0.0);
    std::ranges::fill(out.std, 1.0);
  }
  double scale = 1 / (255 * factor_of(config));
  if (std::abs(scale - 1) < kRounding) scale = 1;
  for (double& mean : out.mean) {
    mean *= scale;
    if (!(std::abs(mean) <= kLargestNumber)) throw Error("\"image_mean\": a number is out of range");
  }
  for (double& std : out.std) {
    std *= scale;
    if (!(std >= kSmallestImageStd && std <= kLargestNumber))
      throw Error("\"image_std\": a number is not above 0, or out of range");
  }
  return out;
}

bool are_all(const std::vector<double>& numbers, double value) {
  return std::ranges::all_of(numbers, [&](double number) { return number == value; });
}

void check_size(const Json& config, const ImageShape& shape) {
  const Json* const size = member_said(config, "size");
  if (size == nullptr) return;
  std::int64_t height = 0, width = 0;
  if (size->is_object()) {
    height = whole(*size, "height", 1, kMaxImageSide);
    width = whole(*size, "width", 1, kMaxImageSide);
  } else {
    height = width = whole(config, "size", 1, kMaxImageSide);
  }
  if (height == shape.height && width == shape.width) return;
  throw Error("\"size\" is " + std::to_string(height) + "x" + std::to_string(width) +
              ", the model reads images of " + std::to_string(shape.height) + "x" +
              std::to_string(shape.width));
}

}  // namespace

ImageReading reading_of_members(const Json& config) {
  ImageReading reading{.applies_orientation = truth_of(config, kAppliesOrientation, false)};
  const Json* const background = member_said(config, kBackground);
  if (background == nullptr) return reading;
  try {
    reading.background = background_of(background->as_string());
  } catch (const Error& error) {
    throw Error(quote(kBackground) + ": " + error.what());
  }
  return reading;
}

void write_reading(Json& config, const ImageReading& reading) {
  config.set(kBackground, reading.background.name());
  config.set(kAppliesOrientation, reading.applies_orientation);
}

ImageProcessing image_processing_of(const Json& config, const ImageShape& shape) {
  if (truth_of(config, "do_center_crop", false)) refuse_member("do_center_crop", "true", "false");
  ImageProcessing out;
  if (truth_of(config, "do_resize", true)) {
    const Json* const filter = member_said(config, "resample");
    if (filter != nullptr && filter->as_integer() != kBilinear)
      refuse_member("resample", filter->dump(), "2 (bilinear)");
    check_size(config, shape);
  } else {
    out.resizing = "none";
  }
  out.statistics = statistics_of(config, shape.channels);
  if (are_all(out.statistics.mean, 0) && are_all(out.statistics.std, 1)) {
    out.normalization = "unit";
  } else if (!are_all(out.statistics.mean, kUsual) || !are_all(out.statistics.std, kUsual)) {
    out.normalization = "standardized";
  }
  if (out.normalization != "standardized") out.statistics = {};
  out.reading = reading_of_members(config);
  return out;
}

Json image_processor_of(const ImageProcessing& processing, const ImageShape& shape) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  Json::Array mean(channels, kUsual), std(channels, kUsual);
  if (processing.normalization == "unit") {
    mean.assign(channels, 0.0);
    std.assign(channels, 1.0);
  } else if (processing.normalization == "standardized") {
    for (std::size_t c = 0; c < channels; ++c) {
      mean[c] = processing.statistics.mean[c];
      std[c] = std::max(processing.statistics.std[c], kSmallestImageStd);
    }
  }
  Json config, size;
  size.set("height", shape.height);
  size.set("width", shape.width);
  config.set("image_processor_type", "ViTImageProcessor");
  config.set("do_resize", processing.resizing == "bilinear");
  config.set("size", std::move(size));
  config.set("resample", kBilinear);
  config.set("do_rescale", true);
  config.set("rescale_factor", kByte);
  config.set("do_normalize", processing.normalization != "unit");
  config.set("image_mean", std::move(mean));
  config.set("image_std", std::move(std));
  if (processing.reading != ImageReading()) write_reading(config, processing.reading);
  return config;
}

}  // namespace headwater
