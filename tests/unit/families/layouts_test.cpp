// Every published layout: what its tables write they read back.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "error_text.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "layouts.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

std::string first_word(std::string_view only) {
  return std::string(only.substr(0, only.find_first_of(", ")));
}

// Our config.json of a small model that the layout can say.
Json sayable_config(const Layout& layout) {
  Json ours = settings_json(ModelSection(layout.family().model_kind));
  for (const auto& [key, value] : {std::pair{"width", 8},
                                   {"heads", 2},
                                   {"head_width", 4},
                                   {"feed_forward_width", 32},
                                   {"length", 6},
                                   {"layers", 2},
                                   {"encoder_layers", 2},
                                   {"decoder_layers", 2}}) {
    if (ours.find(key) != nullptr) ours.set(key, value);
  }
  for (const ObstacleKey& key : obstacles(layout, layout.family().section_of_config(ours))) {
    const std::string word = first_word(key.only);
    ours.set(key.key, ours.at(key.key).is_string() ? Json(word) : Json::parse(word, "only"));
  }
  for (const char* key : {"vocabulary_size", "source_vocabulary_size", "target_vocabulary_size"})
    ours.set(key, 9);
  ours.set("model_type", layout.family().model_type);
  ours.set("pad_token_id", 0).set("decoder_start_token_id", 2).set("eos_token_id", 3);
  if (ours.find("classes") != nullptr) {
    ours.set("classes", 3);
    write_labels(ours, LabelSet::parse("a\nb\nc\n", "labels"));
  }
  return ours;
}

// Without memory, of the model of our config.json.
std::shared_ptr<Parameters> parameters_of(const Layout& layout, const Json& ours) {
  return layout.family().model_of(ours, "config.json").parameters;
}

void write_model(const Layout& layout, const Parameters& parameters, const Json& ours, const fs::path& path) {
  fs::remove(path);
  NewFile file(path);
  write_tensors(layout, parameters, ours, [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
}

}  // namespace

TEST_CASE("every published layout has architectures of its own, by which it is found") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Layout* layout : all_layouts()) {
    for (const std::string_view architecture : layout->architectures) {
      CHECK(seen.emplace(layout->model_type, architecture).second);
      Json config;
      config.set("model_type", layout->model_type).set("architectures", Json::Array{architecture});
      CHECK(layout_of(config) == layout);
    }
    REQUIRE_FALSE(layout->architectures.empty());
    const std::vector<const Layout*> of_kind = layouts_of(layout->family());
    CHECK(std::ranges::find(of_kind, layout) != of_kind.end());
  }
}

TEST_CASE("every published layout: settings and tensors are read back as they were written") {
  for (const Layout* layout : all_layouts()) {
    INFO(std::string(layout->name));
    const Json ours = sayable_config(*layout);
    CHECK(obstacle_text(*layout, obstacles(*layout, layout->family().section_of_config(ours))) == "");
    const Json theirs = Json::parse(their_config(*layout, ours).dump(), "config.json");
    const ModelConfig again = model_config(theirs, "config.json");
    CHECK(again.layout == layout);
    const Json settings = settings_json(ModelSection(layout->family().model_kind));
    for (const auto& [key, unused] : settings.as_object()) {
      // It is for training alone, or said by another file of the directory.
      const bool is_lost = std::ranges::any_of(layout->unsaid, [&](const UnsaidKey& row) {
        return row.key == key && (row.only == kAnyValue || !row.read_as.empty());
      });
      INFO(key);
      CHECK((is_lost || again.config.at(key).dump() == ours.at(key).dump()));
    }
    Json as_read = ours;  // padding's position is there, too
    if (const Json* const uncounted = again.config.find("uncounted_token"))
      as_read.set("uncounted_token", *uncounted);
    const auto parameters = parameters_of(*layout, as_read);
    parameters->allocate(false);
    Index i = 0;  // all differ, so that no two places can be taken for each other
    for (Real& value : parameters->values()) value = static_cast<Real>(++i) / 8192;
    const ScratchDirectory scratch;
    const fs::path path = scratch / "model.safetensors", bare = scratch / "bare.safetensors";
    write_model(*layout, *parameters, as_read, path);
    const Safetensors file(path);
    std::vector<TensorView> tensors = file.tensors();
    for (TensorView& tensor : tensors) {
      if (tensor.name.starts_with(layout->prefix)) tensor.name.erase(0, layout->prefix.size());
    }
    write_file(bare, to_safetensors(tensors));
    for (const fs::path& from : {path, bare}) {
      const auto read = parameters_of(*layout, again.config);
      read_tensors(*layout, Safetensors(from), again.config, *read);
      CHECK(std::ranges::equal(read->values(), parameters->values()));
    }
    tensors.pop_back();
    write_file(bare, to_safetensors(tensors));
    const auto read = parameters_of(*layout, again.config);
    CHECK(error_text([&] {
            read_tensors(*layout, Safetensors(bare), again.config, *read);
          }).find(" is missing") != std::string::npos);
  }
}

TEST_CASE("a key that a layout does not name stands in the way unless it has its default") {
  Layout layout = layout_named("gpt2");
  std::vector<UnsaidKey> fewer(layout.unsaid.begin(), layout.unsaid.end());
  std::erase_if(fewer, [](const UnsaidKey& row) { return row.key == "padding"; });
  layout.unsaid = fewer;
  Json ours = sayable_config(layout);
  CHECK(obstacles(layout, layout.family().section_of_config(ours)).empty());
  ours.set("padding", "predicted").set("positions", "rotary");
  CHECK(obstacle_text(layout, obstacles(layout, layout.family().section_of_config(ours))) ==
        "model.positions is rotary (only learned), model.padding is predicted (only none), which GPT-2's "
        "layout "
        "cannot say (train with those)");
}

TEST_CASE("norms of old files are called gamma and beta") {
  const Layout& layout = layout_named("gpt2");
  const Json ours = sayable_config(layout);
  const auto parameters = parameters_of(layout, ours), again = parameters_of(layout, ours);
  parameters->allocate(false);
  parameters->initialize(3);
  const ScratchDirectory scratch;
  const fs::path path = scratch / "new.safetensors", old = scratch / "old.safetensors";
  write_model(layout, *parameters, ours, path);
  const Safetensors file(path);
  std::vector<TensorView> tensors = file.tensors();
  for (TensorView& tensor : tensors) {
    if (tensor.name.find(".ln_1.") == std::string::npos) continue;
    const bool is_weight = tensor.name.ends_with("weight");
    tensor.name.replace(tensor.name.rfind('.'), std::string::npos, is_weight ? ".gamma" : ".beta");
  }
  write_file(old, to_safetensors(tensors));
  read_tensors(layout, Safetensors(old), ours, *again);
  CHECK(std::ranges::equal(again->values(), parameters->values()));
}
