// Runs a fuzz target on every file of a corpus folder, each cut to half and whole: what was found once stays
// found. Exit status 77 (skipped) where the folder is missing or empty.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"

#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

Target find_target(std::string_view wanted) {
#define FUZZ_TARGET(name) \
  if (wanted == #name) return fuzz_##name;
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
  return nullptr;
}

// In memory of exactly this size, so that a sanitizer sees a read beyond it.
void run(Target target, std::string_view bytes) {
  const auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  target(copy.get(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Target target = argc == 3 ? find_target(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: %s TARGET FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2], missing))
    files.push_back(entry.path());
  if (files.empty()) {
    std::printf("skipped: no file in %s\n", argv[2]);
    return 77;
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    // Said before, so that the log of a crash ends with the file that caused it.
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);
    const std::string bytes = headwater::read_file(file);
    run(target, std::string_view(bytes).substr(0, bytes.size() / 2));
    run(target, bytes);
  }
  std::printf("%zu files\n", files.size());
  return 0;
}
