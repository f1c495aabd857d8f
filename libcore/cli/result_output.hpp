// Where a program's bytes go that may have an option -o.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "cli/lines.hpp"
#include "cli/result_file.hpp"
#include "support/files.hpp"

namespace headwater::cli {

// Standard output, or a file that is there only when it is whole.
class ResultOutput {
 public:
  explicit ResultOutput(const std::filesystem::path& path) {
    if (!path.empty() && path != "-") file_ = std::make_unique<AtomicFile>(result_path(path));
  }
  void write(std::string_view bytes) {
    if (file_) {
      file_->write(bytes);
    } else {
      standard_.text(bytes);
    }
  }
  void flush() { standard_.flush(); }
  void finish() {
    if (file_) file_->commit();
    standard_.flush();
  }

 private:
  std::unique_ptr<AtomicFile> file_;
  LineWriter standard_;
};

}  // namespace headwater::cli
