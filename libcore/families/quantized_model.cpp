#include "families/quantized_model.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "families/hidden_states.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_files.hpp"
#include "families/registry.hpp"
#include "layers/packed_weights.hpp"
#include "support/bytes.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr const char* kMember = "quantization_config";
constexpr const char* kMethod = "headwater_int8";
constexpr const char* kScale = "_scale";
constexpr Index kMaxInputs = 32'768;                   // as many as sums of 32 bits hold
constexpr float kLeast = 0x1p-107f, kMost = 0x1p100f;  // of scales that are not 0

// Of a weight in bytes, each of which has a scale.
Index outputs_of(const Parameter& p) { return p.is_table ? p.value.rows : p.value.cols; }

Json quantization() { return Json::Object{{"quant_method", kMethod}}; }

// The tensors of such a file, checked against the parameters before these have memory.
class QuantizedReader {
 public:
  QuantizedReader(const Safetensors& tensors, std::string_view beginning, Parameters& parameters)
      : tensors_(tensors), beginning_(beginning), parameters_(parameters) {}

  void check() const {
    std::size_t scales = 0;
    for (const auto& p : parameters_.all()) {
      check_tensor(*p, is_in_bytes(*p) ? Dtype::i8 : Dtype::f32);
      if (!is_in_bytes(*p)) continue;
      check_weight(*p);
      ++scales;
    }
    if (tensors_.tensors().size() == parameters_.all().size() + scales) return;
    for (const TensorView& tensor : tensors_.tensors()) {
      const bool is_scale = tensor.name.ends_with(kScale) && [&] {
        const Parameter* const p =
            parameters_.find(tensor.name.substr(0, tensor.name.size() - std::strlen(kScale)));
        return p != nullptr && is_in_bytes(*p);
      }();
      if (!is_scale && parameters_.find(tensor.name) == nullptr)
        fail(tensor.name, "is no part of the model that config.json describes");
    }
  }

  void read(bool wants_floats) {
    const std::shared_ptr<MappedFile>& file = tensors_.file();
    const bool copies = wants_floats || file == nullptr;
    const auto kept = std::make_shared<Kept>();
    kept->file = file;
    copies ? parameters_.allocate(false) : parameters_.place(file);
    parameters_.keep(kept);
    for (const auto& p : parameters_.all()) {
      const TensorView& tensor = tensors_.at(p->name);
      if (is_in_bytes(*p)) {
        p->int8 = {reinterpret_cast<const std::int8_t*>(tensor.bytes.data()), scales_of(*p).data()};
        if (p->is_table && p->value.data == nullptr)
          p->value.data = kept->tables.emplace_back(make_flat_array(p->size())).get();
        if (wants_floats || p->is_table) multiply_out(*p);  // rows of a table are looked up as floats
      } else if (copies) {
        read_numbers(tensor, std::span<Real>(p->value.data, static_cast<std::size_t>(p->size())));
      } else {
        p->value.data = reinterpret_cast<Real*>(file->data() + (tensor.bytes.data() - file->bytes().data()));
      }
    }
  }

 private:
  [[noreturn]] void fail(std::string_view tensor, const std::string& what) const {
    throw Error(tensors_.where() + ": tensor " + quote(tensor) + " " + what);
  }
  // A table is where its file says so.
  bool is_in_bytes(const Parameter& p) const {
    return is_computed_in_bytes(p, beginning_) || (p.is_table && tensors_.at(p.name).dtype == Dtype::i8);
  }

  void check_form(const TensorView& tensor, Dtype dtype, std::span<const Index> shape) const {
    if (tensor.dtype != dtype)
      fail(tensor.name, "is " + std::string(dtype_name(tensor.dtype)) + ", and in int8 it must be " +
                            std::string(dtype_name(dtype)));
    if (!std::ranges::equal(tensor.shape, shape))
      fail(tensor.name,
           "has shape " + shape_text(tensor.shape) + ", config.json asks for " + shape_text(shape));
    if (dtype == Dtype::f32 && reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(float) != 0)
      fail(tensor.name, "does not begin at a multiple of 4 bytes (write the directory again with convert)");
  }
  void check_tensor(const Parameter& p, Dtype dtype) const {
    check_form(tensors_.at(p.name), dtype, p.shape);
  }

  std::span<const float> scales_of(const Parameter& p) const {
    const TensorView& tensor = tensors_.at(p.name + kScale);
    return {reinterpret_cast<const float*>(tensor.bytes.data()), static_cast<std::size_t>(outputs_of(p))};
  }

  void check_weight(const Parameter& p) const {
    const std::string name = p.name + kScale;
    const Index outputs = outputs_of(p), inputs = p.is_table ? p.value.cols : p.value.rows;
    check_form(tensors_.at(name), Dtype::f32, {&outputs, 1});
    if (inputs > kMaxInputs)
      fail(p.name,
           "has " + std::to_string(inputs) + " inputs, in int8 at most " + std::to_string(kMaxInputs));
    const std::span<const float> scales = scales_of(p);
    const auto wrong =
        std::ranges::find_if(scales, [](float scale) { return scale != 0 && !is_scale(scale); });
    if (wrong != scales.end())
      fail(name, "has the scale " + shortest(static_cast<double>(*wrong)) + " at " +
                     std::to_string(wrong - scales.begin()) + ", expected 0 or a positive number near 1");
    const std::string_view bytes = tensors_.at(p.name).bytes;
    const std::size_t least = bytes.find(static_cast<char>(std::numeric_limits<std::int8_t>::min()));
    if (least != bytes.npos) fail(p.name, "has -128 at " + std::to_string(least) + ", expected -127 to 127");
  }

