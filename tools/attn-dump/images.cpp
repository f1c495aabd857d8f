// Images: a view or format each, chosen once, of the weights between patches, their rollout over the layers
// and how far heads look.
#include "cli/progress.hpp"
#include "families/model_directory.hpp"
#include "families/vision/attention.hpp"
#include "reports/attention_map.hpp"
#include "reports/attention_page.hpp"
#include "reports/attention_table.hpp"
#include "reports/heat_map.hpp"
#include "reports/picture.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/attn-dump/attn_dump.hpp"
#include "tools/images/model_inputs.hpp"

namespace headwater::attn_dump {
namespace {

class ImageFormat {
 public:
  virtual ~ImageFormat() = default;
  // Once, when the first image could be read, or there was none.
  virtual void begin() {}
  virtual void add(std::int64_t number, VisionTrace trace, const images::InputImage& image) = 0;
  // After the last, of so many.
  virtual void finish(std::int64_t /*images*/) {}
  // Rows that appear on standard output show by themselves how far it is.
  virtual bool writes_meanwhile() const { return false; }
};

// What formats of images share.
class OfImages : public ImageFormat {
 public:
  OfImages(const Options& o, const VisionTracer& tracer, Output& output)
      : options_(o), tracer_(tracer), tokens_(patch_tokens(tracer.settings())), output_(output) {}

 protected:
  const std::string& label_of(const VisionTrace& trace) const {
    return tracer_.labels().labels()[trace.label];
  }

  // The image, and beside it the overlay of the rollout, or one for each layer.
  Picture overlays(const VisionTrace& trace) const {
    const VisionSettings& settings = tracer_.settings();
    const Picture seen = picture_of(settings.image_shape(), trace.seen);
    const std::int64_t factor = magnification(seen.height, seen.width);
    std::vector<Picture> panels{magnified(seen, factor)};
    const auto add_overlay = [&](const std::vector<double>& weights) {
      panels.push_back(attention_overlay(seen, weights, tokens_, settings.patch_size, factor));
    };
    const std::span<const AttentionRecord> records = trace.records;
    if (options_.view == View::rollout) add_overlay(attention_rollout(records, tokens_));
    for (std::size_t begin = 0; begin < records.size() && options_.view == View::weights;) {
      std::size_t end = begin + 1;
      while (end < records.size() && records[end].layer == records[begin].layer) ++end;
      add_overlay(attention_of_output(records.subspan(begin, end - begin), tokens_));
      begin = end;
    }
    return sheet(panels, static_cast<std::int64_t>(panels.size()), 2);
  }

  std::string title_of(std::int64_t images) const {
    return name_of_model(options_.model) + ", " + counted(images, "image");
  }

  const Options& options_;
  const VisionTracer& tracer_;
  PatchTokens tokens_;
  Output& output_;
};

// --view heads.
class ImageHeads : public OfImages {
 public:
  ImageHeads(const Options& o, const VisionTracer& tracer, Output& output)
      : OfImages(o, tracer, output),
        heads_(o),
        distances_(patch_distances(tokens_, tracer.settings().patch_size)) {}

  void add(std::int64_t /*number*/, VisionTrace trace, const images::InputImage& /*image*/) override {
    const TokenRoles roles{.queries = tokens_.count(),
                           .keys = tokens_.count(),
                           .distances = distances_,
                           .has_first = tokens_.has_class_token,
                           .is_of_patches = true};
    std::vector<HeadSums> sums;
    for (const AttentionRecord& record : trace.records) sums.push_back(head_sums(record, roles));
    heads_.add(sums);
  }

  void finish(std::int64_t /*images*/) override { output_.write(heads_.output("image")); }

 private:
  HeadReport heads_;
  std::vector<double> distances_;  // between patches
};

// --view distance.
class ImageDistance : public OfImages {
 public:
  ImageDistance(const Options& o, const VisionTracer& tracer, Output& output)
      : OfImages(o, tracer, output), distance_(tokens_, tracer.settings().patch_size) {}

  void add(std::int64_t /*number*/, VisionTrace trace, const images::InputImage& /*image*/) override {
    distance_.add(trace.records);
  }

