#include "families/layouts/config_table.hpp"

#include <algorithm>

#include "autograd/ops.hpp"
#include "families/config.hpp"
#include "recipe/schema.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

struct ActivationName {
  ops::Activation ours;
  std::string_view theirs;
};
// The first name of each is the one that is written.
constexpr ActivationName kActivationNames[] = {{ops::Activation::relu, "relu"},
                                               {ops::Activation::gelu, "gelu"},
                                               {ops::Activation::gelu_tanh, "gelu_new"},
                                               {ops::Activation::gelu_tanh, "gelu_fast"},
                                               {ops::Activation::gelu_tanh, "gelu_pytorch_tanh"},
                                               {ops::Activation::silu, "silu"},
                                               {ops::Activation::silu, "swish"},
                                               {ops::Activation::gelu, "gelu_python"},
                                               {ops::Activation::gelu_tanh, "gelu_python_tanh"}};

}  // namespace

const Json* member_said(const Json& config, std::string_view name) {
  const Json* const member = config.find(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

bool truth_of(const Json& config, std::string_view name, bool otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  if (!member->is_bool()) throw Error(quote(name) + " is neither true nor false");
  return member->as_bool();
}

double share_of(const Json& config, std::string_view name, double otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  const double share = member->as_number();
  if (!(share >= 0 && share <= schema::kShare.max)) refuse_member(name, member->dump(), "0 to 0.99");
  return share;
}

double epsilon_of(const Json& config, std::string_view name, double otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  const double epsilon = member->as_number();
  if (!(epsilon >= 1e-12 && epsilon <= 0.1)) refuse_member(name, member->dump(), "1e-12 to 0.1");
  return epsilon;
}

void refuse_member(std::string_view name, const std::string& value, const std::string& expected) {
  throw Error(quote(name) + " is " + value + ", expected " + expected);
}

std::string activation_of_member(const Json& member, std::string_view name) {
  const std::string& said = member.as_string();
  std::string known;
  for (const ActivationName& activation : kActivationNames) {
    if (said == activation.theirs) return std::string(name_of(activation.ours));
    known += (known.empty() ? "one of " : ", ") + std::string(activation.theirs);
  }
  refuse_member(name, quote(said), known);
}

std::string member_of_activation(std::string_view activation) {
  for (const ActivationName& name : kActivationNames) {
    if (name_of(name.ours) == activation) return std::string(name.theirs);
  }
  throw Error("model.activation: " + quote(activation) + " has no name there");
}

namespace {

using ConfigForm = ConfigRow::Form;

Json parsed(std::string_view text) { return Json::parse(text, "layout"); }

std::int64_t count_at(const ConfigRow& row, const Json& theirs) {
  return whole(theirs, row.theirs, static_cast<std::int64_t>(row.min), static_cast<std::int64_t>(row.max));
}

void read_row(const ConfigRow& row, const Json& theirs, Json& ours) {
  const Json* const said = member_said(theirs, row.theirs);
  const auto otherwise = [&] { return parsed(row.otherwise); };
  switch (row.form) {
    case ConfigForm::count:
      if (said == nullptr && !row.otherwise.empty()) return void(ours.set(row.ours, otherwise()));
      return void(ours.set(row.ours, count_at(row, theirs)));
    case ConfigForm::heads: {
      const std::int64_t heads = count_at(row, theirs), width = ours.at("width").as_integer();
      if (width % heads != 0)
        refuse_member(row.theirs, std::to_string(heads),
                      "a divisor of " + std::string(row.note) + " " + std::to_string(width));
      return void(ours.set(row.ours, heads));
    }
    case ConfigForm::same: {
      const std::int64_t count = count_at(row, theirs), before = ours.at(row.ours).as_integer();
      if (count != before)
        refuse_member(row.theirs, std::to_string(count),
                      std::to_string(before) + " " + std::string(row.note));
      return;
    }
    case ConfigForm::share:
      return void(ours.set(row.ours, share_of(theirs, row.theirs, otherwise().as_number())));
    case ConfigForm::epsilon:
      return void(ours.set(row.ours, epsilon_of(theirs, row.theirs, otherwise().as_number())));
    case ConfigForm::truth:
      return void(ours.set(row.ours, truth_of(theirs, row.theirs, otherwise().as_bool())));
    case ConfigForm::activation: {
      const Json name = said == nullptr && !row.otherwise.empty() ? otherwise() : theirs.at(row.theirs);
      return void(ours.set(row.ours, activation_of_member(name, row.theirs)));
    }
    case ConfigForm::text:
      return void(ours.set(row.ours, said != nullptr ? said->as_string() : std::string()));
    case ConfigForm::copied:
      return;
    case ConfigForm::fixed: {
      const bool is_truth = otherwise().is_bool();
      if (is_truth) truth_of(theirs, row.theirs, false);  // of another type it is neither
      if (said != nullptr && said->dump() != otherwise().dump())
        refuse_member(
            row.theirs, said->dump(),
            std::string(row.otherwise) + (row.note.empty() ? "" : " (" + std::string(row.note) + ")"));
      return;
    }
    case ConfigForm::absent:
      if (said != nullptr) throw Error(quote(row.theirs) + ": " + std::string(row.note));
      return;
    case ConfigForm::own:
      return row.read(row.theirs, theirs, ours);
  }
}

void write_row(const ConfigRow& row, const Json& ours, Json& theirs) {
  const Json* const value = row.ours.empty() ? nullptr : ours.find(row.ours);
  switch (row.form) {
    case ConfigForm::count:
    case ConfigForm::heads:
    case ConfigForm::same:
    case ConfigForm::share:
    case ConfigForm::epsilon:
    case ConfigForm::truth:
      return void(theirs.set(row.theirs, ours.at(row.ours)));
    case ConfigForm::activation:
      return void(theirs.set(row.theirs, member_of_activation(ours.at(row.ours).as_string())));
    case ConfigForm::text:
      if (value != nullptr && !value->as_string().empty()) theirs.set(row.theirs, *value);
      return;
    case ConfigForm::copied:
      return void(theirs.set(row.theirs, value != nullptr ? *value : Json()));
    case ConfigForm::fixed:
      return void(theirs.set(row.theirs, parsed(row.otherwise)));
    case ConfigForm::absent:
      return;
    case ConfigForm::own:
      if (row.write != nullptr) row.write(row.theirs, ours, theirs);
      return;
  }
}

// What `only` says of a size; nothing where it says no size.
std::optional<std::int64_t> derived_size(std::string_view only, const Json& settings) {
  const auto at = [&](const char* key) { return settings.at(key).as_integer(); };
  if (only == kFourWidths) return 4 * at("width");
  if (only == kWidthByHeads) return at("width") / at("heads");
  return std::nullopt;
}

// Whether the heads do not divide the width.
bool has_rest(const Json& settings) {
  return settings.at("width").as_integer() % settings.at("heads").as_integer() != 0;
}

// A value as a recipe has it: rotary, false, [128, 64].
std::string shown_value(const Json& value) {
  if (value.is_string()) return value.as_string().empty() ? "none" : value.as_string();
  if (!value.is_array()) return value.dump();
  std::string text = "[";
  for (const Json& item : value.as_array()) text += (text.size() > 1 ? ", " : "") + shown_value(item);
  return text + "]";
}

// "none, target_output or all" has three.
bool is_one_of(std::string_view value, std::string_view only) {
  while (!only.empty()) {
    const std::size_t comma = only.find(", "), last = only.find(" or "), end = std::min(comma, last);
    if (only.substr(0, end) == value) return true;
    if (end == only.npos) return false;
    only.remove_prefix(end + (end == comma ? 2 : 4));
  }
  return false;
}

}  // namespace

Json settings_json(ModelSection section) {
  Json settings;
  write_settings(settings, section.settings());
  const auto fill = [&](std::string_view key, const auto& size) {
    const Json* const member = settings.find(key);
    if (member != nullptr && member->as_integer() == 0) settings.set(key, size());
  };
  fill("feed_forward_width", [&] { return *derived_size(kFourWidths, settings); });
  fill("head_width", [&] { return *derived_size(kWidthByHeads, settings); });
  return settings;
}

Json our_config(const Layout& layout, const Json& theirs) {
  Json ours;
  ours.set("model_type", layout.family().model_type);
  ModelSection defaults(layout.family().model_kind);
  write_settings(ours, defaults.settings());
  for (const UnsaidKey& row : layout.unsaid) {
    const std::string_view value = row.read_as.empty() ? row.only : row.read_as;
    const Json* const member = ours.find(row.key);
    const bool is_size = value == kFourWidths || value == kWidthByHeads;  // they follow
    if (member == nullptr || value.empty() || is_size) continue;
    ours.set(row.key, member->is_string() ? Json(value) : parsed(value));
  }
  for (const ConfigRow& row : layout.config) {
    if (row.is_read) with_name(row.theirs, [&] { read_row(row, theirs, ours); });
  }
  ModelSection section = layout.family().section_of_config(ours);
  const Json settings = settings_json(std::move(section));
  for (const auto& [key, value] : settings.as_object()) ours.set(key, value);
  return ours;
}

Json their_config(const Layout& layout, const Json& ours) {
  Json theirs;
  theirs.set("architectures", Json::Array{layout.architectures.front()});
  theirs.set("model_type", layout.model_type);
  for (const ConfigRow& row : layout.config) {
    if (row.is_written) write_row(row, ours, theirs);
  }
  return theirs;
}

std::vector<ObstacleKey> obstacles(const Layout& layout, ModelSection section) {
  const Json defaults = settings_json(ModelSection(section.kind())),
             settings = settings_json(std::move(section));
  std::vector<ObstacleKey> found;
  const auto check = [&](std::string_view key, const Json& value, const std::string& only) {
    std::string shown = shown_value(value);
    if (!is_one_of(shown, only)) found.push_back({std::string(key), std::move(shown), only});
  };
  const auto is_said = [&](std::string_view key) {
    return std::ranges::any_of(layout.config, [&](const ConfigRow& row) { return row.ours == key; });
  };
  for (const UnsaidKey& row : layout.unsaid) {
    const Json* const value = settings.find(row.key);
    if (value == nullptr || row.only == kAnyValue) continue;
    const std::optional<std::int64_t> size = derived_size(row.only, settings);
    if (!size) {
      check(row.key, *value, std::string(row.only));
    } else if (value->as_integer() != *size || (row.only == kWidthByHeads && has_rest(settings))) {
      found.push_back({std::string(row.key), value->dump(), std::string(row.only)});
    }
  }
  for (const auto& [key, value] : settings.as_object()) {
    const bool is_unsaid =
        std::ranges::any_of(layout.unsaid, [&](const UnsaidKey& row) { return row.key == key; });
    const Json* const usual = defaults.find(key);
    if (is_unsaid || is_said(key) || usual == nullptr || value.dump() == usual->dump()) continue;
    found.push_back({key, shown_value(value), shown_value(*usual)});
  }
  return found;
}

std::string obstacle_text(const Layout& layout, const std::vector<ObstacleKey>& keys) {
  if (keys.empty()) return {};
  const std::string which = ", which " + std::string(layout.name) + "'s layout cannot say (";
  if (keys.size() == 1) {
    const ObstacleKey& key = keys.front();
    return "model." + key.key + " is " + key.value + which + "only " + key.only + "; train with that)";
  }
  std::string text;
  for (const ObstacleKey& key : keys)
    text +=
        (text.empty() ? "model." : ", model.") + key.key + " is " + key.value + " (only " + key.only + ")";
  return text + which + "train with those)";
}

}  // namespace headwater
