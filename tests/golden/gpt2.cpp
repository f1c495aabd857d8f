#include "gpt2.hpp"

#include "families/language_model/directory.hpp"
#include "families/model_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

Json reference_gpt2_config() {
  return Json::parse(read_file(reference_path("gpt2/config.json"), 1 << 20), "gpt2");
}

std::unique_ptr<LanguageModel> load_reference_gpt2() {
  const ModelFolder folder = open_model(reference_path("gpt2"));
  auto model = language_model_of_config(folder.config, folder.config_path().string());
  load_weights(folder, model->parameters());
  return model;
}
