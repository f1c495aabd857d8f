// A translator in the layout of Hugging Face's Marian models, a language model in that of GPT-2, a model of
// images in that of ViT.
#include <unistd.h>

#include <functional>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "tasks/gpt2.hpp"
#include "tasks/marian.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/vit.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// A folder that takes its name when it is complete; otherwise nothing stays.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& target)
      : target_(target.has_filename() ? target : target.parent_path()), temporary_(target_) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(target_, error)) && !fs::is_empty(target_, error))
      throw Error(target_.string() + ": is there already (name a new folder)");
    temporary_ += ".tmp-" + std::to_string(::getpid());
    if (!fs::create_directory(temporary_, error))
      fail_io(temporary_, "cannot make the folder", error.value());
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!is_done_) remove_tree(temporary_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  fs::path file(const std::string& name) const { return temporary_ / name; }
  void finish() {
    sync_directory(temporary_);
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) fail_io(target_, "cannot take its place", error.value());
    is_done_ = true;
    sync_directory(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
  }

 private:
  fs::path target_, temporary_;
  bool is_done_ = false;
};

struct Exported {
  std::vector<DirectoryFile> files;
  std::function<void(const ByteSink&)> write_tensors;
};

// Throws Error where the layout cannot say what the model is.
Exported exported_translator(const TranslationModel& model) {
  return {marian_files(model),
          [&model](const ByteSink& sink) { write_marian_parameters(model.model->parameters(), sink); }};
}
Exported exported_language_model(const LanguageModelFiles& model) {
  return {gpt2_files(model),
          [&model](const ByteSink& sink) { write_gpt2_parameters(model.model->parameters(), sink); }};
}
Exported exported_vision_model(const VisionFiles& model) {
  return {vit_files(model), [&model](const ByteSink& sink) { write_vit_parameters(*model.model, sink); }};
}

void write_folder(const Options& o, const std::function<Exported()>& make) {
  Exported exported;
  try {
    exported = make();
  } catch (const Error& error) {
    throw Error(o.what + ": " + error.what());
  }
  NewFolder folder(o.exported);
  for (const DirectoryFile& file : exported.files) write_new_file(folder.file(file.name), file.bytes);
  NewFile tensors(folder.file("model.safetensors"));
  exported.write_tensors([&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  folder.finish();
}

}  // namespace

void export_model(const Options& o) {
  const Answer answer = task_of_files(model_files(o.what)).answer();
  if (answer == Answer::image_label) {
    const VisionFiles model = load_vision_model(o.what);
    return write_folder(o, [&] { return exported_vision_model(model); });
  }
  if (answer == Answer::continuation) {
    const LanguageModelFiles model = load_language_model(o.what);
    return write_folder(o, [&] { return exported_language_model(model); });
  }
  const TranslationModel model = load_translation_model(o.what);
  write_folder(o, [&] { return exported_translator(model); });
}

}  // namespace headwater::inspect
