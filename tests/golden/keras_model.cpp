#include "keras_model.hpp"

#include <map>

using namespace headwater;

std::string our_name(std::string name) {
  const std::pair<std::string, std::string> words[] = {{"encoder/", "encoder.0/"},
                                                       {"decoder/", "decoder.0/"},
                                                       {"/embeddings", ""},
                                                       {"/kernel", "/weight"},
                                                       {"/attention_output/", "/output/"},
                                                       {"/norm_1/", "/self_attention_norm/"},
                                                       {"/norm_cross/", "/cross_attention_norm/"},
                                                       {"/norm_2/", "/feed_forward_norm/"},
                                                       {"/ff_1/", "/feed_forward/inner/"},
                                                       {"/ff_2/", "/feed_forward/outer/"}};
  for (const auto& [theirs, ours] : words) {
    const std::size_t at = name.find(theirs);
    if (at != std::string::npos) name.replace(at, theirs.size(), ours);
  }
  for (char& c : name) {
    if (c == '/') c = '.';
  }
  return name;
}

OptimizerSettings optimizer_of(const std::string& name, const Json& json) {
  OptimizerSettings settings;
  settings.kind = name.substr(0, name.find('_'));
  const std::map<std::string, double*> numbers = {{"learning_rate", &settings.learning_rate},
                                                  {"rho", &settings.rho},
                                                  {"epsilon", &settings.epsilon},
                                                  {"beta_1", &settings.beta_1},
                                                  {"beta_2", &settings.beta_2},
                                                  {"weight_decay", &settings.weight_decay},
                                                  {"momentum", &settings.momentum},
                                                  {"global_clipnorm", &settings.global_clipnorm}};
  for (const auto& entry : json.as_object()) {
    const auto& key = entry.first;
    const auto& value = entry.second;
    if (key == "epsilon_placement") {
      settings.epsilon_placement = value.as_string();
    } else if (key == "epsilon_hat") {
      settings.epsilon_hat = value.as_bool();
    } else {
      REQUIRE_MESSAGE(numbers.contains(key), "unknown setting ", key, " of ", name);
      *numbers.at(key) = value.as_number();
    }
  }
  return settings;
}
