#include "data/image_dataset.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr std::string_view kImages = "images", kLabels = "labels";  // the second also of the metadata
constexpr std::string_view kReading = "reading";
constexpr std::size_t kMaxNamesBytes = std::size_t{1} << 24, kMaxReadingBytes = 1000;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(where + ": " + what);
}

// "U8 [3, 28, 28, 1]"
std::string type_text(const TensorView& tensor) {
  std::string out(dtype_name(tensor.dtype));
  out += " [";
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    out += (d == 0 ? "" : ", ") + std::to_string(tensor.shape[d]);
  }
  return out + "]";
}

const TensorView& tensor_of(const Safetensors& file, std::string_view name, Dtype dtype,
                            std::size_t dimensions, const char* wanted) {
  const TensorView* tensor = file.find(name);
  const std::string which = "tensor " + quote(name);
  if (tensor == nullptr) {
    fail(file.where(), which + " is missing (vectorize --images makes files of images)");
  }
  if (tensor->dtype != dtype || tensor->shape.size() != dimensions) {
    fail(file.where(), which + " is " + type_text(*tensor) + " instead of " + wanted +
                           " (vectorize --images makes files of images)");
  }
  return *tensor;
}

void check_size(const std::string& where, const char* name, std::int64_t size, std::int64_t max) {
  if (size >= 1 && size <= max) return;
  fail(where, "tensor \"images\": " + std::string(name) + " " + std::to_string(size) + " is not in 1 .. " +
                  std::to_string(max));
}

void check_expected(const std::string& where, const char* name, std::int64_t size, std::int64_t expected) {
  if (expected == 0 || size == expected) return;
  fail(where, "images have the " + std::string(name) + " " + std::to_string(size) + ", the model reads " +
                  std::to_string(expected) + " (convert the images, or change the model)");
}

ImageShape shape_of(const TensorView& images, const std::string& where, const ImageShape& expected) {
  if (images.shape[0] < 1 || images.shape[0] > kMaxImages) {
    fail(where,
         "holds " + std::to_string(images.shape[0]) + " images, not 1 .. " + std::to_string(kMaxImages));
  }
  const ImageShape shape{.height = images.shape[1], .width = images.shape[2], .channels = images.shape[3]};
  check_size(where, "height", shape.height, kMaxImageSide);
  check_size(where, "width", shape.width, kMaxImageSide);
  check_size(where, "channels", shape.channels, kMaxImageChannels);
  check_expected(where, "height", shape.height, expected.height);
  check_expected(where, "width", shape.width, expected.width);
  check_expected(where, "channels", shape.channels, expected.channels);
  return shape;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::vector<std::string> parse_names(const std::string& text, const std::string& where) {
  if (text.size() > kMaxNamesBytes) fail(where, "longer than " + std::to_string(kMaxNamesBytes) + " bytes");
  const Json names = Json::parse(text, where);
  if (!names.is_array()) fail(where, "is no array of strings");
  std::vector<std::string> out;
  for (const Json& name : names.as_array()) {
    if (!name.is_string()) fail(where, "is no array of strings");
    out.push_back(name.as_string());
  }
  try {
    check_label_names(out);
  } catch (const Error& error) {
    fail(where, error.what());
  }
  return out;
}

// Null where the file has no such metadata.
const std::string* metadata_of(const Safetensors& file, std::string_view wanted) {
  for (const auto& [name, value] : file.metadata()) {
    if (name == wanted) return &value;
  }
  return nullptr;
}

// None where the file has no names.
std::vector<std::string> names_of(const Safetensors& file) {
  const std::string* const text = metadata_of(file, kLabels);
  return text == nullptr ? std::vector<std::string>()
                         : parse_names(*text, file.where() + ": metadata \"labels\"");
}

std::string text_of(const ImageSetReading& set) {
  Json json;
  json.set("background", set.reading.background.name());
  json.set("applies_orientation", set.reading.applies_orientation);
  json.set("has_transparency", set.has_transparency).set("has_orientation", set.has_orientation);
  return json.dump();
}

std::optional<ImageSetReading> reading_of(const Safetensors& file) {
  const std::string* const text = metadata_of(file, kReading);
  if (text == nullptr) return std::nullopt;
  const std::string where = file.where() + ": metadata \"reading\"";
  if (text->size() > kMaxReadingBytes)
    fail(where, "longer than " + std::to_string(kMaxReadingBytes) + " bytes");
  const Json json = Json::parse(*text, where);
  try {
    return ImageSetReading{.reading = {.background = background_of(json.at("background").as_string()),
                                       .applies_orientation = json.at("applies_orientation").as_bool()},
                           .has_transparency = json.at("has_transparency").as_bool(),
                           .has_orientation = json.at("has_orientation").as_bool()};
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

// "lie on white"
std::string lie_on(const Background& background) {
  return background.drops_transparency ? "are without their transparency" : "lie on " + background.name();
}

// `classes` as many as labels may have.
std::vector<std::int32_t> labels_of(const TensorView& tensor, const std::string& where,
                                    std::int64_t classes) {
  const std::vector<std::int64_t> values = read_integers(tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] < classes) continue;
    fail(where, "tensor \"labels\": image " + std::to_string(i) + " (from 0) has the label " +
                    std::to_string(values[i]) + ", not one of 0 .. " + std::to_string(classes - 1));
  }
  return {values.begin(), values.end()};
}

}  // namespace

