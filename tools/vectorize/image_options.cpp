// The options of images.
#include "data/image_reading.hpp"
#include "support/error.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

void describe_images(cli::CommandLine& line, Options& o) {
  line.group(section(o, "Images (--images)"));
  line.add_option("--images", o.images,
                  "turn images into a data set ([below](#images)): a folder with a folder for each label, a "
                  "list of paths and labels, CIFAR files (`.bin`; operands are more of these), or an IDX "
                  "file with --image-labels")
      .reads_file();
  line.add_option("--image-labels", o.image_labels,
                  "the labels of the images of an IDX file, an IDX file too")
      .reads_file();
  line.add_option(
          "--resize", o.resize,
          "of a folder or list: make all images H pixels high and W wide; otherwise all must have one size")
      .shown_as("HxW")
      .checked([](const std::string& text) { image_sides(text); });
  line.add_option(
          "--background", o.background,
          "of a folder or list: what is behind transparent pixels: `white`, `black`, a colour as `#ff8000` "
          "(red, green, blue), or `drop`: ignore the transparency and show the colour beneath")
      .shown_as("COLOUR")
      .checked([](const std::string& text) { background_of(text); })
      .with_default();
  line.add_flag(
      "--apply-orientation", o.applies_orientation,
      "of a folder or list: turn images by their orientation tags, as cameras and telephones write them");
  line.add_option("--validation", o.validation, "write a share of the images there, the others to -o")
      .writes();
}

void resolve_images(Options& o, const ModeOptions& typed) {
  o.chooses_reading = typed.is_given("--background") || o.applies_orientation;
  if (o.images.empty() && o.tokens.empty())
    throw UsageError("no images (name a folder, a list, CIFAR files or an IDX file)");
}

void write_image_set(const Options& o) {
  std::vector<fs::path> images;
  if (!o.images.empty()) images.push_back(o.images);
  images.insert(images.end(), o.tokens.begin(), o.tokens.end());
  const auto [height, width] = image_sides(o.resize);
  write_images({.images = std::move(images),
                .labels = o.image_labels,
                .label_names = o.labels,
                .output = o.output,
                .validation = o.validation,
                .height = height,
                .width = width,
                .validation_fraction = o.validation_fraction,
                .seed = o.seed,
                .background = o.background,
                .applies_orientation = o.applies_orientation,
                .chooses_reading = o.chooses_reading,
                .is_quiet = o.is_quiet});
}

}  // namespace headwater::vectorize
