// Labels of images: files and data sets the same bits, however they are grouped.
#include "decoding/classify.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "error_text.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"
#include "support/error.hpp"
#include "write_image_dataset.hpp"

using namespace headwater;

namespace {

// Files of 5 pixels by 4 for a model that reads 3 by 3.
class LabelledFiles {
 public:
  explicit LabelledFiles(Resizing resizing = Resizing::bilinear) {
    VisionSettings settings;
    settings.transformer.width = 8;
    settings.transformer.heads = 2;
    settings.transformer.feed_forward_width = 8;
    settings.image_height = settings.image_width = 3;
    settings.channels = 3;
    settings.images.resizing = resizing;
    settings.patch_size = 1;
    settings.classes = 4;
    model.model = std::make_unique<VisionModel>(settings);
    model.model->parameters().allocate(false);
    double i = 0;
    for (Real& value : model.model->parameters().values()) value = static_cast<Real>(std::sin(++i));
    for (int image = 0; image < 7; ++image) {
      std::vector<std::uint8_t> bytes(kShape.bytes());
      for (std::size_t p = 0; p < bytes.size(); ++p)
        bytes[p] = static_cast<std::uint8_t>((p + 1) * 37 * static_cast<std::size_t>(image + 1));
      files.push_back(folder.path() / (std::to_string(image) + ".png"));
      write_file(files.back(), encode_png(kShape, bytes));
      pixels.insert(pixels.end(), bytes.begin(), bytes.end());
      labels.push_back(image % 4);
    }
  }

  std::string data_set() const {
    std::string bytes;
    const std::vector<std::string> names{"a", "b", "c", "d"};
    write_image_dataset({.shape = kShape, .pixels = pixels, .labels = labels, .label_names = names},
                        [&](std::string_view piece) { bytes += piece; });
    return bytes;
  }

  static constexpr ImageShape kShape{.height = 4, .width = 5, .channels = 3};
  ScratchDirectory folder;
  LoadedVisionModel model{
      .files = {}, .labels = LabelSet::parse("a\nb\nc\nd\n", "it"), .statistics = {}, .model = {}};
  std::vector<fs::path> files;
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
};

}  // namespace

TEST_CASE("labels of images: a data set has the bits of its files, in any company") {
  const LabelledFiles made;
  ImageLabeller of_files(made.model), other(made.model);
  const Matrix all = of_files.of_files(made.files);
  CHECK(all.rows == 7);
  CHECK(all.cols == 4);
  CHECK(!same_bits({all.row(0), 1, 4}, {all.row(1), 1, 4}));

  const std::string bytes = made.data_set();
  ImageDataset images(image_settings(made.model.model->settings()));
  const Safetensors file(bytes, "it");
  images.add(file);
  const ImagePipeline pipeline =
      image_pipeline(made.model.model->settings(), made.model.statistics, images, "it");
  CHECK(same_bits(other.of_images(images, pipeline, 0, 7), all));
  for (Index i = 0; i < 7; ++i) {
    CHECK(same_bits(other.of_images(images, pipeline, i, i + 1), {all.row(i), 1, 4}));
    CHECK(same_bits(other.of_files(std::span(made.files).subspan(i, 1)), {all.row(i), 1, 4}));
  }
  CHECK(other.of_files({}).rows == 0);
}

TEST_CASE("labels of images: the first bad file is named by its number") {
  LabelledFiles made;
  write_file(made.files[2], "no image");
  fs::remove(made.files[5]);
  ImageLabeller labeller(made.model);
  try {
    (void)labeller.of_files(made.files);
    FAIL("no error");
  } catch (const LineError& error) {
    CHECK(error.line == 2);
    CHECK(std::string(error.what()).find("2.png: is no PNG or JPEG image") != std::string::npos);
  }
  CHECK(labeller.of_files(std::span(made.files).first(2)).rows == 2);
}

TEST_CASE("labels of images: other sizes are refused, or resized as bytes where that is asked for") {
  const LabelledFiles strict(Resizing::none), bilinear;
  ImageLabeller refusing(strict.model), resizing(strict.model, true), also_resizing(bilinear.model, true);
  CHECK(error_text([&] {
          (void)refusing.of_files(strict.files);
        }).find("0.png: an image of 4x5 pixels, the model reads 3x3 (give --resize)") != std::string::npos);
  CHECK(same_bits(resizing.of_files(strict.files), also_resizing.of_files(bilinear.files)));
}
