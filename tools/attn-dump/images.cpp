// Images: weights between patches, their rollout over the layers, and how far heads look.
#include "cli/progress.hpp"
#include "families/model_directory.hpp"
#include "families/vision/attention.hpp"
#include "reports/attention_distance_svg.hpp"
#include "reports/attention_grid.hpp"
#include "reports/attention_overlay.hpp"
#include "reports/attention_page.hpp"
#include "reports/attention_table.hpp"
#include "reports/heat_map.hpp"
#include "reports/image_page.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/attn-dump/attn_dump.hpp"
#include "tools/images/model_inputs.hpp"

namespace headwater::attn_dump {
namespace {

void check_options(const Options& o) {
  if (!o.target.empty()) throw UsageError("--target: only a translator reads one");
  if (o.reader.column != 0 || o.reader.is_csv)
    throw UsageError(std::string(o.reader.is_csv ? "--csv" : "--column") + " is of texts, " + o.model +
                     " is a model of images");
  if (o.view == "lines") throw UsageError("--view lines is of texts, " + o.model + " is a model of images");
  if (o.view == "rollout" && (o.layer || o.head))
    throw UsageError("--view rollout goes through all layers and heads (without --layer and --head)");
  if (o.view == "rollout" && o.format != "csv" && o.format != "svg" && o.format != "png")
    throw UsageError("--format " + o.format + " is not of --view rollout (csv, svg or png)");
  if (o.view == "distance" && o.format != "csv" && o.format != "svg")
    throw UsageError("--format " + o.format + " is not of --view distance (csv or svg)");
}

// Images in, records out.
class ImageDump {
 public:
  ImageDump(const Options& o, const AttentionSelection& selection, const ModelFolder& folder)
      : options_(o),
        selection_(selection),
        tracer_(load_vision_model(folder)),
        tokens_(patch_tokens(tracer_.settings())),
        distance_(tokens_, tracer_.settings().patch_size),
        inputs_(o.texts, images::input_settings(tracer_.settings(), tracer_.reading(), o.is_resized)),
        output_(writes_folder(o) ? fs::path() : o.output) {
    tracer_.check(selection);
    if (writes_folder(o)) folder_.emplace(o.output);
    if (o.format == "npy" && !folder_) array_.emplace();
    if (o.view != "heads") return;
    heads_.emplace(o);
    distances_ = patch_distances(tokens_, tracer_.settings().patch_size);
  }

  void run() {
    // Rows that appear on standard output show by themselves how far it is.
    const bool writes_meanwhile =
        options_.output.empty() && options_.view != "distance" && !heads_ &&
        (options_.format == "csv" || options_.format == "json" || options_.format == "matrix");
    cli::Progress progress("attn-dump", static_cast<double>(options_.first.value_or(0)), "images",
                           options_.is_quiet || writes_meanwhile, cli::Progress::Takes::minutes);
    images::InputImage image;
    for (; (!options_.first || number_ < *options_.first) && inputs_.next(image); ++number_) {
      write_header();
      VisionTrace trace = tracer_.trace(
          {.number = number_, .where = image.name, .shape = image.shape, .pixels = image.pixels}, selection_);
      if (heads_) {
        add_heads(trace.records);
      } else if (options_.view == "distance") {
        distance_.add(trace.records);
      } else if (options_.format == "svg") {
        add_drawn(std::move(trace), image);
      } else if (options_.format == "html") {
        add_page(std::move(trace), image.name);
      } else if (options_.format == "png") {
        add_picture(trace);
      } else if (options_.view == "rollout") {
        write_rollout(trace, image.path);
      } else {
        write_weights(std::move(trace.records));
      }
      output_.flush();
      progress.update(static_cast<double>(number_ + 1), static_cast<double>(number_ + 1), "");
    }
    progress.clear();
    write_header();
    finish();
    if (!options_.is_quiet) inputs_.note();
  }

 private:
  // Once, when an image could be read or there was none.
  void write_header() {
    if (has_header_ || options_.format != "csv" || options_.view == "distance" || heads_) return;
    has_header_ = true;
    output_.write(options_.view == "weights" ? patch_attention_csv_header() : rollout_csv_header());
  }

  void add_heads(std::span<const AttentionRecord> records) {
    const TokenRoles roles{.queries = tokens_.count(),
                           .keys = tokens_.count(),
                           .distances = distances_,
                           .has_first = tokens_.has_class_token,
                           .is_of_patches = true};
    std::vector<HeadSums> sums;
    for (const AttentionRecord& record : records) sums.push_back(head_sums(record, roles));
    heads_->add(sums);
  }

  void write_weights(std::vector<AttentionRecord> records) {
    if (folder_) {
      folder_->add_arrays(
          records, [](const AttentionRecord&) { return AttentionTexts(); },
          [&](std::size_t i, AttentionArray& array) { array.rows(records[i].weights); });
      return;
    }
    for (AttentionRecord& record : records) {
      text_.clear();
      if (options_.format == "csv") {
        append_patch_attention_csv(text_, record, tokens_);
      } else if (options_.format == "json") {
        append_attention_json(text_, record);
      } else if (options_.format == "matrix") {
        append_attention_matrix(text_, record);
      } else {
        array_->add(record);
      }
      output_.write(text_);
    }
  }

