// Any bytes as a list of images and their labels: each line is refused in one line, or names a file and a
// label that can be written as one.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/image_folder.hpp"
#include "support/error.hpp"
#include "support/split.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : split(bytes, '\n')) {
    try {
      const LabelledImageFile file = parse_image_line(line);
      if (file.path.empty() || file.label.empty() || file.label.find('\t') != std::string::npos) std::abort();
      const LabelledImageFile again = parse_image_line(file.path.native() + "\t" + file.label);
      if (again.path != file.path || again.label != file.label) std::abort();
      (void)is_image_name(file.path);
    } catch (const Error& error) {
      if (std::string_view(error.what()) != "not a path, a TAB and a label") std::abort();
    }
  }
  return 0;
}
