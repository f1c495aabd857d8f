// A translator in the layout of Hugging Face's Marian models, a language model in that of GPT-2, a model of
// images in that of ViT.
#include <functional>

#include "cli/tool.hpp"
#include "pretrained/layouts/gpt2.hpp"
#include "pretrained/layouts/marian.hpp"
#include "pretrained/layouts/vit.hpp"
#include "pretrained/model_directory.hpp"
#include "pretrained/registry.hpp"
#include "support/error.hpp"
#include "support/new_folder.hpp"
#include "tools/convert/convert.hpp"

namespace headwater::convert {

namespace {

struct Exported {
  std::vector<DirectoryFile> files;
  std::function<void(const ByteSink&)> write_tensors;
};

// Throws Error where the layout cannot say what the model is.
Exported exported_translator(const LoadedTranslator& model) {
  return {marian_files(model),
          [&model](const ByteSink& sink) { write_marian_parameters(model.model->parameters(), sink); }};
}
Exported exported_language_model(const LoadedLanguageModel& model) {
  return {gpt2_files(model),
          [&model](const ByteSink& sink) { write_gpt2_parameters(model.model->parameters(), sink); }};
}
Exported exported_vision_model(const LoadedVisionModel& model) {
  return {vit_files(model), [&model](const ByteSink& sink) { write_vit_parameters(*model.model, sink); }};
}

// `files` is the folder that was read. Its recipe goes along: other programs pass it over, and evaluate
// measures a model as it was trained.
void write_folder(const Options& o, const fs::path& files, const std::function<Exported()>& make) {
  Exported exported;
  try {
    exported = make();
  } catch (const Error& error) {
    throw Error(o.model + ": " + error.what());
  }
  NewFolder folder(o.output);
  for (const DirectoryFile& file : exported.files) write_new_file(folder.file(file.name), file.bytes);
  if (fs::exists(files / "recipe.yaml"))
    write_new_file(folder.file("recipe.yaml"), read_file(files / "recipe.yaml"));
  NewFile tensors(folder.file("model.safetensors"));
  exported.write_tensors([&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  folder.finish();
}

}  // namespace

void export_model(const Options& o) {
  const Kind& kind = kind_of_files(model_files(o.model));
  if (kind.layout().empty())
    throw Error(o.model +
                ": text classifiers have no published layout here yet (translators, language models and " +
                "models of images have one)");
  if (!o.layout.empty() && o.layout != kind.foreign_type())
    throw UsageError("--layout " + o.layout + ": " + o.model + " fits " + std::string(kind.foreign_type()) +
                     " only (leave --layout out)");
  const Task task = kind.task();
  if (task == Task::image_classification) {
    const LoadedVisionModel model = load_vision_model(o.model);
    const Background& background = model.reading.background;
    if (!background.drops_transparency)
      cli::note(shown(o.output) + ": other programs do not know the background: lay transparent images on " +
                background.name() + " before they read them");
    return write_folder(o, model.files, [&] { return exported_vision_model(model); });
  }
  if (task == Task::language_modeling) {
    const LoadedLanguageModel model = load_language_model(o.model);
    return write_folder(o, model.files, [&] { return exported_language_model(model); });
  }
  const LoadedTranslator model = load_translator(o.model);
  write_folder(o, model.files, [&] { return exported_translator(model); });
}

}  // namespace headwater::convert
