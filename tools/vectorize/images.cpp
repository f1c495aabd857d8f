#include "tools/vectorize/images.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/held_out.hpp"
#include "data/image_dataset.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace headwater::vectorize {

namespace {

// Images are read in parallel in groups of this size, and written in their order.
constexpr std::size_t kGroupBytes = std::size_t{1} << 24;
constexpr std::size_t kMaxGroup = 4096;

// Before the work, and with the place of the names.
void check_label_names(const ImageSource& source, const ImageOptions& o) {
  if (source.names.empty()) return;
  try {
    headwater::check_label_names(source.names);
  } catch (const Error& error) {
    throw Error(shown(o.label_names.empty() ? o.images.front() : o.label_names) +
                ": labels: " + error.what() + " (rename it)");
  }
}

// The pixels of these images, one after the other. Of several that fail the first one is named.
void read_group(const ImageSource& source, std::span<const std::uint32_t> group,
                std::span<std::uint8_t> out) {
  const std::size_t bytes = source.shape.bytes();
  std::vector<std::optional<std::string>> faults(group.size());
  parallel_for(static_cast<std::int64_t>(group.size()), [&](std::int64_t task) {
    const std::size_t i = task;
    try {
      source.read(group[i], out.subspan(i * bytes, bytes));
    } catch (const Error& error) {
      faults[i] = error.what();
    }
  });
  for (const std::optional<std::string>& fault : faults) {
    if (fault.has_value()) throw Error(*fault);
  }
}

void write_part(const ImageSource& source, std::span<const std::uint32_t> chosen, const fs::path& output) {
  std::vector<std::int64_t> labels;
  for (const std::uint32_t image : chosen) labels.push_back(source.labels[image]);
  const std::size_t bytes = source.shape.bytes();
  const std::size_t most = std::clamp<std::size_t>(kGroupBytes / bytes, 1, kMaxGroup);
  cli::write_result_file(output, [&](const cli::TakePiece& take) {
    write_image_dataset_head(
        {.shape = source.shape, .labels = labels, .label_names = source.names, .reading = source.reading},
        take);
    std::vector<std::uint8_t> pixels(std::min(most, chosen.size()) * bytes);
    for (std::size_t begin = 0; begin < chosen.size(); begin += most) {
      const auto group = chosen.subspan(begin, std::min(most, chosen.size() - begin));
      const auto out = std::span(pixels).first(group.size() * bytes);
      read_group(source, group, out);
      take(raw_bytes(out));
    }
  });
}

void report(const ImageSource& source, std::size_t images, const fs::path& output) {
  cli::note(cli::output_name(output) + ": " + counted(static_cast<std::int64_t>(images), "image") + " of " +
            source.shape.text() + ", " + counted(source.classes, "label"));
}

}  // namespace

void check_outputs(const fs::path& output, const fs::path& share) {
  cli::check_result_file(output);
  if (!share.empty()) cli::check_result_file(share);
}

std::pair<std::int64_t, std::int64_t> image_sides(const std::string& text) {
  if (text.empty()) return {0, 0};  // the option was not given
  const std::size_t x = std::min(text.find('x'), text.size());
  std::int64_t height = 0, width = 0;
  if (x == text.size() || !read_number(std::string_view(text).substr(0, x), height).empty() ||
      !read_number(std::string_view(text).substr(x + 1), width).empty() || std::min(height, width) < 1 ||
      std::max(height, width) > kMaxImageSide)
    throw Error(quote(text) + " is no height and width from 1 to " + std::to_string(kMaxImageSide) +
                " pixels (write 64x64)");
  return {height, width};
}

void write_images(const ImageOptions& o) {
  if (std::ranges::count(o.images, "-") > 0)
    throw UsageError("images and their labels are not read from standard input (name files)");
  check_outputs(o.output, o.validation);
  const std::unique_ptr<ImageSource> source = open_images(o);
  cli::check_ending(o.output, "-o", "safetensors");
  cli::check_ending(o.validation, "--validation", "safetensors");
  check_label_names(*source, o);
  const std::size_t count = source->labels.size();
  std::vector<std::uint32_t> held_out;
  if (!o.validation.empty()) {
    if (count < 2)
      throw Error(shown(o.images.front()) + ": one image cannot be split (leave out --validation)");
    held_out = split_by_seed(count, o.validation_fraction, o.seed);
  }
  std::vector<std::uint32_t> rest;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!std::binary_search(held_out.begin(), held_out.end(), i)) rest.push_back(i);
  }
  // -o last: where it is there, the other file is, too.
  if (!o.validation.empty()) write_part(*source, held_out, o.validation);
  write_part(*source, rest, o.output);
  if (o.is_quiet) return;
  source->note();
  report(*source, rest.size(), o.output);
  if (!o.validation.empty()) report(*source, held_out.size(), o.validation);
}

namespace {

void check_one(const ImageOptions& o, const std::string& what) {
  if (o.images.size() > 1)
    throw UsageError(what + " comes alone, not with " + shown(o.images[1]) + " (run the program for each)");
}

// Two zero bytes, which no list of paths begins with.
bool begins_like_idx(const fs::path& path) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return false;
  char bytes[2] = {1, 1};
  std::ifstream(path, std::ios::binary).read(bytes, 2);
  return bytes[0] == 0 && bytes[1] == 0;
}

}  // namespace

std::unique_ptr<ImageSource> open_images(const ImageOptions& o) {
  const fs::path& first = o.images.front();
  std::error_code fault;
  const bool is_folder = fs::is_directory(first, fault);
  const bool is_cifar = first.extension() == ".bin" && !is_folder && o.labels.empty();
  const bool is_idx = !o.labels.empty() || (!is_folder && !is_cifar && begins_like_idx(first));
  if ((o.height > 0 || o.chooses_reading) && (is_cifar || is_idx))
    throw UsageError(std::string(o.height > 0 ? "--resize goes" : "--background and --apply-orientation go") +
                     " with folders and lists of images only (these have pixels of one size alone)");
  if (is_folder && !o.labels.empty())
    throw Error("--image-labels is of an IDX file, " + shown(first) +
                " is a folder (whose folders are the labels of their images)");
  if (is_cifar) return open_cifar(o);
  if (is_idx) {
    if (o.labels.empty())
      throw UsageError("--images " + shown(first) + ": an IDX file needs --image-labels FILE");
    check_one(o, "an IDX file");
    return open_idx(o);
  }
  check_one(o, is_folder ? "a folder of images" : "a list of images");
  return is_folder ? open_image_folder(o) : open_image_list(o);
}

}  // namespace headwater::vectorize
