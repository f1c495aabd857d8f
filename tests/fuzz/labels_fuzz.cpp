// Any bytes as a file of labels: refused with the place, or each label is found by its name and its id, and
// the set writes itself again.
#include "data/labels.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const LabelSet labels = LabelSet::parse(text, "f");
    for (std::int32_t id = 0; id < labels.size(); ++id) {
      if (labels.find(labels.labels()[id]) != id) std::abort();
      if (labels.find_id(std::to_string(id)) != id) std::abort();
    }
    if (labels.find_id(std::to_string(labels.size())) != -1) std::abort();
    const LabelSet again = LabelSet::parse(labels.to_text(), "f");
    if (again.labels() != labels.labels() || again.hash() != labels.hash()) std::abort();
    (void)near_duplicates(labels.labels());
    if (labels.shown().find('\n') != std::string::npos) std::abort();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f:") || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
