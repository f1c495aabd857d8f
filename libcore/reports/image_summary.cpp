#include "reports/image_summary.hpp"

#include "reports/table.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

std::string joined(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + format_fixed(number, 4);
  return text;
}

Picture shown_picture(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  return magnified(picture_of(shape, pixels), magnification(shape.height, shape.width));
}

}  // namespace

ImageSummary::ImageSummary(const ImageDataset& images)
    : images_(images),
      counts_(images.label_names().size()),
      statistics_(channel_statistics({.dataset = &images, .indices = {}})) {
  for (std::int64_t i = 0; i < images.examples(); ++i) ++counts_[images.label(i)];
}

std::string ImageSummary::warning() const {
  std::vector<std::string> empty;
  for (std::size_t label = 0; label < counts_.size(); ++label) {
    if (counts_[label] == 0) empty.push_back(images_.label_names()[label]);
  }
  return empty.empty() ? "" : "labels without images: " + quoted_list(empty);
}

std::string ImageSummary::text() const {
  constexpr auto right = Table::Align::right;
  const ImageShape& shape = images_.shape();
  Table sizes({{""}, {"images", right}});
  sizes.add_row({"count", format_count(images_.examples())});
  sizes.add_row({"height", std::to_string(shape.height)});
  sizes.add_row({"width", std::to_string(shape.width)});
  sizes.add_row({"channels", std::to_string(shape.channels)});
  sizes.add_row({"mean (0 .. 1)", joined(statistics_.mean)});
  sizes.add_row({"std", joined(statistics_.std)});
  Table classes({{"label"}, {"images", right}, {"share", right}});
  for (std::size_t label = 0; label < counts_.size(); ++label) {
    classes.add_row({images_.label_names()[label], format_count(counts_[label]),
                     format_percent(counts_[label], images_.examples())});
  }
  classes.add_rule();
  const auto count = static_cast<std::int64_t>(counts_.size());
  classes.add_row(
      {format_count(count) + (count == 1 ? " class" : " classes"), format_count(images_.examples()), ""});
  const std::string doubt = warning();
  return sizes.text() + "\n" + classes.text() + (doubt.empty() ? "" : "\n" + doubt + "\n");
}

Json ImageSummary::json() const {
  const ImageShape& shape = images_.shape();
  Json json;
  json.set("version", 1).set("images", images_.examples()).set("height", shape.height);
  json.set("width", shape.width).set("channels", shape.channels);
  json.set("mean", Json::Array(statistics_.mean.begin(), statistics_.mean.end()));
  json.set("std", Json::Array(statistics_.std.begin(), statistics_.std.end()));
  Json::Array classes;
  for (std::size_t label = 0; label < counts_.size(); ++label) {
    Json entry;
    entry.set("label", images_.label_names()[label]).set("images", counts_[label]);
    classes.push_back(std::move(entry));
  }
  json.set("classes", std::move(classes));
  return json;
}

Picture contact_sheet(const ImageDataset& images, std::int64_t samples) {
  const ImageShape& shape = images.shape();
  const std::int64_t factor = magnification(shape.height, shape.width);
  const std::int64_t labels = static_cast<std::int64_t>(images.label_names().size());
  check_picture_size(labels * (shape.height * factor + kSheetGap),
                     samples * (shape.width * factor + kSheetGap));
  std::vector<Picture> tiles(labels * samples);
  std::vector<std::int64_t> found(labels);
  for (std::int64_t i = 0; i < images.examples(); ++i) {
    const std::size_t label = images.label(i);
    if (found[label] == samples) continue;
    tiles[label * static_cast<std::size_t>(samples) + static_cast<std::size_t>(found[label]++)] =
        shown_picture(shape, images.pixels(i));
  }
  return sheet(tiles, samples, kSheetGap);
}

Picture augmentation_sheet(const ImageDataset& images, const ImagePipeline& pipeline, const ImageShape& out,
                           const DrawnImage& drawn) {
  constexpr std::int64_t kColumns = 4;
  ImagePipeline::Scratch scratch;
  const auto seen = [&](const ImageDraws* draws) {
    const std::vector<std::uint8_t> bytes =
        pipeline.bytes_of(pipeline.apply(images.pixels(drawn.example), draws, scratch));
    return shown_picture(out, bytes);
  };
  std::vector<Picture> tiles;
  for (std::int64_t epoch = 0; epoch < drawn.draws; ++epoch) {
    const ImageDraws draws = image_draws(drawn.seed, epoch, drawn.example);
    tiles.push_back(seen(&draws));
  }
  return beside(seen(nullptr), sheet(tiles, kColumns, kSheetGap), 4 * kSheetGap);
}

}  // namespace headwater