  void finish(std::int64_t images) override {
    const std::vector<AttentionDistance::Row> rows = distance_.rows();
    output_.write(options_.format == Format::csv ? attention_distance_csv(rows)
                                                 : attention_distance_svg(rows, title_of(images)));
  }

 private:
  AttentionDistance distance_;
};

// csv, json and matrix of weights, and csv of rollouts: rows as they come.
class ImageRows : public OfImages {
 public:
  using OfImages::OfImages;

  void begin() override {
    if (options_.format != Format::csv) return;
    output_.write(options_.view == View::rollout ? rollout_csv_header() : patch_attention_csv_header());
  }

  void add(std::int64_t number, VisionTrace trace, const images::InputImage& image) override {
    text_.clear();
    if (options_.view == View::rollout) {
      append_rollout_csv(text_,
                         {.example = number,
                          .image = image.path,
                          .predicts = label_of(trace),
                          .probability = trace.probability},
                         attention_rollout(trace.records, tokens_), tokens_);
      return output_.write(text_);
    }
    for (AttentionRecord& record : trace.records) {
      if (options_.format == Format::csv) append_patch_attention_csv(text_, record, tokens_);
      if (options_.format == Format::json) append_attention(text_, AttentionRows::Format::json, record);
      if (options_.format == Format::matrix) append_attention(text_, AttentionRows::Format::matrix, record);
      output_.write(text_);
      text_.clear();
    }
  }

  bool writes_meanwhile() const override { return true; }

 private:
  std::string text_;
};

// npy: one array of all images, or with -o FOLDER/ arrays and their axes for each.
class ImageArrays : public OfImages {
 public:
  ImageArrays(const Options& o, const VisionTracer& tracer, Output& output)
      : OfImages(o, tracer, output), folder_(folder_of(o)) {}

  void add(std::int64_t /*number*/, VisionTrace trace, const images::InputImage& /*image*/) override {
    if (folder_)
      return folder_->add_arrays(
          trace.records, [](const AttentionRecord&) { return AttentionTexts(); },
          [&](std::size_t i, AttentionArray& array) { array.rows(trace.records[i].weights); });
    for (const AttentionRecord& record : trace.records) array_.add(record);
  }

  void finish(std::int64_t /*images*/) override {
    if (folder_) return folder_->finish("images");
    array_.write([&](std::string_view bytes) { output_.write(bytes); });
  }

 private:
  std::optional<ResultFolder> folder_;
  AttentionArray array_;
};

// svg: one picture, or with -o FOLDER/ one for each image.
class ImageDrawings : public OfImages {
 public:
  ImageDrawings(const Options& o, const VisionTracer& tracer, Output& output) : OfImages(o, tracer, output) {
    if (writes_folder(o)) folder_.emplace(o.output);
  }

  void add(std::int64_t number, VisionTrace trace, const images::InputImage& image) override {
    const bool is_known = tracer_.labels().find(image.label) >= 0;
    ImageCaption caption{.name = image.name,
                         .predicted = label_of(trace),
                         .probability = trace.probability,
                         .label = is_known ? image.label : ""};
    if (options_.view == View::rollout) {
      tiles_.push_back({overlays(trace), std::move(caption)});
    } else {
      if (options_.is_mean_over_heads) trace.records = means_over_heads(trace.records);
      grids_.push_back({std::move(trace.records), std::move(caption)});
    }
    if (!folder_) return;
    folder_->add(number, ".svg", svg());
    tiles_.clear();
    grids_.clear();
  }

  void finish(std::int64_t images) override {
    if (folder_) return folder_->finish("images");
    const std::string drawn = svg();
    output_.write(drawn);
    note_large_picture(options_, drawn.size(), images, "image");
  }

 private:
  std::string svg() const {
    const std::size_t count = tiles_.size() + grids_.size();
    const std::string title = count == 1
                                  ? (tiles_.empty() ? grids_.front().caption : tiles_.front().caption).name
                                  : title_of(static_cast<std::int64_t>(count));
    if (options_.view == View::rollout) return overlay_page_svg(tiles_, title);
    // One panel has room for the names of its tokens.
    const bool is_one = grids_.size() == 1 && grids_.front().records.size() == 1;
    return is_one ? heat_map_svg(grids_.front().records, {.title = title})
                  : attention_grid_svg(grids_, title);
  }

