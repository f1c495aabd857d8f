// How the tensors of Hugging Face's library are named, whatever kind of model they are of.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"

namespace headwater {

struct NamePair {
  std::string_view ours, theirs;
};

// Empty where there is none.
std::string_view translated(std::span<const NamePair> names, std::string_view ours);

// The names there of the layers of a block, and of their parts: "3.self_attention.query.weight" becomes
// "3.q_proj.weight". Empty where `after`, what follows the name of the stack, is of no such layer.
std::string translated_layer(std::span<const NamePair> layers, std::string_view after);

// A table that several layers share has the names of all of them; a file may hold it under any one alone, as
// safetensors.torch.save_model leaves it. The first of the names that is there; the first where none is.
std::string name_there(const Safetensors& tensors, const std::vector<std::string>& names);

// The prefix, where the name of some tensor begins with it; else none.
std::string_view prefix_there(const Safetensors& tensors, std::string_view prefix);

}  // namespace headwater
