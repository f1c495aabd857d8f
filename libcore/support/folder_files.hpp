// The files of a folder, each read once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/files.hpp"

namespace headwater {

// Whoever asks for a file again gets the answer of the first time, whatever becomes of the folder meanwhile:
// its bytes, or that it is missing. Copies share what was read.
struct FolderFiles {
  explicit FolderFiles(fs::path folder) : path(std::move(folder)) {}

  bool has(std::string_view name) const;
  // The bytes of a file. Throws Error naming it.
  const std::string& read(std::string_view name, std::uint64_t max_bytes = kMaxTextFile) const;

  fs::path path;

 private:
  using Answers = std::map<std::string, std::optional<std::string>, std::less<>>;  // nothing: it is missing
  std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
};

}  // namespace headwater
