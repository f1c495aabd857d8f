// What the tests of published layouts share.
#pragma once

#include <string>
#include <string_view>

#include "families/layouts/config_table.hpp"
#include "families/layouts/registry.hpp"
#include "families/layouts/tensor_table.hpp"

// The first layout of this model type.
inline const headwater::Layout& layout_named(std::string_view name) {
  for (const headwater::Layout* layout : headwater::all_layouts()) {
    if (layout->model_type == name) return *layout;
  }
  throw headwater::Error("no layout " + std::string(name));
}

// What an error says of a model type that is not read: "read are marian, gpt2, vit, and what train writes".
inline std::string read_are() {
  std::string text = "read are ";
  for (const std::string& name : headwater::layout_names()) text += name + ", ";
  return text + "and what train writes";
}

// What stands in the way of writing a model with these settings in that layout.
inline std::string said_of_settings(std::string_view name, headwater::ModelSection section) {
  const headwater::Layout& layout = layout_named(name);
  const std::string text = headwater::obstacle_text(layout, headwater::obstacles(layout, std::move(section)));
  return text.empty() ? "(no error)" : text;
}
