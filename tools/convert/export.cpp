// A model in the published layout that its kind fits.
#include "cli/tool.hpp"
#include "families/layouts/registry.hpp"
#include "families/model_directory.hpp"
#include "support/directories.hpp"
#include "tools/convert/convert.hpp"

namespace headwater::convert {

void export_model(const Options& o) {
  const ModelFolder folder = open_model(o.model);
  cli::note_skipped_checkpoints(folder.skipped);
  const ExportedModel model = exported(folder, o.model, o.layout);
  for (const std::string& note : model.notes) cli::note(shown(o.output) + ": " + note);
  NewFolder target(o.output);
  for (const DirectoryFile& file : model.files) {
    const fs::path path = target.file(file.name);
    fs::create_directories(path.parent_path());
    write_new_file(path, file.bytes);
  }
  // The recipe goes along: other programs pass it over, and evaluate measures a model as it was trained.
  if (folder.has("recipe.yaml")) write_new_file(target.file("recipe.yaml"), folder.read("recipe.yaml"));
  NewFile tensors(target.file("model.safetensors"));
  model.write_tensors([&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  target.finish();
}

}  // namespace headwater::convert
