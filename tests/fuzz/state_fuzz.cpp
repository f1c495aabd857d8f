// Any bytes as a checkpoint's state.json: an error that names the file, or a state that is written and read
// back the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/error.hpp"
#include "training/state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const TrainingState state = TrainingState::from_json(Json::parse(text, "f"), "f");
    const std::string written = state.to_json().dump();
    if (TrainingState::from_json(Json::parse(written, "again"), "again").to_json().dump() != written)
      std::abort();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("f:")) std::abort();
  }
  return 0;
}
