// A model whose matrices are in bytes: model.safetensors has each as I8 [as the parameter] and beside it, its
// name with "_scale" behind, a scale F32 for each output; config.json says so in "quantization_config". A
// table of embeddings is in bytes where it was read from bytes or where that is wanted, with a scale for each
// row. Products in int8 read the bytes as they are, so a model whose tables are floats gives what the model
// it was made of gives in int8.
#pragma once

#include <filesystem>
#include <string_view>

#include "families/model_directory.hpp"

namespace headwater {

// Whether a config.json says so; the member is taken out.
bool take_quantization(Json& config);
// Throws Error where a config.json of ours says another quantization, or the model computes nothing in int8.
void check_quantization(const ModelFolder& folder);

// The tensors into parameters without memory yet, whose bytes and floats are used where the file is mapped.
// The weights whose names begin so are in bytes, and no others. Throws Error naming the tensor that does not
// fit.
struct QuantizedUse {
  std::string_view beginning;
  bool wants_floats;  // of weights in bytes, too: multiplied out
};
void map_quantized(const Safetensors& tensors, const QuantizedUse& use, Parameters& parameters);
// Which weights are written in bytes: those that products in int8 read in bytes, or tables of embeddings too,
// whose rows are then looked up rounded.
enum class QuantizedWeights { products, products_and_tables };
// The file. Throws Error naming the weight that cannot be written in bytes.
void write_quantized(const Parameters& parameters, std::string_view beginning, QuantizedWeights which,
                     const ByteSink& sink);

// Whether products in int8 take bytes that are to be multiplied by this number, which is not 0.
bool is_scale(float scale);

// Whether products of the model can be computed in int8.
bool computes_in_int8(const ModelFolder& folder);

// Throws Error where the weights of a model that was opened are in bytes, which this use does not take.
void refuse_quantized(const ModelFolder& folder, std::string_view use);

// Writes such a directory of a model that was opened. Throws Error where it cannot be.
void quantize_model(const ModelFolder& folder, QuantizedWeights which, const std::filesystem::path& output);

}  // namespace headwater
