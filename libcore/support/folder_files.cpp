#include "support/folder_files.hpp"

#include "support/directories.hpp"

namespace headwater {

bool FolderFiles::has(std::string_view name) const {
  if (const auto known = answers_->find(name); known != answers_->end()) return known->second.has_value();
  if (is_there(path / name)) return true;
  answers_->emplace(name, std::nullopt);
  return false;
}

const std::string& FolderFiles::read(std::string_view name, std::uint64_t max_bytes) const {
  const auto known = answers_->find(name);
  if (known != answers_->end() && known->second) return *known->second;
  return *answers_->insert_or_assign(std::string(name), read_file(path / name, max_bytes)).first->second;
}

}  // namespace headwater
