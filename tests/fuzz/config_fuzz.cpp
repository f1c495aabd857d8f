// Any bytes as a model's config.json: an error that names the file, or a model whose table of parameters adds
// up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/error.hpp"
#include "tasks/classification.hpp"
#include "tasks/encoder_decoder.hpp"

namespace {

using namespace headwater;

void check(const Parameters& parameters) {
  Index total = 0;
  for (const auto& parameter : parameters.all()) {
    Index elements = 1;
    for (const Index length : parameter->shape) {
      if (length < 1 || __builtin_mul_overflow(elements, length, &elements)) std::abort();
    }
    if (elements != parameter->size() || __builtin_add_overflow(total, elements, &total)) std::abort();
  }
  if (total < 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Json config = Json::parse(text, "f");
    const Json* labels = config.is_object() ? config.find("id2label") : nullptr;
    if (labels != nullptr) {
      check(classifier_of_config(config, "f")->parameters());
      if (labels_of_config(config, "f").size() < 2) std::abort();
    } else {
      check(encoder_decoder_of_config(config, "f")->parameters());
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f:") || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
