// Images in files of records: IDX and CIFAR.
#include <algorithm>

#include "data/image_records.hpp"
#include "data/labels.hpp"
#include "families/label_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater::vectorize {
namespace {

// `place` names the labels of a file whose images are `labels`.
void check_names(const fs::path& place, std::span<const std::int64_t> labels, const ImageOptions& o,
                 std::int64_t names) {
  const auto nameless =
      std::find_if(labels.begin(), labels.end(), [&](auto label) { return label >= names; });
  if (nameless == labels.end()) return;
  throw Error(shown(place) + ": image " + std::to_string(nameless - labels.begin()) +
              " (from 0) has the label " + std::to_string(*nameless) + ", but " + shown(o.label_names) +
              " names " + std::to_string(names) + " (one a line, the first is label 0)");
}

class IdxSource : public ImageSource {
 public:
  explicit IdxSource(const ImageOptions& o) : file_(o.images.front()) {
    images_ = read_idx_images(file_.bytes(), shown(o.images.front()));
    const MappedFile label_file(o.labels);
    const std::span<const std::uint8_t> read = read_idx_labels(label_file.bytes(), shown(o.labels));
    if (static_cast<std::int64_t>(read.size()) != images_.count) {
      throw Error(shown(o.labels) + ": " + format_count(static_cast<std::int64_t>(read.size())) +
                  " labels for the " + format_count(images_.count) + " images of " + shown(o.images.front()) +
                  " (give the two files of one set)");
    }
    shape = images_.shape;
    labels.assign(read.begin(), read.end());
    classes = *std::max_element(labels.begin(), labels.end()) + 1;
    if (o.label_names.empty()) return;
    names = load_label_names(o.label_names).labels();
    classes = static_cast<std::int64_t>(names.size());
    check_names(o.labels, labels, o, classes);
  }
  void read(std::int64_t image, std::span<std::uint8_t> out) const override {
    std::ranges::copy(images_.pixels.subspan(static_cast<std::size_t>(image) * out.size(), out.size()),
                      out.begin());
  }

 private:
  MappedFile file_;
  IdxImages images_;
};

class CifarSource : public ImageSource {
 public:
  explicit CifarSource(const ImageOptions& o) {
    shape = kCifarShape;
    if (!o.label_names.empty()) names = load_label_names(o.label_names).labels();
    for (const fs::path& path : o.images) add(path, o);
    if (!names.empty()) classes = static_cast<std::int64_t>(names.size());
  }
  void read(std::int64_t image, std::span<std::uint8_t> out) const override {
    const auto after = std::upper_bound(files_.begin(), files_.end(), image,
                                        [](std::int64_t i, const File& file) { return i < file.first; });
    const File& file = *std::prev(after);
    file.images.read_pixels(image - file.first, out);
  }

 private:
  struct File {
    std::int64_t first = 0;  // the number of its first image
    MappedFile bytes;
    CifarImages images;
  };

  void add(const fs::path& path, const ImageOptions& o) {
    MappedFile bytes(path);
    const CifarImages images = read_cifar_images(bytes.bytes(), shown(path));
    if (!files_.empty() && images.classes != classes) {
      throw Error(shown(path) + ": is of CIFAR-" + std::to_string(images.classes) + ", " +
                  shown(o.images.front()) + " of CIFAR-" + std::to_string(classes) +
                  " (give the files of one set)");
    }
    classes = images.classes;
    const std::size_t before = labels.size();
    for (std::int64_t i = 0; i < images.count; ++i) labels.push_back(images.label(i));
    if (!names.empty()) {
      check_names(path, std::span(labels).subspan(before), o, static_cast<std::int64_t>(names.size()));
    }
    files_.push_back({static_cast<std::int64_t>(before), std::move(bytes), images});
  }

  std::vector<File> files_;
};

}  // namespace

std::unique_ptr<ImageSource> open_idx(const ImageOptions& o) { return std::make_unique<IdxSource>(o); }
std::unique_ptr<ImageSource> open_cifar(const ImageOptions& o) { return std::make_unique<CifarSource>(o); }

}  // namespace headwater::vectorize
