// The images that a program is given: files, folders, data sets that vectorize --images wrote, and paths on
// standard input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "data/image_dataset.hpp"
#include "data/image_folder.hpp"
#include "data/resize.hpp"
#include "support/files.hpp"

namespace headwater::images {

struct InputImage {
  std::string name;  // of messages: its path; of a data set "set.safetensors:17", from 0
  std::string path;  // the same for tables, whatever characters it has
  ImageShape shape;
  std::span<const std::uint8_t> pixels;  // valid until the next image is read
  std::string
      label;  // of a data set its label; of a file in a folder that was named the folder that it lies in
};

// Whether the file is a data set of images or another safetensors file, by its first bytes.
bool is_data_set(const fs::path& path);

// The path as data hold it (JSON, CSV): whole, and as it is, but for bytes that are no UTF-8: these are
// U+FFFD.
std::string path_text(const fs::path& path);

// What an operand stands for: itself, or all images in the folder and below. Throws Error for a folder
// without images.
std::vector<fs::path> image_files_of(const fs::path& operand);
// Adds the images in folders among the operands to the inputs of the run, before anything is written. Throws
// UsageError where one is an output of it.
void add_folders(const std::vector<std::string>& operands);
// The path of an image on a line of standard input, in whatever bytes. Throws Error "what" for an empty line,
// and for one with a NUL byte.
fs::path path_of_line(std::string_view line);

struct InputSettings {
  ImageShape wanted;           // 0: any
  bool resizes_files = false;  // of other sides than wanted, as vectorize --resize does
  ImageReading reading = {};   // of files; a set must have been read so, too
  // Where files become images of these sides: how, for a note.
  std::string filter = {};
  std::int64_t model_height = 0, model_width = 0;
};

class ImageInputs {
 public:
  // Each of `paths` is an image file, a folder (all images in it and below) or a data set; "-" or none is
  // standard input with the path of an image file on each line. Grey images become colours and the other way
  // round, as wanted; a data set is one of images as wanted. Throws UsageError where an image is an output of
  // the run.
  ImageInputs(std::vector<std::string> paths, const InputSettings& settings);

  // False at the end. Throws Error "path: what (fix)".
  bool next(InputImage& image);

  // Says on standard error what was dropped from the lines of standard input, and which files could have been
  // read otherwise.
  void note() const;

 private:
  bool next_of_open(InputImage& image);
  bool next_of_lines(InputImage& image);
  void open(const std::string& path);
  void read(const fs::path& path, const std::string& label, InputImage& image);

  std::vector<std::string> paths_;
  std::size_t opened_ = 0;  // of paths_
  InputSettings settings_;
  // What is open: at most one of them.
  std::unique_ptr<cli::LineReader> lines_;
  std::vector<fs::path> files_;
  std::optional<ImageDataset> set_;
  std::int64_t at_ = 0;  // the next of files_ or set_
  bool is_at_end_of_lines_ = false;
  ImageFileReader reader_;
  DecodedImage image_;
};

// Whose images a set must have been read alike.
inline constexpr std::string_view kLearnedFrom = "those that the model learned from";

// On standard error, of the files that were read: how many are transparent, and how many have a tag of
// orientation, and what became of them, as a model wants it; and how many were resized, with that filter.
void note_files(const ImageFileReader& files, const std::string& filter);
// The filter of a published model, and of --resize otherwise.
std::string filter_text(const std::optional<PublishedResize>& published);
// The same where options choose it: the line, which begins with the place, says which.
void note_chosen_files(const ImageFileReader& files, const std::string& place);

}  // namespace headwater::images
