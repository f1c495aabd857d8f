// How the tensors of Hugging Face's library are named, whatever kind of model they are of.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headwater {

struct NamePair {
  std::string_view ours, theirs;
};

// Empty where there is none.
std::string_view translated(std::span<const NamePair> names, std::string_view ours);

// The names there of the layers of a block, and of their parts: "3.self_attention.query.weight" becomes
// "3.q_proj.weight". Empty where `after`, what follows the name of the stack, is of no such layer.
std::string translated_layer(std::span<const NamePair> layers, std::string_view after);

}  // namespace headwater
