#include "families/layouts/tensor_table.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "families/model_directory.hpp"
#include "families/quantized_model.hpp"
#include "families/vision/model.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

using TensorForm = TensorRow::Form;

constexpr std::string_view kLayer = "{}";

// The number of the layer where the name is one of the pattern; empty text: the pattern has none.
std::optional<std::string> layer_of(std::string_view pattern, std::string_view name) {
  const std::size_t at = pattern.find(kLayer);
  if (at == pattern.npos) return name == pattern ? std::optional(std::string()) : std::nullopt;
  const std::string_view after = pattern.substr(at + kLayer.size());
  if (name.size() <= at + after.size() || !name.starts_with(pattern.substr(0, at)) || !name.ends_with(after))
    return std::nullopt;
  const std::string_view number = name.substr(at, name.size() - at - after.size());
  if (number.find_first_not_of("0123456789") != number.npos) return std::nullopt;
  return std::string(number);
}

// `first`: the number there of layer 0.
std::string with_layer(std::string_view pattern, const std::string& layer, int first) {
  std::string name(pattern);
  const std::size_t at = name.find(kLayer);
  if (at == name.npos) return name;
  std::int64_t number = 0;
  static_cast<void>(read_number(layer, number));
  return name.replace(at, kLayer.size(), first == 0 ? layer : std::to_string(number + first));
}

// Where a parameter stands in a file.
struct TensorPlace {
  std::string theirs, older = {};  // its name, and the one of old files
  const TensorRow* row = nullptr;
  bool is_weight = false;  // of linear: turned round
};

struct PartName {
  TensorForm form;
  std::string_view ours, theirs, older;
};
constexpr PartName kPartNames[] = {{TensorForm::linear, ".weight", ".weight", ""},
                                   {TensorForm::linear, ".bias", ".bias", ""},
                                   {TensorForm::conv1d, ".weight", ".weight", ""},
                                   {TensorForm::conv1d, ".bias", ".bias", ""},
                                   {TensorForm::norm, ".gamma", ".weight", ".gamma"},
                                   {TensorForm::norm, ".beta", ".bias", ".beta"},
                                   {TensorForm::tensor, "", "", ""},
                                   {TensorForm::positions, "", "", ""},
                                   {TensorForm::patches, "", "", ""}};

TensorPlace place_of(const Layout& layout, const std::string& ours) {
  for (const TensorRow& row : layout.tensors) {
    for (const PartName& part : kPartNames) {
      if (part.form != row.form || !ours.ends_with(part.ours)) continue;
      const auto layer = layer_of(row.ours, std::string_view(ours).substr(0, ours.size() - part.ours.size()));
      if (!layer) continue;
      const std::string name = with_layer(row.theirs, *layer, layout.first_layer);
      TensorPlace place{.theirs = name + std::string(part.theirs), .row = &row};
      if (!part.older.empty()) place.older = name + std::string(part.older);
      place.is_weight = part.ours == ".weight" || row.form == TensorForm::patches;
      return place;
    }
  }
  throw Error("parameter " + quote(ours) + " has no name in " + std::string(layout.name) + "'s layout");
}

PatchGrid grid_of(const Json& ours) {
  const auto at = [&](const char* key) { return ours.at(key).as_integer(); };
  return {.height = at("image_height"),
          .width = at("image_width"),
          .channels = at("channels"),
          .patch_size = at("patch_size")};
}

// Rows of a table there that stand before ours, which begins with padding's where that takes a position.
Index rows_before(const TensorRow& row, const Json& ours) {
  if (row.form != TensorForm::positions) return 0;
  const Json* const uncounted = ours.find("uncounted_token");
  return uncounted != nullptr ? uncounted->as_integer() : ours.at("pad_token_id").as_integer() + 1;
}

std::vector<std::int64_t> shape_of(const TensorPlace& place, const Parameter& p, const Json& ours) {
  const TensorRow& row = *place.row;
  const Index rows = p.value.rows, cols = p.value.cols;
  if (row.form == TensorForm::patches) {
    const PatchGrid grid = grid_of(ours);
    return {cols, grid.channels, grid.patch_size, grid.patch_size};
  }
  if (row.form == TensorForm::linear && place.is_weight) return {cols, rows};
  std::vector<std::int64_t> shape(row.ones, 1);
  const bool is_vector = !place.is_weight && rows == 1 && !p.is_table;
  const Index missing = row.last ? 1 : 0;
  if (!is_vector) shape.push_back(rows_before(row, ours) + rows - missing);
  shape.push_back(cols * row.parts - (is_vector ? missing : 0));
  return shape;
}