  static void multiply_out(Parameter& p) {
    for (Index k = 0, i = 0; k < p.value.rows; ++k) {
      for (Index output = 0; output < p.value.cols; ++output, ++i)
        p.value.data[i] = p.int8.scales[p.is_table ? k : output] * static_cast<float>(p.int8.bytes[i]);
    }
  }

  struct Kept {
    std::shared_ptr<MappedFile> file;
    std::deque<FlatArray> tables;
  };

  const Safetensors& tensors_;
  std::string_view beginning_;
  Parameters& parameters_;
};

}  // namespace

bool is_scale(float scale) { return scale >= kLeast && scale <= kMost; }

bool take_quantization(Json& config) {
  const Json* const member = config.find(kMember);
  if (member == nullptr || member->dump() != quantization().dump()) return false;
  std::erase_if(config.as_object(), [](const Json::Member& one) { return one.first == kMember; });
  return true;
}

void check_quantization(const ModelFolder& folder) {
  const std::string where = folder.config_path().string() + ": " + quote(kMember);
  if (folder.layout == nullptr && folder.config.find(kMember) != nullptr)
    throw Error(where + " is not " + quantization().dump() + ", which convert --quantization int8 writes");
  if (folder.is_quantized && !folder.family->int8_weights)
    throw Error(where + ": " + std::string(folder.family->noun) + " computes in float32 alone");
}

void map_quantized(const Safetensors& tensors, const QuantizedUse& use, Parameters& parameters) {
  QuantizedReader reader(tensors, use.beginning, parameters);
  reader.check();
  reader.read(use.wants_floats);
}

void write_quantized(const Parameters& parameters, std::string_view beginning, QuantizedWeights which,
                     const ByteSink& sink) {
  std::vector<TensorView> tensors;
  std::deque<QuantizedWeight> weights;  // their memory stays where it is
  for (const auto& p : parameters.all()) {
    if (p->is_table && p->int8.bytes != nullptr) {
      tensors.push_back({p->name, Dtype::i8, p->shape,
                         raw_bytes(std::span(p->int8.bytes, static_cast<std::size_t>(p->size())))});
      tensors.push_back(float_tensor(p->name + kScale, {outputs_of(*p)}, p->int8.scales));
      continue;
    }
    if (p->is_table ? which == QuantizedWeights::products : !is_computed_in_bytes(*p, beginning)) {
      tensors.push_back(float_tensor(p->name, p->shape, p->value.data));
      continue;
    }
    const QuantizedWeight& weight = weights.emplace_back(quantized(*p));
    tensors.push_back({p->name, Dtype::i8, p->shape, raw_bytes(weight.bytes)});
    tensors.push_back(float_tensor(p->name + kScale, {outputs_of(*p)}, weight.scales.data()));
  }
  write_safetensors(std::move(tensors), {}, sink);
}

bool computes_in_int8(const ModelFolder& folder) {
  return folder.family->int8_weights && offer_of(folder).has(Ability::embed);
}

void refuse_quantized(const ModelFolder& folder, std::string_view use) {
  if (!folder.is_quantized) return;
  throw Error(folder.path.string() + ": its weights are in int8 (" + std::string(use) +
              " the model that it was made from)");
}

// As train writes it, with the bytes of its files.
static void quantize_own_files(const ModelFolder& folder, QuantizedWeights which,
                               const std::filesystem::path& output) {
  Json ours = folder.config;
  const ExportParts parts = folder.layout->parts(folder, ours);
  NewFolder target(output);
  for (const DirectoryFile& file : parts.files) {
    Json config;
    if (file.name == "config.json") config = Json::parse(file.bytes, file.name).set(kMember, quantization());
    write_new_file(target.file(file.name), file.name == "config.json" ? config.dump(2) + "\n" : file.bytes);
  }
  NewFile tensors(target.file("model.safetensors"));
  write_quantized(*parts.parameters, *folder.family->int8_weights, which,
                  [&](std::string_view bytes) { tensors.write(bytes); });
  tensors.finish();
  target.finish();
}

void quantize_model(const ModelFolder& folder, QuantizedWeights which, const std::filesystem::path& output) {
  refuse_quantized(folder, "convert");
  const std::string where = folder.path.string() + ": ";
  if (!computes_in_int8(folder))
    throw Error(where + "holds " + offer_of(folder).noun + ", which computes in float32 alone");
  if (folder.own_files) return quantize_own_files(folder, which, output);
  const std::unique_ptr<TextStates> model = folder.family->states(folder);  // which reads all its files
  Json config = Json::parse(folder.config_text(), folder.config_path().string());
  config.set(kMember, quantization());
  write_model(output, folder, config.dump(2) + "\n", [&](const ByteSink& sink) {
    write_quantized(model->parameters(), *folder.family->int8_weights, which, sink);
  });
}

}  // namespace headwater
