// A translator in the layout of Hugging Face's Marian models.
#include <unistd.h>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "tasks/marian.hpp"
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

}  // namespace

void export_model(const Options& o) {
  const TranslationModel model = load_translation_model(o.what);
  std::vector<DirectoryFile> files;
  try {
    files = marian_files(model);
  } catch (const Error& error) {
    throw Error(o.what + ": " + error.what());
  }
  NewFolder folder(o.exported);
  for (const DirectoryFile& file : files) write_new_file(folder.file(file.name), file.bytes);
  NewFile tensors(folder.file("model.safetensors"));
  write_marian_parameters(model.model->parameters(), [&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  folder.finish();
}

}  // namespace headwater::inspect
