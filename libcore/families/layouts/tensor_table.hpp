// The tensors of a published layout and our parameters, by the rows of the layout.
#pragma once

#include "checkpoint/safetensors.hpp"
#include "families/layouts/layout.hpp"

namespace headwater {

// How well the tensors of a file go with a layout: its rows that are there, less those that are not.
std::ptrdiff_t rows_in_file(const Layout& layout, const Safetensors& tensors);

// Fills the parameters, which have no memory yet, from the tensors of a file in that layout; `ours` is our
// config.json of its model. Throws Error naming the tensor that is missing, left over, of another shape or
// not finite.
void read_tensors(const Layout& layout, const Safetensors& tensors, const Json& ours, Parameters& parameters);
// model.safetensors in that layout.
void write_tensors(const Layout& layout, const Parameters& parameters, const Json& ours,
                   const ByteSink& sink);

}  // namespace headwater