  std::optional<ResultFolder> folder_;
  std::vector<OverlayTile> tiles_;
  std::vector<GridImage> grids_;
};

// html: a page to look around in.
class ImagesPage : public OfImages {
 public:
  using OfImages::OfImages;

  void add(std::int64_t number, VisionTrace trace, const images::InputImage& image) override {
    // What lies beyond the last whole patch is not read, and would shift the others.
    const Picture whole = picture_of(tracer_.settings().image_shape(), trace.seen);
    const std::int64_t size = tracer_.settings().patch_size;
    const auto rows = static_cast<std::int64_t>(tokens_.rows),
               columns = static_cast<std::int64_t>(tokens_.columns);
    PageImage seen{.picture = cropped(whole, rows * size, columns * size), .rows = rows, .columns = columns};
    pages_.push_back({number, image.name, std::move(trace.records), std::move(seen)});
  }

  void finish(std::int64_t /*images*/) override {
    output_.write(attention_page(std::move(pages_), name_of_model(options_.model) + ": attention"));
  }

 private:
  std::vector<PageExample> pages_;
};

// png: a sheet of images with their overlays.
class ImageSheet : public OfImages {
 public:
  using OfImages::OfImages;

  void add(std::int64_t /*number*/, VisionTrace trace, const images::InputImage& /*image*/) override {
    pictures_.push_back(overlays(trace));
  }

  void finish(std::int64_t /*images*/) override {
    constexpr std::int64_t kMaxWidth = 1280, kGap = 10;
    if (pictures_.empty()) throw Error("no images, so there is no picture (give one at least)");
    const std::int64_t columns = (kMaxWidth + kGap) / (pictures_.front().width + kGap);
    output_.write(png_of(sheet(pictures_, std::max<std::int64_t>(columns, 1), kGap)));
  }

 private:
  std::vector<Picture> pictures_;
};

std::unique_ptr<ImageFormat> image_format(const Options& o, const VisionTracer& tracer, Output& output) {
  if (o.view == View::heads) return std::make_unique<ImageHeads>(o, tracer, output);
  if (o.view == View::distance) return std::make_unique<ImageDistance>(o, tracer, output);
  if (o.format == Format::npy) return std::make_unique<ImageArrays>(o, tracer, output);
  if (o.format == Format::svg) return std::make_unique<ImageDrawings>(o, tracer, output);
  if (o.format == Format::html) return std::make_unique<ImagesPage>(o, tracer, output);
  if (o.format == Format::png) return std::make_unique<ImageSheet>(o, tracer, output);
  return std::make_unique<ImageRows>(o, tracer, output);
}

}  // namespace

void dump_images(const Options& o, const AttentionSelection& selection, const ModelFolder& folder) {
  VisionTracer tracer(load_vision_model(folder));
  images::ImageInputs inputs(o.texts,
                             images::input_settings(tracer.settings(), tracer.reading(), o.is_resized));
  Output output(writes_folder(o) ? fs::path() : o.output);
  tracer.check(selection);
  const std::unique_ptr<ImageFormat> format = image_format(o, tracer, output);
  cli::Progress progress("attn-dump", static_cast<double>(o.first.value_or(0)), "images",
                         o.is_quiet || (o.output.empty() && format->writes_meanwhile()),
                         cli::Progress::Takes::minutes);
  images::InputImage image;
  std::int64_t number = 0;
  for (; (!o.first || number < *o.first) && inputs.next(image); ++number) {
    if (number == 0) format->begin();
    format->add(
        number,
        tracer.trace({.number = number, .where = image.name, .shape = image.shape, .pixels = image.pixels},
                     selection),
        image);
    output.flush();
    progress.update(static_cast<double>(number + 1), static_cast<double>(number + 1), "");
  }
  progress.clear();
  if (number == 0) format->begin();
  format->finish(number);
  output.finish();
  if (!o.is_quiet) inputs.note();
}

}  // namespace headwater::attn_dump
