#include "families/vision/image_processor.hpp"

#include <algorithm>
#include <cmath>

#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr double kByte = 1.0 / 255;  // the usual rescale_factor: numbers from 0 to 1
constexpr double kUsual = 0.5;       // mean and deviation where the file says nothing
constexpr double kSmallestImageStd = 1e-7, kLargestNumber = 255;  // what config.json may hold
constexpr const char *kBackground = "image_background", *kAppliesOrientation = "image_applies_orientation";

// One number a channel, or one for all.
std::vector<double> numbers_of(const Json& config, const char* name, std::int64_t channels) {
  const std::size_t count = channels;
  const Json* const member = member_said(config, name);
  if (member == nullptr) return std::vector<double>(count, kUsual);
  if (member->is_number()) return std::vector<double>(count, member->as_number());
  std::vector<double> numbers;
  with_name(name, [&] {
    for (const Json& number : member->as_array()) numbers.push_back(number.as_number());
  });
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
  const double factor = with_name("rescale_factor", [&] { return member->as_number(); });
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

struct Sides {
  std::int64_t height = 0, width = 0;
};

std::string text_of(const Sides& sides) {
  return std::to_string(sides.height) + "x" + std::to_string(sides.width);
}

std::int64_t side_of(const Json& value, std::string_view name) {
  Json one;
  one.set(name, value);
  return whole(one, name, 1, kMaxImageSide);
}

// A number for both sides, [height, width], or an object of the two.
Sides sides_of(const Json& member, std::string_view name) {
  if (member.is_array()) {
    const Json::Array& both = member.as_array();
    if (both.size() != 2) refuse_member(name, member.dump(), "one number or two");
    return {side_of(both[0], name), side_of(both[1], name)};
  }
  if (!member.is_object()) return {side_of(member, name), side_of(member, name)};
  for (const auto& [key, value] : member.as_object()) {
    if (key != "height" && key != "width" && !value.is_null())
      refuse_member(name, member.dump(), "height and width");
  }
  return {whole(member, "height", 1, kMaxImageSide), whole(member, "width", 1, kMaxImageSide)};
}

// What "size" says of the shorter side alone, {"shortest_edge": 256} or a number that makes no square. 0:
// nothing.
std::int64_t shortest_of(const Json& config, const Json& size) {
  if (size.is_number() && !truth_of(config, "default_to_square", true)) return side_of(size, "size");
  const bool is_edge = size.is_object() && size.as_object().size() == 1;
  if (!is_edge || member_said(size, "shortest_edge") == nullptr) return 0;
  return whole(size, "shortest_edge", 1, kMaxImageSide);
}

// The shorter side, what is cut out of the middle afterwards, or both sides.
void read_sizes(const Json& config, const ImageShape& shape, PublishedResize& resize) {
  constexpr std::int64_t kUsualSide = 224;
  const Sides wanted{shape.height, shape.width};
  const Json* const size = resize.is_resized ? member_said(config, "size") : nullptr;
  Sides sides = resize.is_cut ? Sides{kUsualSide, kUsualSide} : wanted;
  if (size != nullptr) resize.shortest = shortest_of(config, *size);
  if (size != nullptr && resize.shortest == 0) sides = sides_of(*size, "size");
  resize.height = sides.height;
  resize.width = sides.width;
  if (!resize.is_cut) {
    if (resize.shortest > 0 || !resize.is_resized || text_of(sides) == text_of(wanted)) return;
    throw Error("\"size\" is " + text_of(sides) + ", the model reads images of " + text_of(wanted));
  }
  const Json* const crop = member_said(config, "crop_size");
  if (crop == nullptr) throw Error("\"do_center_crop\" is true, and \"crop_size\" is not said");
  const Sides cut = sides_of(*crop, "crop_size");
  if (text_of(cut) != text_of(wanted))
    throw Error("\"crop_size\" is " + text_of(cut) + ", the model reads images of " + text_of(wanted));
  if (resize.is_resized && resize.shortest == 0 && (sides.height < cut.height || sides.width < cut.width))
    throw Error("\"size\" is " + text_of(sides) + ", less than \"crop_size\", " + text_of(cut));
}

// Whether the file is of the processor that is read here, by the names that it has had.
void check_processor(const Json& config) {
  constexpr std::string_view kNames[] = {"ViTImageProcessor", "ViTImageProcessorFast", "ViTImageProcessorPil",
                                         "ViTFeatureExtractor"};
  for (const char* const member : {"image_processor_type", "feature_extractor_type"}) {
    const Json* const said = member_said(config, member);
    if (said == nullptr) continue;
    const std::string& type = with_name(member, [&]() -> const std::string& { return said->as_string(); });
    if (std::ranges::find(kNames, type) == std::end(kNames))
      refuse_member(member, quote(type), "ViTImageProcessor (others have other defaults)");
  }
}

void check_refused(const Json& config) {
  if (truth_of(config, "do_pad", false)) refuse_member("do_pad", "true", "false");
  truth_of(config, "default_to_square", true);  // of a "size" that is one number; see shortest_of()
  truth_of(config, "do_convert_rgb",
           true);  // images have the channels that the model reads, whatever it says
}

Json sides_json(std::int64_t height, std::int64_t width) {
  Json sides;
  sides.set("height", height);
  sides.set("width", width);
  return sides;
}

void write_sizes(const ImageProcessing& processing, const ImageShape& shape, Json& config) {
  const PublishedResize resize = processing.resize.value_or(PublishedResize{
      .is_resized = processing.resizing == Resizing::bilinear, .height = shape.height, .width = shape.width});
  config.set("do_resize", resize.is_resized);
  config.set("size", resize.shortest > 0 ? Json().set("shortest_edge", resize.shortest)
                                         : sides_json(resize.height, resize.width));
  config.set("resample", static_cast<std::int64_t>(resize.filter));
  if (!resize.is_cut) return;
  config.set("do_center_crop", true);
  config.set("crop_size", sides_json(shape.height, shape.width));
}

}  // namespace