// Calls take(here, there) with the places of each number in the two arrays. Where weights are turned round a
// few rows go at a time, which stay in the caches.
template <class Take>
void for_each_place(const TensorPlace& place, const Parameter& p, const Json& ours, const Take& take) {
  const TensorRow& row = *place.row;
  const Index rows = p.value.rows, cols = p.value.cols;
  const bool is_turned = place.is_weight && row.form != TensorForm::conv1d;
  if (!is_turned) {
    const Index before = rows_before(row, ours);
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) take(r * cols + c, ((before + r) * row.parts + row.part) * cols + c);
    }
    return;
  }
  // Row (y · P + x) · C + c here is number (c · P + y) · P + x of a filter there.
  Index channels = 1, pixels = rows;
  if (row.form == TensorForm::patches) {
    const PatchGrid grid = grid_of(ours);
    channels = grid.channels;
    pixels = grid.patch_size * grid.patch_size;
  }
  constexpr Index kTile = 32;
  for (Index first = 0; first < rows; first += kTile) {
    for (Index c = 0; c < cols; ++c) {
      for (Index r = first; r < std::min(rows, first + kTile); ++r)
        take(r * cols + c, c * rows + r % channels * pixels + r / channels);
    }
  }
}

class TableReader {
 public:
  TableReader(const Layout& layout, const Safetensors& tensors, const Json& ours, Parameters& parameters)
      : layout_(layout), tensors_(tensors), ours_(ours), parameters_(parameters) {
    has_prefix_ = std::ranges::any_of(
        tensors_.tensors(), [&](const TensorView& tensor) { return tensor.name.starts_with(layout.prefix); });
    for (const auto& p : parameters_.all())
      own_names_.emplace(in_file(place_of(layout_, p->name).theirs), p.get());
    for (const auto& p : parameters_.all()) places_.emplace(p.get(), resolved(*p));
  }

  void read() {
    check();  // before the parameters' memory: config.json may ask for any sizes
    parameters_.allocate(false);
    for (const auto& p : parameters_.all()) fill(*p);
    parameters_.keep(kept_);
    for (const TensorView& tensor : tensors_.tensors()) check_unread(tensor);
  }

 private:
  std::string in_file(const std::string& name) const {
    const bool is_longer = !has_prefix_ && name.starts_with(layout_.prefix);
    return is_longer ? name.substr(layout_.prefix.size()) : name;
  }

  // Where the file has it: under its own name, an older one, or that of a copy.
  TensorPlace resolved(const Parameter& p) const {
    TensorPlace place = place_of(layout_, p.name);
    place.theirs = in_file(place.theirs);
    const auto take = [&](const std::string& name) {
      if (tensors_.find(place.theirs) == nullptr && tensors_.find(name) != nullptr) place.theirs = name;
    };
    if (!place.older.empty()) take(in_file(place.older));
    for (const TensorCopy& copy : layout_.copies) {
      const std::string name = in_file(std::string(copy.theirs));
      if (copy.ours == p.name && !own_names_.contains(name)) take(name);
    }
    return place;
  }

  const TensorPlace& place(const Parameter& p) const { return places_.at(&p); }

  // The parameter that a tensor is a copy of, or null.
  const Parameter* original_of(const std::string& name) const {
    if (own_names_.contains(name)) return nullptr;
    for (const TensorCopy& copy : layout_.copies) {
      if (in_file(std::string(copy.theirs)) != name) continue;
      if (const Parameter* const original = parameters_.find(copy.ours)) return original;
    }
    return nullptr;
  }

  const UnreadTensor* unread(const std::string& name) const {
    const auto at = std::ranges::find_if(layout_.unread, [&](const UnreadTensor& tensor) {
      return fnmatch(in_file(std::string(tensor.theirs)).c_str(), name.c_str(), 0) == 0;
    });
    return at == layout_.unread.end() ? nullptr : &*at;
  }

