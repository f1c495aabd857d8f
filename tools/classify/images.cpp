// Images of files, whose paths are operands or lines, and of data sets.
#include <algorithm>
#include <span>

#include "cli/progress.hpp"
#include "cli/result_file.hpp"
#include "decoding/classify.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "tools/classify/classify.hpp"
#include "tools/images/inputs.hpp"

namespace headwater::classify {
namespace {

constexpr const char* kInput = "-";

class ImageFiles {
 public:
  ImageFiles(const Options& o, const ModelFolder& folder)
      : o_(o),
        model_(load_vision_model(folder)),
        labeller_(model_, o.is_resized),
        writer_(o, model_.labels, model_.gives_many_labels) {}

  // Writes a line for each. Of a bad file throws LineError, after the lines of those before it.
  void label(std::span<const fs::path> files) {
    try {
      write(files);
    } catch (const LineError& error) {
      write(files.first(error.line));
      throw;
    }
  }

  void note() const {
    if (!o_.is_quiet)
      images::note_files(labeller_.files(), images::filter_text(model_.model->settings().images.published));
  }

  // The same of a file that vectorize --images wrote.
  void label_set(const std::string& path) {
    const VisionSettings& settings = model_.model->settings();
    ImageDataset set({.shape = image_settings(settings).shape});
    set.add_file(path);
    set.finish(path, false);
    set.check_reading(model_.reading, shown(path), images::kLearnedFrom);
    const ImagePipeline pipeline = image_pipeline(settings, model_.statistics, set, path);
    cli::Progress progress("classify", static_cast<double>(set.examples()), "images", o_.is_quiet,
                           cli::Progress::Takes::minutes);
    const auto number = [](std::int64_t image) { return ":" + std::to_string(image); };
    for (std::int64_t begin = 0; begin < set.examples(); begin += o_.batch) {
      progress.update(static_cast<double>(begin), static_cast<double>(begin), "");
      const std::int64_t end = std::min(set.examples(), begin + o_.batch);
      names_.clear();
      for (std::int64_t image = begin; image < end; ++image)
        names_.push_back(images::path_text(path) + number(image));
      try {
        writer_.write(labeller_.of_images(set, pipeline, begin, end), names_);
      } catch (const LineError& error) {
        throw Error(shown(path) + number(begin + static_cast<std::int64_t>(error.line)) + ": " +
                    error.what());
      }
    }
  }

 private:
  void write(std::span<const fs::path> files) {
    if (files.empty()) return;
    names_.clear();
    for (const fs::path& file : files) names_.push_back(images::path_text(file));
    writer_.write(labeller_.of_files(files), names_);
  }

  const Options& o_;
  LoadedVisionModel model_;
  ImageLabeller labeller_;
  RowWriter writer_;
  std::vector<std::string> names_;
};

// A path a line, from standard input.
void label_lines(const Options& o, ImageFiles& labelled) {
  cli::LineReaderSettings settings = o.reader;
  settings.check_utf8 = false;  // a file's name may be of any bytes
  cli::LineReader reader({kInput}, settings);
  reader.show_progress(o.is_quiet);
  std::vector<fs::path> files;
  reader.for_each_batch(o.batch, [&](const std::vector<std::string>& lines) {
    files.clear();
    std::string fault;
    for (const std::string& line : lines) {
      try {
        fs::path path = images::path_of_line(line);
        cli::run_files().reads(path);
        files.push_back(std::move(path));
      } catch (const Error& error) {
        fault = error.what();
        break;
      }
    }
    labelled.label(files);
    if (!fault.empty()) throw LineError(files.size(), fault);
  });
  if (!o.is_quiet) reader.note_dropped();
}

void label_files(const Options& o, const std::vector<fs::path>& files, ImageFiles& labelled) {
  cli::Progress progress("classify", static_cast<double>(files.size()), "images", o.is_quiet,
                         cli::Progress::Takes::minutes);
  const std::size_t batch = o.batch;
  for (std::size_t begin = 0; begin < files.size(); begin += batch) {
    progress.update(static_cast<double>(begin), static_cast<double>(begin), "");
    labelled.label(std::span(files).subspan(begin, std::min(batch, files.size() - begin)));
  }
}

void label_inputs(const Options& o, ImageFiles& labelled) {
  if (o.inputs.empty()) return label_lines(o, labelled);
  std::vector<fs::path> files;  // of operands that are not labelled yet
  for (const std::string& operand : o.inputs) {
    const bool is_input = operand == kInput;
    if (!is_input && !images::is_data_set(operand)) {
      const std::vector<fs::path> found = images::image_files_of(operand);
      files.insert(files.end(), found.begin(), found.end());
      continue;
    }
    label_files(o, files, labelled);
    files.clear();
    is_input ? label_lines(o, labelled) : labelled.label_set(operand);
  }
  label_files(o, files, labelled);
}

// 32x32, as vectorize --resize takes it.
bool is_size(std::string_view word) {
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t x = word.find('x');
  return is_number(word.substr(0, x)) && (x == std::string_view::npos || is_number(word.substr(x + 1)));
}

}  // namespace

void classify_images(const Options& o, ModelFolder& folder) {
  for (const std::string& input : o.inputs) {
    if (o.is_resized && is_size(input) && !fs::exists(input))
      throw UsageError("--resize takes no size: images become as large as the model reads them (leave " +
                       quote(input) + " out)");
  }
  const bool reads_lines = o.inputs.empty() || std::ranges::count(o.inputs, kInput) > 0;
  if (!reads_lines && (o.reader.column != 0 || o.reader.is_csv))
    throw UsageError(std::string(o.reader.is_csv ? "--csv" : "--column") +
                     " is of a list of paths on standard input, and none is read (leave it out)");
  images::add_folders(o.inputs);
  ImageFiles labelled(o, folder);
  label_inputs(o, labelled);
  labelled.note();
}

}  // namespace headwater::classify
