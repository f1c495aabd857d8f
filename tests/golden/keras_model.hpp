// Models of the reference folder's keras/ files: names, optimizers, and how weights are compared.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "autograd/parameter.hpp"
#include "checkpoint/safetensors.hpp"
#include "layers/mixers/attention.hpp"
#include "recipe/recipe.hpp"
#include "reference_folder.hpp"

// reference/README.md: float32 figures of another implementation.
inline constexpr double kAbsolute = 1e-4;  // logits, attention, weights, gradients
inline constexpr double kLossRelative = 1e-5;
inline constexpr double kFigureRelative = 1e-5;  // what layers return, computed there in double precision
// Gradients are small numbers, so each is held to its own size too. Where the true gradient is 0 (biases of
// keys: softmax does not see them) both sides hold rounding errors only, of the size of the largest
// gradient's last bits.
inline constexpr double kGradientRelative = 1e-4, kGradientRounding = 1e-6;
// Five steps move a weight by some 5e-3 and its decay by 5e-5, which 1e-4 would not see. Biases of keys are
// moved by rounding errors that Adam divides by their own size.
inline constexpr double kAfterSteps = 2e-5;

// "decoder/cross_attention/query/kernel" -> "decoder.0.cross_attention.query.weight"
std::string our_name(std::string name);

// "adam_clipnorm" is Adam with further settings.
headwater::OptimizerSettings optimizer_of(const std::string& name, const headwater::Json& json);

using Names = std::function<std::string(std::string)>;

// Calls f(parameter, tensor) for every tensor below `folder`; each parameter must be met once. `renamed`:
// names of the file -> names as our_name() knows them.
template <class F>
void for_each_parameter(const headwater::Safetensors& file, const std::string& folder,
                        headwater::Parameters& parameters, const F& f, const Names& renamed = nullptr) {
  std::size_t met = 0;
  for (const headwater::TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with(folder + "/")) continue;
    const std::string theirs = tensor.name.substr(folder.size() + 1);
    const std::string name = our_name(renamed ? renamed(theirs) : theirs);
    headwater::Parameter* p = parameters.find(name);
    REQUIRE_MESSAGE(p != nullptr, tensor.name, " is not in the model as ", name);
    REQUIRE_MESSAGE(p->shape == std::vector<headwater::Index>(tensor.shape.begin(), tensor.shape.end()),
                    tensor.name);
    f(*p, tensor);
    ++met;
  }
  REQUIRE(met == parameters.all().size());
}

// The two checks that every model is held to. `loss_and_gradients` returns the loss of the file's batch and
// leaves its gradients in the parameters.
void check_loss_and_gradients(const headwater::Safetensors& file, headwater::Parameters& parameters,
                              const std::function<double()>& loss_and_gradients);
// Five steps of each optimizer that the file names.
void check_optimizers(const headwater::Safetensors& file, headwater::Parameters& parameters,
                      const std::function<double()>& loss_and_gradients);

// The file's weights into the parameters.
void load_reference_weights(const headwater::Safetensors& file, headwater::Parameters& parameters,
                            const Names& renamed = nullptr);

// Weights of all sequences, which have one length: theirs [sequences, heads, queries, keys].
void check_attention(const headwater::AttentionOutput& attention, headwater::Index heads,
                     const std::vector<float>& theirs);
