#include "families/train_named_tensors.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "families/quantized_model.hpp"

namespace headwater {

namespace {

TensorView view_of(const Parameter& p) {
  TensorView tensor;
  tensor.name = p.name;
  tensor.dtype = sizeof(Real) == sizeof(double) ? Dtype::f64 : Dtype::f32;
  tensor.shape.assign(p.shape.begin(), p.shape.end());
  tensor.bytes = {reinterpret_cast<const char*>(p.value.data),
                  static_cast<std::size_t>(p.size()) * sizeof(Real)};
  return tensor;
}

// The stack of blocks that a name belongs to: "decoder" of decoder.3.feed_forward.inner.bias and
// decoder.norm.beta; empty: none.
std::string_view stack_of(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  return first == "encoder" || first == "decoder" ? first : std::string_view();
}

// The only one; empty: there are two, or none.
std::string only_stack(const std::vector<std::string_view>& names) {
  std::set<std::string_view> stacks;
  for (const std::string_view name : names) {
    if (const std::string_view stack = stack_of(name); !stack.empty()) stacks.insert(stack);
  }
  return stacks.size() == 1 ? std::string(*stacks.begin()) : std::string();
}

}  // namespace

NamedTensors::NamedTensors(const ModelFolder& folder) {
  refuse_quantized(folder, "take");
  if (folder.layout == nullptr) {
    file_.emplace(folder.weights());
    where_ = file_->where();
    tensors_ = file_->tensors();
  } else {
    where_ = folder.weights().where();
    parameters_ = load_parameters(folder);
    for (const auto& p : parameters_->all()) tensors_.push_back(view_of(*p));
  }
  for (const TensorView& tensor : tensors_) by_name_.emplace(tensor.name, &tensor);
}

const TensorView* NamedTensors::find(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

Stacks::Stacks(const NamedTensors& theirs, const Parameters& ours) {
  std::vector<std::string_view> there, here;
  for (const TensorView& tensor : theirs.all()) there.push_back(tensor.name);
  for (const auto& p : ours.all()) here.push_back(p->name);
  theirs_ = only_stack(there);
  ours_ = only_stack(here);
}

std::string Stacks::name_there(const std::string& name) const {
  const bool is_moved = are_two() && stack_of(name) == ours_;
  return is_moved ? theirs_ + name.substr(ours_.size()) : name;
}

std::string Stacks::text() const { return are_two() ? theirs_ + ".* becomes " + ours_ + ".*" : ""; }

std::string listed_by_block(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::set<int>>>
      groups;  // what begins the names, and the numbers after it
  for (const std::string& name : names) {
    const std::size_t dot = name.find('.'), second = name.find('.', dot + 1);
    const bool is_short = second == name.npos;
    const std::string part = is_short ? "" : name.substr(dot + 1, second - dot - 1);
    const bool is_block =
        !part.empty() && part.size() < 6 && part.find_first_not_of("0123456789") == part.npos;
    const std::string key = is_short ? name : name.substr(0, is_block ? dot : second);
    auto at = std::ranges::find(groups, key, [](const auto& group) { return group.first; });
    if (at == groups.end()) at = groups.insert(at, {key, {}});
    if (is_block) at->second.insert(std::stoi(part));
    if (!is_short && !is_block) at->second.insert(-1);
  }
  std::string text;
  for (const auto& [key, numbers] : groups) {
    text += (text.empty() ? "" : ", ") + key;
    if (numbers.empty()) continue;
    const int first = *numbers.begin(), last = *numbers.rbegin();
    if (last >= 0) text += "." + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    text += ".*";
  }
  return text;
}

}  // namespace headwater
