#include "support/drafts.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <system_error>

#include "support/directories.hpp"
#include "support/hash.hpp"

namespace headwater {

namespace {

constexpr std::size_t kHostDigits = 16;

std::string host_digits() {
  std::array<char, 256> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1));  // without a name all are called so
  return hash128(std::string_view(name.data())).substr(0, kHostDigits);
}

// The HOST of a draft's name; empty: it is no draft.
std::string_view host_of(std::string_view name) {
  if (!name.starts_with(kDraft)) return {};
  name.remove_prefix(kDraft.size());
  const std::size_t digits = std::min(name.find_first_not_of("0123456789abcdef"), name.size());
  return digits == kHostDigits && name.substr(digits).starts_with('-') ? name.substr(0, digits)
                                                                       : std::string_view();
}

// Killed, and its parent has not asked for its status yet: in a container without an init nobody ever does.
bool is_zombie(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end != line.npos && (line[name_end + 2] == 'Z' || line[name_end + 2] == 'X');
}

// Whether another process runs that a name of this machine ends with. Where it is the number of this one, as
// in a container that was started again, a process before it had that.
bool is_being_written(std::string_view name) {
  constexpr std::string_view kProcess = ".tmp-";
  const std::size_t at = name.rfind(kProcess);
  if (at == name.npos) return false;
  const char* const begin = name.data() + at + kProcess.size();
  pid_t process = 0;
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), process);
  if (error != std::errc() || process <= 0 || process == ::getpid()) return false;
  return (::kill(process, 0) == 0 || errno == EPERM) && !is_zombie(process);
}

}  // namespace

std::string draft_name(std::string_view what) {
  return std::string(kDraft) + host_digits() + "-" + std::string(what);
}

std::vector<fs::path> remove_drafts(const fs::path& folder) {
  std::vector<fs::path> foreign;
  const std::string host = host_digits();
  std::error_code error;
  const std::vector<fs::path> entries = list_folder(folder, error);
  if (error && error != std::errc::no_such_file_or_directory) fail_io(folder, "cannot list", error.value());
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().native();
    const std::string_view of = host_of(name);
    if (of.empty()) continue;
    if (of != host) {
      foreign.push_back(entry);
    } else if (!is_being_written(name)) {
      remove_tree(entry, error);
      if (error) fail_io(entry, "cannot remove", error.value());
    }
  }
  return foreign;
}

}  // namespace headwater
