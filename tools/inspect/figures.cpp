// The figures that tutorials of Transformers draw, without training: positions, learning rates, patches.
#include <algorithm>

#include "cli/result_output.hpp"
#include "cli/tool.hpp"
#include "families/layouts/config_table.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/vision/attention.hpp"
#include "families/vision/directory.hpp"
#include "layers/embedding.hpp"
#include "models/settings.hpp"
#include "reports/line_plot.hpp"
#include "reports/picture.hpp"
#include "reports/position_picture.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/images/model_inputs.hpp"
#include "tools/inspect/inspect.hpp"
#include "training/schedule.hpp"

namespace headwater::inspect {
namespace {

// The ending of the file that is written; that of standard output is the first.
std::string form_of(const Options& o, std::initializer_list<std::string_view> forms) {
  const bool is_stream = o.output.empty() || o.output == "-";
  std::string form = is_stream ? std::string(*forms.begin()) : o.output.extension().string();
  if (std::ranges::find(forms, form) != forms.end()) return form;
  std::string known;
  for (const std::string_view each : forms) known += (known.empty() ? "" : " or ") + std::string(each);
  throw UsageError("--output " + o.output.string() + ": ends with another name than " + known);
}

void write(const Options& o, std::string_view bytes) {
  cli::ResultOutput output(o.output);
  output.write(bytes);
  output.finish();
}

// --- Positions ---------------------------------------------------------------------------------------------

PositionTable sinusoids(const Json& settings, Positions positions) {
  PositionTable table{.name = std::string(name_of(positions)),
                      .positions = settings.at("length").as_integer(),
                      .width = settings.at("width").as_integer(),
                      .values = {}};
  for (const Real value : sinusoidal_positions(table.positions, table.width, positions))
    table.values.push_back(static_cast<float>(value));
  return table;
}

std::vector<PositionTable> learned_tables(const ModelFolder& folder, const ModelSection& section) {
  std::vector<PositionTable> tables;
  const bool is_of_images = folder.family->task == Task::image_classification;
  const std::shared_ptr<Parameters> parameters = load_parameters(folder);
  for (const auto& p : parameters->all()) {
    if (!p->name.ends_with(".positions")) continue;
    const Matrix values = p->value;
    PositionTable table{.name = p->name, .positions = values.rows, .width = values.cols, .values = {}};
    for (Index i = 0; i < values.rows * values.cols; ++i)
      table.values.push_back(static_cast<float>(values.data[i]));
    if (is_of_images) {
      const PatchTokens tokens = patch_tokens(section.as<VisionSettings>());
      table.rows = static_cast<std::int64_t>(tokens.rows);
      table.columns = static_cast<std::int64_t>(tokens.columns);
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<PositionTable> tables_of(const ModelSection& section, const ModelFolder* folder,
                                     const std::string& path) {
  const Json settings = settings_json(ModelSection(section));
  const Json* const member = settings.find("positions");
  const bool is_of_images = family_of(section).task == Task::image_classification;
  if (member == nullptr && !is_of_images) throw Error(path + ": the model has no positions");
  const Positions positions =
      is_of_images ? Positions::learned : value_of<Positions>(member->as_string()).value();
  if (is_sinusoidal(positions)) return {sinusoids(settings, positions)};
  if (positions != Positions::learned)
    throw Error(path + ": no vectors are added for positions (" + std::string(name_of(positions)) + ")");
  if (folder == nullptr) throw Error(path + ": positions are learned (train it, and name the model)");
  return learned_tables(*folder, section);
}

void write_positions(const Options& o) {
  const std::string form = form_of(o, {".csv", ".svg"}), path = named(o).string();
  std::vector<PositionTable> tables;
  if (is_recipe(o)) {
    tables = tables_of(read_recipe(path, o.scale).model, nullptr, path);
  } else {
    const ModelFolder folder = open_model(path);
    cli::note_skipped_checkpoints(folder.skipped);
    tables = tables_of(folder.family->section_of_config(folder.config), &folder, path);
  }
  if (tables.empty()) throw Error(path + ": the model has no positions");
  const std::string title =
      (is_recipe(o) ? fs::path(path).stem().string() : name_of_model(path)) + ": positions";
  write(o, form == ".svg" ? position_svg(tables, title) : position_csv(tables));
}

// --- Learning rates ----------------------------------------------------------------------------------------

void write_schedule(const Options& o) {
  const std::string form = form_of(o, {".csv", ".svg"}), path = named(o).string();
  const Recipe recipe = read_recipe(path, o.scale);
  const TrainingSettings& training = recipe.training;
  const std::int64_t usual = training.max_steps > 0
                                 ? training.max_steps
                                 : 10 * std::max<std::int64_t>(training.schedule.warmup_steps, 100);
  if (!o.steps && training.max_steps == 0 && depends_on_length(training.schedule))
    throw UsageError("--schedule: rates of " + std::string(name_of(training.schedule.kind)) +
                     " depend on the length of the run (say --steps N)");
  const std::int64_t steps = o.steps.value_or(usual);
  const RunLength length{.steps = steps,
                         .steps_per_epoch = std::max<std::int64_t>(1, steps / training.epochs)};
  const Json settings = settings_json(ModelSection(recipe.model));
  const Json* const width = settings.find("width");
  const auto rate = [&](std::int64_t step) {
    return learning_rate(training.schedule, training.optimizer, width == nullptr ? 1 : width->as_integer(),
                         step, length);
  };
  if (form == ".csv") {
    cli::ResultOutput output(o.output);
    output.write("step,learning_rate\n");
    for (std::int64_t step = 1; step <= steps; ++step)
      output.write(std::to_string(step) + "," + format_number(rate(step)) + "\n");
    return output.finish();
  }
  constexpr std::int64_t kPoints = 1000;
  LinePlot plot{.title = fs::path(path).stem().string() + ": learning rate, " +
                         std::string(name_of(training.schedule.kind)),
                .x_name = "step",
                .y_name = "learning rate",
                .points = {}};
  const std::int64_t every = std::max<std::int64_t>(1, steps / kPoints);
  for (std::int64_t step = 1; step < steps + every; step += every)
    plot.points.emplace_back(std::min(step, steps), rate(std::min(step, steps)));
  write(o, line_plot_svg(plot));
}

// --- Patches -----------------------------------------------------------------------------------------------

// How its image files are read goes to `reading`.
VisionSettings vision_settings(const Options& o, ImageReading& reading) {
  const std::string path = named(o).string();
  const auto checked = [&](const ModelSection& section) {
    if (family_of(section).task != Task::image_classification)
      throw UsageError("--patches: " + path + " is no model of images");
    return section.as<VisionSettings>();
  };
  if (is_recipe(o)) return checked(read_recipe(path, o.scale).model);
  const ModelFolder folder = open_model(path);
  cli::note_skipped_checkpoints(folder.skipped);
  VisionSettings settings = checked(folder.family->section_of_config(folder.config));
  const ImageProcessing processing = image_processing(folder);
  reading = processing.reading;
  settings.images.published = processing.resize;
  return settings;
}

// The image in the sides that the model reads.
Picture read_picture(const VisionSettings& settings, const images::InputImage& image) {
  const ImageShape shape = settings.image_shape();
  const ImagePipeline pipeline({.normalization = Normalization::unit, .published = settings.images.published},
                               {}, image.shape, shape);
  ImagePipeline::Scratch scratch;
  return picture_of(shape, pipeline.bytes_of(pipeline.apply(image.pixels, nullptr, scratch)));
}

void write_patches(const Options& o) {
  form_of(o, {".png"});
  ImageReading reading;
  const VisionSettings settings = vision_settings(o, reading);
  images::ImageInputs inputs({o.patches}, images::input_settings(settings, reading, true));
  images::InputImage image;
  if (!inputs.next(image)) throw Error(o.patches + ": no image");
  const Picture whole = read_picture(settings, image);
  const std::int64_t factor = magnification(whole.height, whole.width), size = settings.patch_size;
  std::vector<Picture> patches;
  for (std::int64_t y = 0; y + size <= whole.height; y += size) {
    for (std::int64_t x = 0; x + size <= whole.width; x += size) {
      Picture patch{.height = size, .width = size, .pixels = {}};
      for (std::int64_t row = 0; row < size; ++row) {
        const auto begin = whole.pixels.begin() + 3 * ((y + row) * whole.width + x);
        patch.pixels.insert(patch.pixels.end(), begin, begin + 3 * size);
      }
      patches.push_back(magnified(patch, factor));
    }
  }
  write(o, png_of(beside(magnified(whole, factor), sheet(patches, whole.width / size, 4), 24)));
}

}  // namespace

bool is_figure(const Options& o) { return o.shows_positions || o.shows_schedule || !o.patches.empty(); }

void write_figure(const Options& o) {
  if (o.shows_positions) {
    write_positions(o);
  } else if (o.shows_schedule) {
    write_schedule(o);
  } else {
    write_patches(o);
  }
}

}  // namespace headwater::inspect
