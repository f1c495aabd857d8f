// A folder of results.
#pragma once

#include <string>

#include "support/files.hpp"

namespace headwater {

// Takes its name when it is complete; otherwise nothing stays.
class NewFolder {
 public:
  // Throws Error for a name that is taken, other than by an empty folder.
  explicit NewFolder(const fs::path& target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  fs::path file(const std::string& name) const { return temporary_ / name; }  // to be written
  void finish();

 private:
  fs::path target_, temporary_;
  bool is_done_ = false;
};

}  // namespace headwater
