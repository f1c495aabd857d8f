#include "tools/images/inputs.hpp"

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "data/image_folder.hpp"
#include "data/resize.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"

namespace headwater::images {

bool is_data_set(const fs::path& path) { return !is_image_name(path) && begins_as_safetensors(path); }

std::string path_text(const fs::path& path) {
  std::string_view rest = path.native();
  std::string text;
  for (std::size_t bad = find_invalid_utf8(rest);; bad = find_invalid_utf8(rest)) {
    text += rest.substr(0, bad);
    if (bad == rest.npos) return text;
    append_utf8(text, U'\uFFFD');
    rest.remove_prefix(bad + 1);
  }
}

std::vector<fs::path> image_files_of(const fs::path& operand) {
  std::error_code none;
  if (!fs::is_directory(operand, none)) return {operand};
  std::vector<fs::path> found = find_image_files(operand);
  if (!found.empty()) return found;
  throw Error(shown(operand) + ": no images in this folder (they end in .png, .jpg or .jpeg)");
}

void add_folders(const std::vector<std::string>& operands) {
  std::error_code none;
  for (const std::string& path : operands) {
    if (!fs::is_directory(path, none)) continue;
    for (const fs::path& file : image_files_of(path)) cli::run_files().reads(file);
  }
}

fs::path path_of_line(std::string_view line) {
  if (line.empty()) throw Error("an empty line where the path of an image is wanted");
  if (line.find('\0') != line.npos)
    throw Error("a NUL byte in a path (one path a line, as find writes them without -print0)");
  return line;
}

ImageInputs::ImageInputs(std::vector<std::string> paths, const InputSettings& settings)
    : paths_(std::move(paths)), settings_(settings), reader_(settings.reading) {
  if (paths_.empty()) paths_.emplace_back("-");
  add_folders(paths_);
}

bool ImageInputs::next(InputImage& image) {
  while (!next_of_open(image)) {
    if (opened_ == paths_.size()) return false;
    open(paths_[opened_++]);
  }
  return true;
}

bool ImageInputs::next_of_open(InputImage& image) {
  if (lines_ && !is_at_end_of_lines_) return next_of_lines(image);
  const std::size_t i = at_;
  if (i < files_.size()) {
    ++at_;
    const bool is_in_folder = files_[i] != paths_[opened_ - 1];
    read(files_[i], is_in_folder ? files_[i].parent_path().filename().string() : "", image);
    return true;
  }
  if (!set_ || at_ >= set_->examples()) return false;
  const std::string &set = paths_[opened_ - 1], number = ":" + std::to_string(at_);
  image = {shown(set) + number, path_text(set) + number, set_->shape(), set_->pixels(at_),
           set_->label_names()[set_->label(at_)]};
  ++at_;
  return true;
}

bool ImageInputs::next_of_lines(InputImage& image) {
  std::string_view line;
  if (!lines_->next(line)) {
    is_at_end_of_lines_ = true;
    return false;
  }
  try {
    const fs::path path = path_of_line(line);
    cli::run_files().reads(path);
    read(path, "", image);
  } catch (const Error& error) {
    throw Error(cli::at_place(lines_->place(), error.what()));
  }
  return true;
}

void ImageInputs::open(const std::string& path) {
  at_ = 0;
  files_.clear();
  set_.reset();
  if (path == "-") {
    if (lines_) return;
    lines_ = std::make_unique<cli::LineReader>(std::vector<std::string>{"-"},
                                               cli::LineReaderSettings{.check_utf8 = false});
  } else if (is_data_set(path)) {
    set_.emplace(ImageDatasetSettings{.shape = settings_.wanted});
    set_->add_file(path);
    set_->finish(path, false);
    set_->check_reading(settings_.reading, shown(path), kLearnedFrom);
  } else {
    files_ = image_files_of(path);
  }
}

void ImageInputs::read(const fs::path& path, const std::string& label, InputImage& image) {
  reader_.read(path, [&](DecodedImage& decoded) {
    convert_channels(decoded, settings_.wanted.channels, shown(path));
    const bool has_other_sides =
        decoded.shape.height != settings_.model_height || decoded.shape.width != settings_.model_width;
    if (!settings_.filter.empty() && has_other_sides) reader_.count_resized();
    if (settings_.resizes_files) resize_image(decoded, settings_.wanted.height, settings_.wanted.width);
    image_ = std::move(decoded);
  });
  image = {shown(path), path_text(path), image_.shape, image_.pixels, label};
}

void ImageInputs::note() const {
  if (lines_) lines_->note_dropped();
  note_files(reader_, settings_.filter);
}

namespace {

// "3 of 5 images are transparent"
std::string share(std::int64_t part, std::int64_t all, const char* one, const char* several) {
  return format_count(part) + " of " + counted(all, "image") + " " + (part == 1 ? one : several);
}

struct Words {
  std::string begin, laid, dropped, turned, not_turned;
};

void note_with(const ImageFileReader& files, const Words& words) {
  const ImageFileCounts counts = files.counts();
  if (counts.transparent > 0) {
    const Background& background = files.reading().background;
    cli::note(words.begin + share(counts.transparent, counts.images, "is transparent", "are transparent") +
              ": " +
              (background.drops_transparency ? words.dropped : "laid on " + background.name() + words.laid));
  }
  if (counts.oriented > 0) {
    cli::note(words.begin + share(counts.oriented, counts.images, "has a tag", "have a tag") +
              " of orientation: " + (files.reading().applies_orientation ? words.turned : words.not_turned));
  }
}

}  // namespace

std::string filter_text(const std::optional<PublishedResize>& published) {
  if (!published) return "with the bilinear filter, not antialiased";
  const auto number = static_cast<std::int64_t>(published->filter);
  const bool is_nearest = published->filter == ResizeFilter::nearest;
  return (published->is_resized
              ? "with the " + std::string(*name_of_filter(number)) + " filter of Pillow" +
                    (is_nearest ? "" : ", antialiased") + (published->is_cut ? ", and cut" : "")
              : std::string("cut")) +
         ", as preprocessor_config.json says";
}

void note_files(const ImageFileReader& files, const std::string& filter) {
  const std::string as = ", as " + std::string(kLearnedFrom);
  note_with(files, {.begin = "",
                    .laid = as,
                    .dropped = "dropped" + as,
                    .turned = "turned as it says" + as,
                    .not_turned = "not turned" + as});
  const ImageFileCounts counts = files.counts();
  if (counts.resized > 0)
    cli::note(share(counts.resized, counts.images, "was resized", "were resized") + " " + filter);
}

void note_chosen_files(const ImageFileReader& files, const std::string& place) {
  note_with(files,
            {.begin = place + ": ",
             .laid = " (--background chooses another colour, or drop)",
             .dropped = "dropped, so that the colours beneath show (--background white lays them on white)",
             .turned = "turned as it says",
             .not_turned = "not turned (--apply-orientation turns them)"});
}

}  // namespace headwater::images
