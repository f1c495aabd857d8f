#include "keras_model.hpp"

#include <algorithm>
#include <cmath>

#include "training/optimizer.hpp"

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
  settings.weight_decay_of = DecayedParameters::all;  // as Keras does it, unless told otherwise
  settings.kind = value_of<OptimizerKind>(name.substr(0, name.find('_'))).value();
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
      settings.epsilon_placement = value_of<EpsilonPlacement>(value.as_string()).value();
    } else if (key == "epsilon_hat") {
      settings.epsilon_hat = value.as_bool();
    } else {
      REQUIRE_MESSAGE(numbers.contains(key), "unknown setting ", key, " of ", name);
      *numbers.at(key) = value.as_number();
    }
  }
  return settings;
}

void load_reference_weights(const Safetensors& file, Parameters& parameters, const Names& renamed) {
  const auto read = [](Parameter& p, const TensorView& tensor) {
    read_numbers(tensor, std::span<float>(p.value.data, static_cast<std::size_t>(p.size())));
  };
  for_each_parameter(file, "weights", parameters, read, renamed);
}

void check_attention(const AttentionOutput& attention, Index heads, const std::vector<float>& theirs) {
  const Variable &q = attention.queries, &k = attention.keys;
  const Index head_width = q.cols() / heads;
  const kernels::AttentionShape shape{
      .query_offsets = q.packing().offsets,
      .key_offsets = k.packing().offsets,
      .heads = heads,
      .head_width = head_width,
      .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(head_width))),
      .is_causal = attention.causality == Causality::causal};
  const Index n = shape.query_length(0);
  std::vector<Real> weights(theirs.size());
  REQUIRE(static_cast<Index>(weights.size()) == shape.sequences() * heads * n * n);
  for (Index s = 0; s < shape.sequences(); ++s) {
    for (Index head = 0; head < heads; ++head) {
      const Matrix here(weights.data() + (s * heads + head) * n * n, n, n);
      kernels::attention_weights(q.value(), k.value(), shape, s, head, here);
    }
  }
  CHECK(distance(Matrix(weights.data(), shape.sequences() * heads * n, n), theirs).absolute <= kAbsolute);
}

void check_loss_and_gradients(const Safetensors& file, Parameters& parameters,
                              const std::function<double()>& loss_and_gradients) {
  const double loss = loss_and_gradients(),
               theirs = static_cast<double>(read_floats(file.at("outputs/loss"))[0]);
  CHECK(std::abs(loss - theirs) <= kLossRelative * theirs);
  double largest = 0;
  for (const Real g : parameters.gradients()) largest = std::max(largest, std::abs(static_cast<double>(g)));
  CHECK(largest > 100 * kAbsolute);  // the bound means something
  // Any optimizer's: all start from the same.
  const auto& tensors = file.tensors();
  const auto found = std::find_if(tensors.begin(), tensors.end(), [](const TensorView& t) {
    return t.name.find("/gradient/") != std::string::npos;
  });
  REQUIRE(found != tensors.end());
  const std::string folder = found->name.substr(0, found->name.find('/')) + "/gradient";
  for_each_parameter(file, folder, parameters, [&](Parameter& p, const TensorView& tensor) {
    const Distance d = distance(p.gradient.values, read_floats(tensor));
    INFO("gradient of ", p.name, ": absolute distance ", d.absolute, " at ", d.at, ", relative ", d.relative);
    CHECK(d.absolute <= kAbsolute);
    CHECK((d.relative <= kGradientRelative || d.absolute <= kGradientRounding * largest));
  });
}

void check_optimizers(const Safetensors& file, Parameters& parameters,
                      const std::function<double()>& loss_and_gradients) {
  const Json settings = reference_settings(file);
  REQUIRE(settings.at("optimizers").as_object().size() > 0);
  for (const auto& entry : settings.at("optimizers").as_object()) {
    const auto& name = entry.first;
    const OptimizerSettings chosen = optimizer_of(name, entry.second);
    load_reference_weights(file, parameters);
    Optimizer optimizer(chosen, parameters);
    std::int64_t step = 0;
    for (const float theirs : read_floats(file.at(name + "/losses"))) {
      const double loss = loss_and_gradients();
      ++step;
      INFO(name, ", loss before step ", step);
      CHECK(std::abs(loss - static_cast<double>(theirs)) <= kLossRelative * static_cast<double>(theirs));
      optimizer.step(chosen.learning_rate, step);
    }
    optimizer.flush(step);
    double moved = 0;
    for_each_parameter(file, name + "/after", parameters, [&](Parameter& p, const TensorView& tensor) {
      const Distance d = distance(p.value, read_floats(tensor));
      INFO(name, ": ", p.name, " after ", step, " steps: absolute distance ", d.absolute, " at ", d.at);
      CHECK(d.absolute <= (p.name.ends_with(".key.bias") ? kAbsolute : kAfterSteps));
    });
    for_each_parameter(file, "weights", parameters, [&](Parameter& p, const TensorView& tensor) {
      moved = std::max(moved, distance(p.value, read_floats(tensor)).absolute);
    });
    INFO(name);
    CHECK(moved > 10 * kAbsolute);  // it did something
  }
}