  void write_rollout(const VisionTrace& trace, std::string_view name) {
    text_.clear();
    append_rollout_csv(text_,
                       {.example = number_,
                        .image = name,
                        .predicts = tracer_.labels().labels()[static_cast<std::size_t>(trace.label)],
                        .probability = trace.probability},
                       attention_rollout(trace.records, tokens_), tokens_);
    output_.write(text_);
  }

  void add_page(VisionTrace trace, const std::string& name) {
    // What lies beyond the last whole patch is not read, and would shift the others.
    const Picture whole = picture_of(tracer_.settings().image_shape(), trace.seen);
    const std::int64_t size = tracer_.settings().patch_size;
    PageImage image{.picture = cropped(whole, static_cast<std::int64_t>(tokens_.rows) * size,
                                       static_cast<std::int64_t>(tokens_.columns) * size),
                    .rows = static_cast<std::int64_t>(tokens_.rows),
                    .columns = static_cast<std::int64_t>(tokens_.columns)};
    pages_.push_back({number_, name, std::move(trace.records), std::move(image)});
  }

  // With --format svg: kept for the one picture, or a picture of its own.
  void add_drawn(VisionTrace trace, const images::InputImage& image) {
    const bool is_known = tracer_.labels().find(image.label) >= 0;
    ImageCaption caption{.name = image.name,
                         .predicted = tracer_.labels().labels()[static_cast<std::size_t>(trace.label)],
                         .probability = trace.probability,
                         .label = is_known ? image.label : ""};
    if (options_.view == "rollout") {
      tiles_.push_back({overlays(trace), std::move(caption)});
    } else {
      if (options_.is_mean_over_heads) trace.records = means_over_heads(trace.records);
      grids_.push_back({std::move(trace.records), std::move(caption)});
    }
    if (!folder_) return;
    folder_->add(number_, ".svg", svg());
    tiles_.clear();
    grids_.clear();
  }

  std::string svg() const {
    const std::string title =
        tiles_.size() + grids_.size() == 1
            ? (tiles_.empty() ? grids_.front().caption : tiles_.front().caption).name
            : name_of_model(options_.model) + ", " +
                  counted(static_cast<std::int64_t>(tiles_.size() + grids_.size()), "image");
    if (options_.view == "rollout") return overlay_page_svg(tiles_, title);
    // One panel has room for the names of its tokens.
    const bool is_one = grids_.size() == 1 && grids_.front().records.size() == 1;
    return is_one ? heat_map_svg(grids_.front().records, {.title = title})
                  : attention_grid_svg(grids_, title);
  }

  void add_picture(const VisionTrace& trace) { pictures_.push_back(overlays(trace)); }

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
    if (options_.view == "rollout") add_overlay(attention_rollout(records, tokens_));
    for (std::size_t begin = 0; begin < records.size() && options_.view == "weights";) {
      std::size_t end = begin + 1;
      while (end < records.size() && records[end].layer == records[begin].layer) ++end;
      add_overlay(attention_of_output(records.subspan(begin, end - begin), tokens_));
      begin = end;
    }
    return sheet(panels, static_cast<std::int64_t>(panels.size()), 2);
  }

  std::string png() const {
    constexpr std::int64_t kMaxWidth = 1280, kGap = 10;
    if (pictures_.empty()) throw Error("no images, so there is no picture (give one at least)");
    const std::int64_t columns = (kMaxWidth + kGap) / (pictures_.front().width + kGap);
    return png_of(sheet(pictures_, std::max<std::int64_t>(columns, 1), kGap));
  }

  void finish() {
    if (heads_) {
      output_.write(heads_->output("image"));
    } else if (options_.view == "distance") {
      const std::vector<AttentionDistance::Row> rows = distance_.rows();
      output_.write(options_.format == "csv" ? attention_distance_csv(rows)
                                             : attention_distance_svg(rows, distance_title()));
    } else if (folder_) {
      folder_->finish("images");
    } else if (options_.format == "html") {
      output_.write(attention_page(std::move(pages_), name_of_model(options_.model) + ": attention"));
    } else if (options_.format == "npy") {
      array_->write([&](std::string_view bytes) { output_.write(bytes); });
    } else if (options_.format == "svg") {
      const std::string drawn = svg();
      output_.write(drawn);
      note_large_picture(options_, drawn.size(), number_, "image");
    } else if (options_.format == "png") {
      output_.write(png());
    }
    output_.finish();
  }

  std::string distance_title() const {
    return name_of_model(options_.model) + ", " + counted(number_, "image");
  }

  const Options& options_;
  AttentionSelection selection_;
  VisionTracer tracer_;
  PatchTokens tokens_;
  AttentionDistance distance_;
  images::ImageInputs inputs_;
  Output output_;
  std::optional<ResultFolder> folder_;
  std::optional<HeadReport> heads_;
  std::vector<double> distances_;  // between patches, of heads
  bool has_header_ = false;
  std::int64_t number_ = 0;              // of the image, from 0
  std::optional<AttentionArray> array_;  // of --format npy
  std::vector<Picture> pictures_;        // an image with its overlays each
  std::vector<OverlayTile> tiles_;       // the same of --format svg
  std::vector<GridImage> grids_;
  std::vector<PageExample> pages_;  // of --format html
  std::string text_;
};

}  // namespace

void dump_images(const Options& o, const AttentionSelection& selection, const ModelFolder& folder) {
  check_options(o);
  ImageDump(o, selection, folder).run();
}

}  // namespace headwater::attn_dump
