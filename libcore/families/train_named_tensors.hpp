// The tensors of a trained model by our names, in whatever layout they lie, and how those names become the
// names of another model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "autograd/parameter.hpp"
#include "checkpoint/safetensors.hpp"
#include "families/model_directory.hpp"

namespace headwater {

class NamedTensors {
 public:
  // Throws Error naming the file; of a published layout also where its tensors are not those of its
  // config.json.
  explicit NamedTensors(const ModelFolder& folder);
  NamedTensors(const NamedTensors&) = delete;
  NamedTensors& operator=(const NamedTensors&) = delete;

  const std::string& where() const { return where_; }
  const std::vector<TensorView>& all() const { return tensors_; }
  // Null where there is none of this name.
  const TensorView* find(const std::string& name) const;

 private:
  std::string where_;
  std::optional<Safetensors> file_;
  std::shared_ptr<Parameters> parameters_;  // of a published layout
  std::vector<TensorView> tensors_;
  std::unordered_map<std::string_view, const TensorView*> by_name_;
};

// The blocks of a language model are those of a classifier, which calls its one stack otherwise: where both
// models have one stack, block follows block.
class Stacks {
 public:
  Stacks(const NamedTensors& theirs, const Parameters& ours);
  // The name in their model of what one of ours begins with.
  std::string name_there(const std::string& name) const;
  // "decoder.* becomes encoder.*"; empty: no name changes.
  std::string text() const;

 private:
  bool are_two() const { return !theirs_.empty() && !ours_.empty() && theirs_ != ours_; }
  std::string theirs_, ours_;
};

// "embedding.tokens, encoder.0-3.*, encoder.norm.*, head.weight": layers and blocks as one.
std::string listed_by_block(const std::vector<std::string>& names);

}  // namespace headwater