  void check() {
    for (const auto& p : parameters_.all()) {
      const TensorView& tensor = tensors_.at(place(*p).theirs);
      used_.emplace(tensor.name, p.get());
      const std::vector<std::int64_t> wanted = shape_of(place(*p), *p, ours_);
      if (tensor.shape == wanted) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " has shape " +
                  shape_text(tensor.shape) + ", " + std::string(layout_.settings_name) + " asks for " +
                  shape_text(wanted));
    }
    for (const TensorView& tensor : tensors_.tensors()) {
      const bool is_known = used_.contains(tensor.name) || unread(tensor.name) != nullptr ||
                            original_of(tensor.name) != nullptr;
      if (is_known) continue;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " is no part of the model that " +
                  std::string(layout_.settings_name) + " describes");
    }
  }

  std::span<const Real> values_of(const TensorView& tensor) {
    values_.resize(tensor.elements());
    read_numbers(tensor, std::span<Real>(values_));
    return values_;
  }

  void fill(Parameter& p) {
    const TensorPlace& at = place(p);
    const TensorView& tensor = tensors_.at(at.theirs);
    if (at.row->last) {
      const std::size_t there = tensor.elements();
      read_numbers(tensor, std::span<Real>(p.value.data, there));
      std::fill(p.value.data + there, p.value.data + p.size(), Real(*at.row->last));
      if (*at.row->last == 0) take_bytes(p, tensor);
    } else if (static_cast<Index>(tensor.elements()) == p.size() &&
               (!at.is_weight || at.row->form == TensorForm::conv1d)) {
      read_numbers(tensor, std::span<Real>(p.value.data, static_cast<std::size_t>(p.size())));
      take_bytes(p, tensor);
    } else {
      const std::span<const Real> values = values_of(tensor);
      for_each_place(at, p, ours_, [&](Index here, Index there) { p.value.data[here] = values[there]; });
    }
    if (kernels::find_not_finite(p.size(), p.value.data) < 0) return;
    throw Error(tensors_.where() + ": tensor " + quote(tensor.name) +
                ": a number is not finite (take another file)");
  }

  // Products in int8 take the bytes of a file as they are: a second rounding would lose a part of them. What
  // the file lacks is 0.
  void take_bytes(Parameter& p, const TensorView& tensor) {
    constexpr auto kLeast = static_cast<char>(std::numeric_limits<std::int8_t>::min());
    if (tensor.int8.empty() || tensor.int8.find(kLeast) != tensor.int8.npos || !is_scale(tensor.unit)) return;
    std::vector<std::int8_t>& bytes = kept_->bytes.emplace_back(tensor.int8.begin(), tensor.int8.end());
    bytes.resize(p.size());
    const Index outputs =
        p.is_table ? p.value.rows : p.value.cols;  // of a table: that is an output layer too
    p.int8 = {bytes.data(),
              kept_->scales.emplace_back(static_cast<std::size_t>(outputs), tensor.unit).data()};
  }

  // What a file says twice must be the same, and what is computed here must be what it holds.
  void check_unread(const TensorView& tensor) {
    if (used_.contains(tensor.name)) return;
    if (const Parameter* const original = original_of(tensor.name)) {
      const std::span<const Real> numbers(original->value.data, static_cast<std::size_t>(original->size()));
      if (std::ranges::equal(values_of(tensor), numbers)) return;
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " differs from " +
                  quote(place(*original).theirs) + ", which " + std::string(layout_.settings_name) +
                  " says it is");
    }
    const UnreadTensor& row = *unread(tensor.name);
    if (row.check == nullptr) return;
    try {
      row.check(values_of(tensor), ours_);
    } catch (const Error& error) {
      throw Error(tensors_.where() + ": tensor " + quote(tensor.name) + " " + error.what());
    }
  }

  const Layout& layout_;
  const Safetensors& tensors_;
  const Json& ours_;
  Parameters& parameters_;
  bool has_prefix_ = false;
  std::map<std::string, const Parameter*> own_names_, used_;
  std::unordered_map<const Parameter*, TensorPlace> places_;
  std::vector<Real> values_;
  struct Kept {
    std::deque<std::vector<std::int8_t>> bytes;
    std::deque<std::vector<float>> scales;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace

std::ptrdiff_t rows_in_file(const Layout& layout, const Safetensors& tensors) {
  const auto is_there = [&](const std::string& name) {
    const bool is_longer = name.starts_with(layout.prefix) && !layout.prefix.empty();
    return tensors.find(name) != nullptr ||
           (is_longer && tensors.find(name.substr(layout.prefix.size())) != nullptr);
  };
  std::ptrdiff_t rows = 0;
  for (const TensorRow& row : layout.tensors) {
    const std::string name = with_layer(row.theirs, "0", layout.first_layer);
    rows += is_there(name) || is_there(name + ".weight") || is_there(name + ".gamma") ? 1 : -1;
  }
  return rows;
}

void read_tensors(const Layout& layout, const Safetensors& tensors, const Json& ours,
                  Parameters& parameters) {
  TableReader(layout, tensors, ours, parameters).read();
}

void write_tensors(const Layout& layout, const Parameters& parameters, const Json& ours,
                   const ByteSink& sink) {
  std::vector<std::vector<float>> values;  // their memory stays where it is
  values.reserve(parameters.all().size());
  std::vector<TensorView> tensors;
  std::map<std::string, float*> begun;
  for (const auto& p : parameters.all()) {
    const TensorPlace place = place_of(layout, p->name);
    float*& to = begun[place.theirs];
    if (to == nullptr) {
      const Index more = rows_before(*place.row, ours) * p->value.cols;
      to = values.emplace_back(static_cast<std::size_t>(p->size() * place.row->parts + more)).data();
      tensors.push_back(float_tensor(place.theirs, shape_of(place, *p, ours), to));
    }
    for_each_place(place, *p, ours,
                   [&](Index here, Index there) { to[there] = static_cast<float>(p->value.data[here]); });
  }
  write_safetensors(std::move(tensors), {}, sink);
}

}  // namespace headwater
