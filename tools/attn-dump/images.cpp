// Images: weights between patches.
#include "cli/tool.hpp"
#include "reports/heat_map.hpp"
#include "support/error.hpp"
#include "tasks/vision_attention.hpp"
#include "tools/attn-dump/attn_dump.hpp"
#include "tools/images/inputs.hpp"

namespace headwater::attn_dump {
namespace {

void check_options(const Options& o) {
  if (!o.target.empty()) throw UsageError("--target: only a translator reads one");
  if (o.reader.column != 0) throw UsageError("--column is of texts, " + o.model + " is a model of images");
}

ImageShape wanted_shape(const VisionSettings& settings) {
  ImageShape shape = settings.image_shape();
  if (settings.images.takes_other_sizes()) shape.height = shape.width = 0;
  return shape;
}

// Images in, records out.
class ImageDump {
 public:
  ImageDump(const Options& o, const AttentionSelection& selection, const fs::path& files)
      : options_(o),
        selection_(selection),
        tracer_(load_vision_model(files)),
        tokens_(patch_tokens(tracer_.settings())),
        inputs_(o.texts, wanted_shape(tracer_.settings())),
        output_(o.output) {
    tracer_.check(selection);
  }

  void run() {
    if (options_.format == "csv") output_.write(patch_attention_csv_header());
    images::InputImage image;
    for (std::int64_t number = 0; is_wanted(number) && inputs_.next(image); ++number) {
      VisionTrace trace = tracer_.trace(
          {.number = number, .where = image.name, .shape = image.shape, .pixels = image.pixels}, selection_);
      if (number == 0) title_ = image.name;
      if (number == 1) title_ = "Attention";
      write(std::move(trace.records));
    }
    finish();
    if (!options_.is_quiet) inputs_.note_dropped();
  }

 private:
  bool is_wanted(std::int64_t number) const { return !options_.first || number < *options_.first; }

  void write(std::vector<AttentionRecord> records) {
    for (AttentionRecord& record : records) {
      text_.clear();
      if (options_.format == "csv") {
        append_patch_attention_csv(text_, record, tokens_);
      } else if (options_.format == "matrix") {
        append_attention_matrix(text_, record);
      } else {
        kept_.push_back(std::move(record));
      }
      output_.write(text_);
    }
    output_.flush();
  }

  void finish() {
    if (options_.format == "npy") output_.write(attention_npy(kept_));
    if (options_.format == "svg") {
      output_.write(
          heat_map_svg(kept_, {.title = title_, .is_mean_over_heads = options_.is_mean_over_heads}));
    }
    output_.finish();
  }

  const Options& options_;
  AttentionSelection selection_;
  VisionTracer tracer_;
  PatchTokens tokens_;
  images::ImageInputs inputs_;
  Output output_;
  std::vector<AttentionRecord> kept_;  // of formats that need all
  std::string title_;                  // of a picture: the image's name, where it is one
  std::string text_;
};

}  // namespace

void dump_images(const Options& o, const AttentionSelection& selection, const fs::path& files) {
  check_options(o);
  ImageDump(o, selection, files).run();
}

}  // namespace headwater::attn_dump
