#include "support/new_folder.hpp"

#include <unistd.h>

#include <cerrno>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/signals.hpp"

namespace headwater {

NewFolder::NewFolder(const fs::path& target)
    : target_(target.has_filename() ? target : target.parent_path()), temporary_(target_) {
  std::error_code error;
  if (is_taken(target_) && !fs::is_empty(target_, error))
    throw Error(target_.string() + ": is there already (name a new folder)");
  const fs::path above = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(above, error))
    throw Error(shown(target_) + ": there is no folder " + quote(above.string()) + " (create it)");
  temporary_ += ".tmp-" + std::to_string(::getpid());
  const SignalsHeld held;
  const bool is_new = fs::create_directory(temporary_, error);
  if (!is_new) fail_io(temporary_, "cannot create", error ? error.value() : EEXIST);
  remember_temporary(temporary_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!is_done_) remove_tree(temporary_, ignored);
  forget_temporary(temporary_);
}

void NewFolder::finish() {
  sync_directory(temporary_);
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail_io(target_, "cannot take its place", error.value());
  is_done_ = true;
  sync_directory(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

}  // namespace headwater
