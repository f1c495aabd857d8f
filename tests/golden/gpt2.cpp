#include "gpt2.hpp"

#include "pretrained/layouts/gpt2.hpp"
#include "support/files.hpp"

using namespace headwater;

Json reference_gpt2_config() {
  return Json::parse(read_file(reference_path("gpt2/config.json"), 1 << 20), "gpt2");
}

std::unique_ptr<LanguageModel> load_reference_gpt2() {
  auto model = gpt2_of_config(reference_gpt2_config());
  read_gpt2_parameters(Safetensors(reference_path("gpt2/model.safetensors")), model->parameters());
  return model;
}