void ImageDataset::add_file(const std::filesystem::path& path) {
  if (begins_as_text(path))
    fail(shown(path), "a text, where a file of images is wanted (vectorize --images makes one)");
  add(Safetensors(path));
}

void ImageDataset::add(const Safetensors& file) {
  const std::string& where = file.where();
  if (examples() > 0) fail(where, "a second file of images (put all images into one)");
  const TensorView& images = tensor_of(file, kImages, Dtype::u8, 4, "U8 [N, H, W, C]");
  const TensorView& labels = tensor_of(file, kLabels, Dtype::i64, 1, "I64 [N]");
  const ImageShape shape = shape_of(images, where, settings_.shape);
  if (labels.shape[0] != images.shape[0]) {
    fail(where, std::to_string(labels.shape[0]) + " labels for " + std::to_string(images.shape[0]) +
                    " images (each image has one)");
  }
  std::vector<std::string> names = names_of(file);
  auto classes = static_cast<std::int64_t>(names.size());
  if (settings_.classes != 0 && classes != 0 && classes != settings_.classes) {
    fail(where, "names " + counted(classes, "label") + ", the model has " +
                    std::to_string(settings_.classes) +
                    " classes (make a test set by vectorize --images with --labels TRAIN, the training set "
                    "or a model of it, "
                    "whose labels it is given; to train on it leave model.classes out)");
  }
  if (classes == 0) classes = settings_.classes == 0 ? kMaxImageLabels : settings_.classes;
  labels_ = labels_of(labels, where, classes);
  if (names.empty()) {
    if (settings_.classes == 0) classes = *std::max_element(labels_.begin(), labels_.end()) + 1;
    for (std::int64_t id = 0; id < classes; ++id) names.push_back(std::to_string(id));
  }
  file_ = file.file();
  shape_ = shape;
  pixels_ = {reinterpret_cast<const std::uint8_t*>(images.bytes.data()), images.bytes.size()};
  label_names_ = std::move(names);
  reading_ = reading_of(file);
}

void ImageDataset::check_reading(const ImageReading& wanted, std::string_view where,
                                 std::string_view whose) const {
  if (!reading_) return;
  const ImageReading& own = reading_->reading;
  if (reading_->has_transparency && own.background != wanted.background) {
    fail(std::string(where), "its transparent images " + lie_on(own.background) + ", " + std::string(whose) +
                                 " " + lie_on(wanted.background) + " (make it with vectorize --background " +
                                 wanted.background.name() + ")");
  }
  if (reading_->has_orientation && own.applies_orientation != wanted.applies_orientation) {
    fail(std::string(where), std::string("its images are ") + (own.applies_orientation ? "" : "not ") +
                                 "turned as their tags of orientation say, " + std::string(whose) + " are" +
                                 (wanted.applies_orientation ? "" : " not") + " (make it with" +
                                 (wanted.applies_orientation ? "" : "out") +
                                 " vectorize --apply-orientation)");
  }
}

void ImageDataset::finish(std::string_view where, bool /*is_empty_allowed*/) {
  if (examples() == 0) throw Error(std::string(where) + ": no images (name a file of vectorize --images)");
}

std::string ImageDataset::hash() const {
  const std::array<std::int64_t, 4> sizes{examples(), shape_.height, shape_.width, shape_.channels};
  Hasher hasher;
  hasher.update(raw_bytes(sizes));
  hasher.update(raw_bytes(pixels_));
  hasher.update(raw_bytes(labels_));
  return hasher.digest();
}

void check_label_names(std::span<const std::string> names) {
  const auto count = static_cast<std::int64_t>(names.size());
  if (count < 1 || count > kMaxImageLabels)
    throw Error(std::to_string(count) + " names, not 1 .. " + std::to_string(kMaxImageLabels));
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty() || has_control(name))
      throw Error("the name " + quote(name) + " is empty or has control characters");
    if (!seen.insert(name).second) throw Error("the name " + quote(name) + " stands twice");
  }
}

void write_image_dataset_head(const ImageLabels& images, const ByteSink& sink) {
  const auto count = static_cast<std::int64_t>(images.labels.size());
  const ImageShape& shape = images.shape;
  Metadata metadata;
  if (!images.label_names.empty()) {
    check_label_names(images.label_names);
    const Json::Array names(images.label_names.begin(), images.label_names.end());
    metadata.emplace_back(kLabels, Json(names).dump());
  }
  if (images.reading) metadata.emplace_back(kReading, text_of(*images.reading));
  // The labels first: eight bytes each, they lie at a multiple of eight.
  sink(safetensors_head(
      std::vector<TensorShape>{{.name = std::string(kLabels), .dtype = Dtype::i64, .shape = {count}},
                               {.name = std::string(kImages),
                                .dtype = Dtype::u8,
                                .shape = {count, shape.height, shape.width, shape.channels}}},
      metadata));
  sink(raw_bytes(images.labels));
}

}  // namespace headwater
