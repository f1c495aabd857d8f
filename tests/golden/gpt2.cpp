#include "gpt2.hpp"

#include "support/files.hpp"
#include "tasks/gpt2.hpp"

using namespace headwater;

std::unique_ptr<LanguageModel> load_reference_gpt2() {
  const Json config = Json::parse(read_file(reference_path("gpt2/config.json"), 1 << 20), "gpt2");
  auto model = gpt2_of_config(config);
  read_gpt2_parameters(reference_path("gpt2/model.safetensors"), model->parameters());
  return model;
}
