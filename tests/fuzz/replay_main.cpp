// Runs a fuzz target on every file of a corpus folder, each cut to half and whole: what was found once stays
// found. Exit status 77 (skipped) where the folder is missing or empty.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "support/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// In memory of exactly this size, so that a sanitizer sees a read beyond it.
void run(std::string_view bytes) {
  const auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  LLVMFuzzerTestOneInput(copy.get(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], missing))
    files.push_back(entry.path());
  if (files.empty()) {
    std::printf("skipped: no file in %s\n", argv[1]);
    return 77;
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    // Said before, so that the log of a crash ends with the file that caused it.
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);
    const std::string bytes = headwater::read_file(file);
    run(std::string_view(bytes).substr(0, bytes.size() / 2));
    run(bytes);
  }
  std::printf("%zu files\n", files.size());
  return 0;
}
