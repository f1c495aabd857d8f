// Figures of other implementations: where they are, and how tensors among them are compared.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "tensor/matrix.hpp"

// The folder named by HEADWATER_REFERENCE, else tests/golden/reference; `name` is a file below it.
headwater::fs::path reference_path(const std::string& name);

// A file of figures for inputs that were made up for them: where another folder lacks it, that of
// tests/golden/reference.
headwater::fs::path path_made_here(const std::string& name);
headwater::Safetensors made_here(const std::string& name);

// A JSON text in the metadata of a reference file.
headwater::Json reference_settings(const headwater::Safetensors& file);

std::vector<std::int32_t> read_ids(const headwater::TensorView& tensor);

// The largest distance between numbers of the same place. A NaN, infinity or another count counts as
// infinitely far.
struct Distance {
  double absolute = 0;  // max |a - b|
  double relative = 0;  // |a - b| over all, by |b| over all (Euclidean)
  std::size_t at = 0;   // where the absolute distance is largest
};
Distance distance(headwater::ConstMatrix ours, const std::vector<float>& theirs);