ImageReading reading_of_members(const Json& config, const ImageReading& otherwise) {
  ImageReading reading = otherwise;
  reading.applies_orientation = truth_of(config, kAppliesOrientation, otherwise.applies_orientation);
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
  check_processor(config);
  check_refused(config);
  ImageProcessing out;
  PublishedResize resize{.is_resized = truth_of(config, "do_resize", true),
                         .is_cut = truth_of(config, "do_center_crop", false)};
  const Json* const filter = member_said(config, "resample");
  if (filter != nullptr && resize.is_resized) {
    const std::int64_t number = with_name("resample", [&] { return filter->as_integer(); });
    if (!name_of_filter(number)) refuse_member("resample", filter->dump(), "0 to 5 (a filter of Pillow)");
    resize.filter = static_cast<ResizeFilter>(number);
  }
  read_sizes(config, shape, resize);
  if (resize.is_resized || resize.is_cut) {
    out.resize = resize;
  } else {
    out.resizing = Resizing::none;
  }
  out.statistics = statistics_of(config, shape.channels);
  if (are_all(out.statistics.mean, 0) && are_all(out.statistics.std, 1)) {
    out.normalization = Normalization::unit;
  } else if (!are_all(out.statistics.mean, kUsual) || !are_all(out.statistics.std, kUsual)) {
    out.normalization = Normalization::standardized;
  }
  if (out.normalization != Normalization::standardized) out.statistics = {};
  out.reading = reading_of_members(config, kPublishedReading);
  return out;
}

Json image_processor_of(const ImageProcessing& processing, const ImageShape& shape) {
  const std::size_t channels = shape.channels;
  Json::Array mean(channels, kUsual), std(channels, kUsual);
  if (processing.normalization == Normalization::unit) {
    mean.assign(channels, 0.0);
    std.assign(channels, 1.0);
  } else if (processing.normalization == Normalization::standardized) {
    for (std::size_t c = 0; c < channels; ++c) {
      mean[c] = processing.statistics.mean[c];
      std[c] = std::max(processing.statistics.std[c], kSmallestImageStd);
    }
  }
  Json config;
  config.set("image_processor_type", "ViTImageProcessor");
  write_sizes(processing, shape, config);
  config.set("do_rescale", true);
  config.set("rescale_factor", kByte);
  config.set("do_normalize", processing.normalization != Normalization::unit);
  config.set("image_mean", std::move(mean));
  config.set("image_std", std::move(std));
  if (processing.reading != kPublishedReading) write_reading(config, processing.reading);
  return config;
}

}  // namespace headwater
