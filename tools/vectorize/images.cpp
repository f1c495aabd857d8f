#include "tools/vectorize/images.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/idx.hpp"
#include "data/image_dataset.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "text/labels.hpp"

namespace headwater::vectorize {
namespace {

void check_paths(const ImageOptions& o) {
  for (const fs::path& input : {o.images, o.labels, o.label_names}) {
    if (input == "-")
      throw UsageError("images and their labels are not read from standard input (name files)");
  }
  cli::check_result_file(o.output);
}

void check_names(const ImageOptions& o, std::span<const std::uint8_t> labels, std::int32_t names) {
  const auto nameless = std::find_if(labels.begin(), labels.end(), [&](int label) { return label >= names; });
  if (nameless == labels.end()) return;
  throw Error(shown(o.labels) + ": image " + std::to_string(nameless - labels.begin()) +
              " (from 0) has the label " + std::to_string(*nameless) + ", but " + shown(o.label_names) +
              " names " + std::to_string(names) + " (one a line, the first is label 0)");
}

}  // namespace

void write_images(const ImageOptions& o) {
  check_paths(o);
  const MappedFile image_file(o.images), label_file(o.labels);
  const IdxImages images = read_idx_images(image_file.bytes(), shown(o.images));
  const std::span<const std::uint8_t> labels = read_idx_labels(label_file.bytes(), shown(o.labels));
  if (static_cast<std::int64_t>(labels.size()) != images.count) {
    throw Error(shown(o.labels) + ": " + format_count(static_cast<std::int64_t>(labels.size())) +
                " labels for the " + format_count(images.count) + " images of " + shown(o.images) +
                " (give the two files of one set)");
  }
  std::vector<std::string> names;
  if (!o.label_names.empty()) {
    names = LabelSet::load(o.label_names).labels();
    check_names(o, labels, static_cast<std::int32_t>(names.size()));
  }
  const std::vector<std::int64_t> numbers(labels.begin(), labels.end());
  const LabelledImages all{
      .shape = images.shape, .pixels = images.pixels, .labels = numbers, .label_names = names};
  cli::write_result_file(o.output, [&](const cli::TakePiece& take) { write_image_dataset(all, take); });
  if (o.is_quiet) return;
  const std::int64_t classes = names.empty() ? *std::max_element(labels.begin(), labels.end()) + 1
                                             : static_cast<std::int64_t>(names.size());
  cli::note(o.output.string() + ": " + counted(images.count, "image") + " of " + images.shape.text() + ", " +
            counted(classes, "label"));
}

}  // namespace headwater::vectorize
