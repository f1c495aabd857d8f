// The weights of a directory into the parameters of its model: copied, or used where their file is mapped.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "checkpoint/safetensors.hpp"
#include "families/layouts/tensor_table.hpp"
#include "families/model_directory.hpp"
#include "families/quantized_model.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

namespace {

// The file has the tensors of the parameters and no others.
void check_tensors(const Safetensors& tensors, const Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    const TensorView& tensor = tensors.at(p->name);
    if (tensor.dtype == Dtype::i8)
      throw Error(tensors.where() + ": tensor " + quote(p->name) +
                  " is I8, and config.json has no \"quantization_config\" (copy the whole directory again)");
    if (!std::equal(tensor.shape.begin(), tensor.shape.end(), p->shape.begin(), p->shape.end())) {
      throw Error(tensors.where() + ": tensor " + quote(p->name) + " has shape " + shape_text(tensor.shape) +
                  ", config.json asks for " + shape_text(p->shape));
    }
  }
  for (const TensorView& tensor : tensors.tensors()) {
    if (parameters.find(tensor.name) == nullptr) {
      throw Error(tensors.where() + ": tensor " + quote(tensor.name) +
                  " is no part of the model that config.json describes");
    }
  }
}

void copy_tensors(const Safetensors& tensors, Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    read_numbers(tensors.at(p->name), std::span<Real>(p->value.data, static_cast<std::size_t>(p->size())));
  }
}

// With weights that are not finite a model answers with nan, or with nothing at all.
void check_finite_weights(const Safetensors& tensors, const Parameters& parameters) {
  for (const auto& p : parameters.all()) {
    if (p->value.data == nullptr) continue;  // in bytes
    const Index at = kernels::find_not_finite(p->size(), p->value.data);
    if (at < 0) continue;
    throw Error(tensors.where() + ": tensor " + quote(p->name) + ": number " + std::to_string(at) +
                " is not finite (take another checkpoint)");
  }
}

}  // namespace

void read_parameters(const std::filesystem::path& file, Parameters& parameters) {
  const Safetensors tensors(file);
  check_tensors(tensors, parameters);
  copy_tensors(tensors, parameters);
  check_finite_weights(tensors, parameters);
}

// Whether the data section is the flat array of the parameters, which have the same tensors.
static bool is_flat_array(const Safetensors& tensors) {
  const std::vector<TensorView>& all = tensors.tensors();
  const bool is_float =
      std::all_of(all.begin(), all.end(), [](const TensorView& t) { return t.dtype == Dtype::f32; });
  const bool is_in_order = std::is_sorted(
      all.begin(), all.end(), [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  const auto address = reinterpret_cast<std::uintptr_t>(tensors.data().data());
  return std::is_same_v<Real, float> && std::endian::native == std::endian::little && is_float &&
         is_in_order && address % alignof(float) == 0 && tensors.file() != nullptr;
}

void map_parameters(const Safetensors& tensors, Parameters& parameters) {
  check_tensors(tensors, parameters);  // before their memory: config.json may ask for any sizes
  if (is_flat_array(tensors)) {
    const std::size_t begin = tensors.data().data() - tensors.file()->bytes().data();
    parameters.allocate_over(reinterpret_cast<Real*>(tensors.file()->data() + begin), tensors.file());
  } else {
    parameters.allocate(false);
    copy_tensors(tensors, parameters);
  }
  tensors.check_file_size();
  check_finite_weights(tensors, parameters);
}

void load_weights(const ModelFolder& folder, Parameters& parameters) {
  const Safetensors tensors = folder.weights();
  if (folder.is_quantized) {
    map_quantized(tensors, {folder.family->int8_weights.value(), !folder.keeps_bytes}, parameters);
    tensors.check_file_size();
    return check_finite_weights(tensors, parameters);
  }
  if (folder.layout != nullptr) return read_tensors(*folder.layout, tensors, folder.config, parameters);
  map_parameters(tensors, parameters);
}

std::shared_ptr<Parameters> load_parameters(const ModelFolder& folder) {
  std::shared_ptr<Parameters> parameters =
      folder.family->model_of(folder.config, folder.config_path().string()).parameters;
  load_weights(folder, *parameters);
  return parameters;
}

}  // namespace headwater
