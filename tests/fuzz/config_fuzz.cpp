// Any bytes as a model's config.json: an error that names the file, or a model of the kind that it says,
// whose parameters add up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "families/classifier/directory.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/translator/directory.hpp"
#include "families/vision/directory.hpp"
#include "support/error.hpp"

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

void check(const ModelDescription& description) {
  Index total = 0;
  for (const LayerSummary& layer : description.layers) {
    if (layer.parameters < 0 || !(layer.flops >= 0)) std::abort();
    if (__builtin_add_overflow(total, layer.parameters, &total)) std::abort();
  }
  if (total < 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string place = "f";
    const ModelConfig model_of_file = model_config(Json::parse(text, place), place);
    const Json& config = model_of_file.config;
    const Family& family = *model_of_file.family;
    check(family.model_of(config, place).description);
    if (family.task == Task::classification) {
      check(classifier_of_config(config, place)->parameters());
      if (labels_of_config(config, place).size() < 2) std::abort();
    } else if (family.task == Task::translation) {
      check(encoder_decoder_of_config(config, place)->parameters());
    } else if (family.task == Task::image_classification) {
      const std::unique_ptr<VisionModel> model = vision_model_of_config(config, place);
      check(model->parameters());
      if (labels_of_config(config, place).size() != model->settings().classes) std::abort();
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f:") || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
