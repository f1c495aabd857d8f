#include "training/parameter_groups.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// "encoder.3.feed_forward.inner.weight": stack "encoder", block 3; "encoder.norm.gamma" has no block: -1.
struct Place {
  std::string_view stack;
  std::int64_t block = -1;

  explicit Place(std::string_view name) : stack(name.substr(0, name.find('.'))) {
    if (stack.size() == name.size()) return;
    const std::string_view second = name.substr(stack.size() + 1);
    parse_number(second.substr(0, second.find('.')), block);
  }
};

// How many blocks each stack has, and how many stand below them.
struct Stack {
  std::int64_t blocks = 0, below = 0;
};
struct Stacks {
  std::map<std::string_view, Stack> of;
  std::int64_t blocks = 0;  // of all

  explicit Stacks(const Parameters& parameters) {
    for (const auto& p : parameters.all()) {
      const Place place(p->name);
      if (place.block < 0) continue;
      Stack& stack = of[place.stack];
      stack.blocks = std::max(stack.blocks, place.block + 1);
    }
    for (const bool is_decoder : {false, true}) {
      for (auto& [name, stack] : of) {
        if ((name == "decoder") != is_decoder) continue;
        stack.below = blocks;
        blocks += stack.blocks;
      }
    }
  }

  // 0: below all blocks; 1, 2, ...: the blocks; one more: the head, and what else stands above them.
  std::int64_t layer_of(const Place& place) const {
    for (const std::string_view above : {"head", "pooler", "lm_head", "next_sentence", "span_boundary"}) {
      if (place.stack == above) return blocks + 1;
    }
    const auto found = of.find(place.stack);
    if (found == of.end()) return 0;
    const Stack& stack = found->second;
    if (place.block >= 0) return stack.below + place.block + 1;
    const std::int64_t last = stack.below + stack.blocks;
    return last == blocks ? blocks + 1 : last;
  }
};

}  // namespace

Parameters& freeze(Parameters& parameters, std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns) {
    bool is_used = false;
    for (const auto& p : parameters.all()) {
      if (fnmatch(pattern.c_str(), p->name.c_str(), 0) != 0) continue;
      p->is_frozen = is_used = true;
    }
    if (!is_used) {
      throw UsageError("training.freeze: " + quote(pattern) +
                       " matches no parameter (inspect lists the names of a saved model)");
    }
  }
  const auto& all = parameters.all();
  if (!all.empty() && std::all_of(all.begin(), all.end(), [](const auto& p) { return p->is_frozen; }))
    throw UsageError("training.freeze: every parameter is frozen (leave some to train)");
  return parameters;
}

std::vector<std::int64_t> depth_of(const Parameters& parameters) {
  const Stacks stacks(parameters);
  std::vector<std::int64_t> depths;
  for (const auto& p : parameters.all())
    depths.push_back(stacks.blocks + 1 - stacks.layer_of(Place(p->name)));
  return depths;
}

std::vector<std::int64_t> steps_before(const UnfreezeSettings& settings, const Parameters& parameters,
                                       std::int64_t steps_per_epoch) {
  const std::int64_t every =
      settings.every_steps > 0 ? settings.every_steps : settings.every_epochs * steps_per_epoch;
  std::vector<std::int64_t> steps = depth_of(parameters);
  // A head may have no parameters of its own, or frozen ones.
  std::int64_t top = steps.empty() ? 0 : *std::max_element(steps.begin(), steps.end());
  for (std::size_t place = 0; place < steps.size(); ++place)
    if (!parameters.all()[place]->is_frozen) top = std::min(top, steps[place]);
  for (std::int64_t& step : steps) step = std::max<std::int64_t>(0, step - top) * every;
  return steps;
}

std::vector<ParameterRule> parameter_rules(const OptimizerSettings& settings, const Parameters& parameters) {
  const std::vector<std::int64_t> depths = depth_of(parameters);
  std::vector<ParameterRule> rules;
  for (std::size_t place = 0; place < depths.size(); ++place) {
    const Parameter& p = *parameters.all()[place];
    // Acts in the kernels of Adam (tensor/kernels/optimizer), which multiply a weight by the rest.
    const bool is_matrix = !p.is_table && p.value.rows > 1;
    const bool is_decayed = settings.kind == OptimizerKind::adamw &&
                            (settings.weight_decay_of == DecayedParameters::all || is_matrix);
    rules.push_back({.rate_factor = power(settings.layer_decay, depths[place]),
                     .weight_decay = is_decayed ? settings.weight_decay : 0});
  }
  return rules;
}

}  // namespace headwater
