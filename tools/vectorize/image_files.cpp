// Images in PNG and JPEG files: folders that are labels, or a list of paths and labels.
#include <algorithm>
#include <optional>

#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/image_file.hpp"
#include "data/image_folder.hpp"
#include "data/labels.hpp"
#include "data/resize.hpp"
#include "families/label_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tools/images/inputs.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater::vectorize {
namespace {

class FileSource : public ImageSource {
 public:
  FileSource(std::vector<LabelledImageFile> files, const LabelSet& set, const ImageOptions& o)
      : files_(std::move(files)),
        place_(shown(o.images.front())),
        reader_({.background = background_of(o.background), .applies_orientation = o.applies_orientation}) {
    for (const LabelledImageFile& file : files_) cli::run_files().reads(file.path);
    names = set.labels();
    classes = set.size();
    for (LabelledImageFile& file : files_) {
      const std::int32_t label = set.find(file.label);
      if (label < 0) {
        throw Error(shown(file.path) + ": the label " + quote(file.label) + " is not in " +
                    shown(o.label_names) + " (" + set.shown() + ")");
      }
      labels.push_back(label);
      file.label = std::string();
    }
    read_shapes(o);
  }

  void read(std::int64_t image, std::span<std::uint8_t> out) const override {
    const fs::path& path = files_[image].path;
    reader_.read(path, [&](DecodedImage& decoded) { convert(decoded, shown(path), out); });
  }
  void note() const override { images::note_chosen_files(reader_, place_); }

 private:
  // The shape of all images: colour where one of them has colours. Reads every header.
  void read_shapes(const ImageOptions& o) {
    std::vector<ImageHeader> headers(files_.size());
    std::vector<std::optional<std::string>> faults(files_.size());
    parallel_for(static_cast<std::int64_t>(files_.size()), [&](std::int64_t task) {
      const std::size_t i = task;
      try {
        headers[i] = reader_.read_header(files_[i].path);
      } catch (const Error& error) {
        faults[i] = error.what();
      }
    });
    shape = {.height = o.height, .width = o.width, .channels = 1};
    if (shape.height == 0) shape = headers.front().shape;
    reading = ImageSetReading{.reading = reader_.reading()};
    for (std::size_t i = 0; i < headers.size(); ++i) {
      if (faults[i].has_value()) throw Error(*faults[i]);
      const ImageHeader& header = headers[i];
      shape.channels = std::max(shape.channels, header.shape.channels);
      reading->has_transparency = reading->has_transparency || header.may_be_transparent;
      reading->has_orientation = reading->has_orientation || header.orientation != 1;
      if (o.height == 0 && !has_sides_of(header.shape)) {
        throw Error(shown(files_[i].path) + ": an image of " + sides(header.shape) + " pixels, " +
                    shown(files_.front().path) + " has " + sides(shape) + " (give --resize HxW)");
      }
    }
    is_resized_ = o.height > 0;
  }

  static std::string sides(const ImageShape& s) {
    return std::to_string(s.height) + "x" + std::to_string(s.width);
  }
  bool has_sides_of(const ImageShape& other) const {
    return other.height == shape.height && other.width == shape.width;
  }

  void convert(DecodedImage& image, const std::string& where, std::span<std::uint8_t> out) const {
    if (is_resized_) resize_image(image, shape.height, shape.width);
    // A grey image among coloured ones has three equal channels.
    if (image.shape.channels == 1) convert_channels(image, shape.channels, where);
    if (image.shape != shape) throw Error(where + ": changed while it was read (try again)");
    std::copy(image.pixels.begin(), image.pixels.end(), out.begin());
  }

  std::vector<LabelledImageFile> files_;
  std::string place_;
  bool is_resized_ = false;
  ImageFileReader reader_;
};

// The set of a folder's or a list's labels, or the one that is given.
LabelSet label_set(const std::vector<std::string>& found, const ImageOptions& o) {
  if (!o.label_names.empty()) return load_label_names(o.label_names);
  WordTable counts;
  for (const std::string& label : found) ++counts.value(label);
  return LabelSet::parse(LabelSet::learn(counts).to_text(), shown(o.images.front()));
}

}  // namespace

std::unique_ptr<ImageSource> open_image_folder(const ImageOptions& o) {
  const fs::path& folder = o.images.front();
  ImageFolder found = read_image_folder(folder);
  if (found.others > 0 && !o.is_quiet) {
    cli::note(shown(folder) + ": " + counted(found.others, "other file") +
              " passed over (images end in .png, .jpg or .jpeg)");
  }
  const LabelSet set = label_set(found.labels, o);
  return std::make_unique<FileSource>(std::move(found.files), set, o);
}

std::unique_ptr<ImageSource> open_image_list(const ImageOptions& o) {
  cli::LineReader reader({o.images.front().string()}, {.has_columns = true});
  std::vector<LabelledImageFile> files;
  std::vector<std::string> labels;
  std::string_view line;
  while (reader.next(line)) {
    try {
      files.push_back(parse_image_line(line));
    } catch (const Error& error) {
      throw Error(reader.place() + ": " + error.what());
    }
    labels.push_back(files.back().label);
  }
  if (files.empty()) throw Error(shown(o.images.front()) + ": no images (a path, a TAB and a label a line)");
  const LabelSet set = label_set(labels, o);
  return std::make_unique<FileSource>(std::move(files), set, o);
}

}  // namespace headwater::vectorize
