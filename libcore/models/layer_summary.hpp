// One row of the table of layers, and what it is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"

namespace headwater {

struct TensorSummary {
  std::string name;
  std::vector<Index> shape;
  Index parameters = 0;
  double flops = 0;  // of the products with it; 0 of tables, which rows are taken from, and of vectors
};

struct LayerSummary {
  std::string name;
  std::string output_shape;  // letters for what depends on the input: "[S, 256]"
  Index parameters = 0;
  double flops = 0;  // a forward pass over one example of the full length
  // Its parameters. The FLOPs that they leave over are products of other things: attention's scores and
  // weighted sums, an output layer with the table of another layer.
  std::vector<TensorSummary> tensors = {};

  double other_flops() const {
    double left = flops;
    for (const TensorSummary& tensor : tensors) left -= tensor.flops;
    return left;
  }
};

// The layer whose parameters' names begin with its own; each of its matrices is multiplied with so many rows
// in a pass.
LayerSummary layer_summary(const Parameters& parameters, const std::string& name, std::string output_shape,
                           double flops, Index rows);

}  // namespace headwater
