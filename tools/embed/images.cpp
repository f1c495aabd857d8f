// Images: vectors of them, or of their patches.
#include "cli/progress.hpp"
#include "decoding/embed.hpp"
#include "families/vision/attention.hpp"
#include "support/error.hpp"
#include "tools/embed/embed.hpp"
#include "tools/images/model_inputs.hpp"

namespace headwater::embed {
namespace {

constexpr std::int64_t kImagesAtOnce = 64;

class Images {
 public:
  Images(const Options& o, const LoadedVisionModel& model)
      : o_(o),
        embeddings_(model, settings_of(o)),
        token_names_(patch_names(patch_tokens(model.model->settings()))),
        writer_(o, embeddings_.width()) {}

  void add(const images::InputImage& image) {
    embeddings_.add(image.name, image.shape, image.pixels);
    names_.push_back(image.name);
    if (embeddings_.images() == kImagesAtOnce) write();
  }

  void finish() {
    if (embeddings_.images() > 0) write();
    writer_.finish();
  }

 private:
  void write() {
    const auto images = static_cast<Index>(names_.size());
    try {
      const ConstMatrix found = embeddings_.vectors();
      const Index rows = found.rows / images;
      if (!o_.has_tokens) writer_.add(found);
      for (Index i = 0; o_.has_tokens && i < images; ++i)
        writer_.add_tokens({found.row(i * rows), rows, found.cols}, token_names_, {});
    } catch (const LineError& error) {
      throw Error(names_[error.line] + ": " + error.what());
    }
    names_.clear();
    writer_.flush();
  }

  const Options& o_;
  ImageEmbeddings embeddings_;
  std::vector<std::string> token_names_;
  VectorWriter writer_;
  std::vector<std::string> names_;  // of the images that were added last
};

}  // namespace

void embed_images(const Options& o, const ModelFolder& folder) {
  const LoadedVisionModel model = load_vision_model(folder);
  images::ImageInputs inputs(o.inputs,
                             images::input_settings(model.model->settings(), model.reading, o.is_resized));
  Images images(o, model);
  cli::Progress progress("embed", 0, "images", o.is_quiet || (o.output.empty() && o.format == "text"),
                         cli::Progress::Takes::minutes);
  images::InputImage image;
  for (std::int64_t count = 1; inputs.next(image); ++count) {
    images.add(image);
    progress.update(static_cast<double>(count), static_cast<double>(count), "");
  }
  progress.clear();
  images.finish();
  if (!o.is_quiet) inputs.note();
}

}  // namespace headwater::embed
