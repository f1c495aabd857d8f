// Data sets of images: what they hold, a contact sheet, and what training draws from an image.
#include "cli/result_file.hpp"
#include "families/registry.hpp"
#include "families/vision/directory.hpp"
#include "reports/image_summary.hpp"
#include "reports/picture.hpp"
#include "support/error.hpp"
#include "tools/images/inputs.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {
namespace {

// The picture of an image under the recipe's random changes.
std::string drawn_png(const Options& o, const ImageDataset& images) {
  const Recipe recipe = read_recipe(o.recipe, o.scale);
  if (family_of(recipe.model).task != Task::image_classification)
    throw UsageError("--draws: " + o.recipe + " is no recipe of a model of images");
  const VisionSettings& settings = recipe.model.as<VisionSettings>();
  if (!settings.images.is_random())
    throw UsageError("--draws: " + o.recipe +
                     " changes no image at random (model.random_flip and the keys after it)");
  if (o.image >= images.examples())
    throw UsageError("--image: " + std::to_string(o.image) + " is out of range (from 0 to " +
                     std::to_string(images.examples() - 1) + ")");
  ChannelStatistics statistics;
  if (settings.images.is_standardized()) statistics = channel_statistics({.dataset = &images, .indices = {}});
  const ImagePipeline pipeline = image_pipeline(settings, statistics, images, o.data.front());
  return png_of(augmentation_sheet(images, pipeline, settings.image_shape(),
                                   {.seed = recipe.seed, .example = o.image, .draws = o.draw_count}));
}

bool is_svg_sheet(const Options& o) { return o.contact_sheet.extension() == ".svg"; }

std::string sheet_of(const Options& o, const ImageDataset& images) {
  return is_svg_sheet(o) ? contact_sheet_svg(images, o.samples, o.data.front())
                         : png_of(contact_sheet(images, o.samples));
}

}  // namespace

bool is_of_images(const Options& o) {
  for (const std::string& path : o.data) {
    if (path != "-" && images::is_data_set(path)) return true;
  }
  return false;
}

void inspect_images(const Options& o) {
  if (o.draws.empty() && !o.recipe.empty())
    throw UsageError("--recipe goes with --draws where the data are images");
  for (const fs::path& output : {o.contact_sheet, o.draws}) {
    if (!output.empty()) cli::check_result_file(output);
  }
  cli::check_ending(o.contact_sheet, "--contact-sheet", is_svg_sheet(o) ? "svg" : "png");
  cli::check_ending(o.draws, "--draws", "png");
  if (Safetensors(o.data.front()).find("images") == nullptr)
    throw Error(o.data.front() + ": no data set, without a tensor \"images\" (inspect " + o.data.front() +
                " shows its tensors)");
  ImageDataset images;
  images.add_file(o.data.front());
  images.finish(o.data.front(), false);
  if (!o.contact_sheet.empty()) cli::write_result_file(o.contact_sheet, sheet_of(o, images));
  if (!o.draws.empty()) cli::write_result_file(o.draws, drawn_png(o, images));
  if (o.contact_sheet == "-" || o.draws == "-") return;  // standard output holds a picture
  const ImageSummary summary(images);
  cli::LineWriter out;
  if (o.is_json) {
    out.line(summary.json().dump());
  } else {
    out.text(summary.text());
  }
  out.flush();
}

}  // namespace headwater::inspect
