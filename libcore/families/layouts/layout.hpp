// A published layout of models, as data: how its config.json says the settings that ours says, and where each
// of our parameters stands among its tensors. A layout is one file and one row of registry.cpp
// (libcore/ADDING.md); reading, checking and writing walk its tables (config_table.hpp, tensor_table.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "checkpoint/safetensors.hpp"
#include "families/family.hpp"
#include "support/json.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// --- config.json -------------------------------------------------------------------------------------------

// A member of their config.json and the member of ours that it stands for. The functions below make them.
struct ConfigRow {
  enum class Form { count, heads, same, share, epsilon, truth, activation, text, copied, fixed, absent, own };
  std::string_view theirs, ours = {};
  double min = 1, max = 0;          // of count, heads and same
  std::string_view otherwise = {};  // JSON: what it is where it is not said; empty: it must be
  // heads: the member that they divide; same: why it is the same; fixed: what to do.
  std::string_view note = {};
  Form form = Form::count;
  bool is_read = true, is_written = true;
  // Where the form is own: from `theirs` (the whole file) to ours, and back. `name` is the row's.
  void (*read)(std::string_view name, const Json& theirs, Json& ours) = nullptr;
  void (*write)(std::string_view name, const Json& ours, Json& theirs) = nullptr;
};

namespace config_rows {

constexpr ConfigRow count(std::string_view theirs, std::string_view ours, double max, double min = 1) {
  return {.theirs = theirs, .ours = ours, .min = min, .max = max, .form = ConfigRow::Form::count};
}
// One that may be missing or null.
constexpr ConfigRow count_or(std::string_view theirs, std::string_view ours, double max,
                             std::string_view otherwise) {
  return {.theirs = theirs, .ours = ours, .max = max, .otherwise = otherwise, .form = ConfigRow::Form::count};
}
// The number of heads, a divisor of the member `width`, which stands in a row before.
constexpr ConfigRow heads(std::string_view theirs, std::string_view width) {
  return {.theirs = theirs, .ours = "heads", .max = 1024, .note = width, .form = ConfigRow::Form::heads};
}
// What was read already and must be the same, "as in the encoder".
constexpr ConfigRow same(std::string_view theirs, std::string_view ours, double max, std::string_view why) {
  return {.theirs = theirs, .ours = ours, .max = max, .note = why, .form = ConfigRow::Form::same};
}
constexpr ConfigRow share(std::string_view theirs, std::string_view ours, std::string_view otherwise) {
  return {.theirs = theirs, .ours = ours, .otherwise = otherwise, .form = ConfigRow::Form::share};
}
constexpr ConfigRow epsilon(std::string_view theirs, std::string_view otherwise) {
  return {.theirs = theirs, .ours = "norm_epsilon", .otherwise = otherwise, .form = ConfigRow::Form::epsilon};
}
constexpr ConfigRow truth(std::string_view theirs, std::string_view ours, std::string_view otherwise) {
  return {.theirs = theirs, .ours = ours, .otherwise = otherwise, .form = ConfigRow::Form::truth};
}
constexpr ConfigRow activation(std::string_view theirs, std::string_view otherwise = {}) {
  return {
      .theirs = theirs, .ours = "activation", .otherwise = otherwise, .form = ConfigRow::Form::activation};
}
// May be missing, as it is where ours is empty.
constexpr ConfigRow text(std::string_view theirs, std::string_view ours) {
  return {.theirs = theirs, .ours = ours, .form = ConfigRow::Form::text};
}
// Written alone: ours as it is, null where there is none.
constexpr ConfigRow copied(std::string_view theirs, std::string_view ours) {
  return {.theirs = theirs, .ours = ours, .form = ConfigRow::Form::copied, .is_read = false};
}
// Another value would change what is computed.
constexpr ConfigRow fixed(std::string_view theirs, std::string_view value, std::string_view advice = {}) {
  return {.theirs = theirs, .otherwise = value, .note = advice, .form = ConfigRow::Form::fixed};
}
constexpr ConfigRow fixed_if_said(std::string_view theirs, std::string_view value) {
  return {.theirs = theirs, .otherwise = value, .form = ConfigRow::Form::fixed, .is_written = false};
}
constexpr ConfigRow written(std::string_view theirs, std::string_view value) {
  return {.theirs = theirs, .otherwise = value, .form = ConfigRow::Form::fixed, .is_read = false};
}
// Must not be there: `why` says what is not read.
constexpr ConfigRow absent(std::string_view theirs, std::string_view why) {
  return {.theirs = theirs, .note = why, .form = ConfigRow::Form::absent, .is_written = false};
}
constexpr ConfigRow own(std::string_view theirs, std::string_view ours,
                        void (*read)(std::string_view, const Json&, Json&),
                        void (*write)(std::string_view, const Json&, Json&)) {
  return {.theirs = theirs, .ours = ours, .form = ConfigRow::Form::own, .read = read, .write = write};
}

}  // namespace config_rows

// A key of our settings for which there is no member.
struct UnsaidKey {
  std::string_view key;
  std::string_view only;          // the values that are meant there: "pre", "none or bilinear"; empty: any
  std::string_view read_as = {};  // what reading sets where `only` is not one value
};
inline constexpr std::string_view kAnyValue = {};
// What a size is by default, by the others.
inline constexpr std::string_view kWidthByHeads = "width / heads", kFourWidths = "4 · width";

// --- Tensors -----------------------------------------------------------------------------------------------

// Where parameters of ours stand. In both names {} stands for the number of a layer. Names of linear, conv1d
// and norm end before ".weight" and ".bias" (ours of a norm: ".gamma" and ".beta"). The first row that fits
// counts.
struct TensorRow {
  enum class Form {
    linear,     // weight [out, in], here [in, out]; bias [out]
    conv1d,     // weight [in, out], as here; bias [out]
    norm,       // weight and bias; gamma and beta in old files
    tensor,     // the whole name; as here
    positions,  // the whole name; as here, behind rows that are not read, up to those of pad_token_id
    patches,  // the whole name; filters [out, channels, rows, columns], here [rows · columns · channels, out]
  };
  std::string_view theirs, ours;
  Form form;
  int part = 0, parts = 1;  // of conv1d: of the columns the part `part` of `parts` equal ones
  int ones = 0;             // of tensor: how many sizes of 1 stand before the others
  // tensor: the file lacks the last row, or number of a vector, which is this here.
  std::optional<float> last = {};
};

namespace tensor_rows {
inline constexpr TensorRow::Form kLinear = TensorRow::Form::linear, kConv1d = TensorRow::Form::conv1d,
                                 kNorm = TensorRow::Form::norm, kTensor = TensorRow::Form::tensor,
                                 kPositions = TensorRow::Form::positions, kPatches = TensorRow::Form::patches;
}  // namespace tensor_rows

// The name under which a file may hold a parameter instead of its own, or as well: then with the same
// numbers.
struct TensorCopy {
  std::string_view theirs, ours;
};

// What a file may hold that no parameter is read from; * stands for any text.
struct UnreadTensor {
  std::string_view theirs;
  // Throws Error "does not ..." where it does not hold what is computed here; null: whatever it holds.
  void (*check)(std::span<const Real> values, const Json& ours) = nullptr;
};

// The rows of several tables, one table after the other.
template <class Row, std::size_t... kRows>
constexpr std::array<Row, (kRows + ...)> joined(const Row (&... tables)[kRows]) {
  std::array<Row, (kRows + ...)> all{};
  std::size_t at = 0;
  const auto add = [&](const auto& table) {
    for (const Row& row : table) all[at++] = row;
  };
  (add(tables), ...);
  return all;
}

// --- The layout --------------------------------------------------------------------------------------------

class Shortlist;

// What a model of texts reads and writes texts with.
struct ModelTokenizers {
  Tokenizer source;
  std::optional<Tokenizer> target = {};                  // of a translator
  bool appends_end = false;                              // to sources
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // of what a translation is made; null: of any token
};

// A model to write, but for its config.json.
struct ExportParts {
  std::shared_ptr<const Parameters> parameters;
  std::vector<DirectoryFile> files;
  std::vector<std::string> notes = {};  // what is lost there, a sentence each
};

// A folder that has its settings and weights in files of other names.
struct OwnFiles {
  std::string settings;  // the name of the file that says them
  std::string config;    // as the text of a config.json
  Safetensors weights;
};

struct Layout {
  std::string_view name;        // "GPT-2", in messages
  std::string_view model_type;  // of their config.json
  // What `convert --layout` calls one that another program needs, which is written alone; empty: model_type.
  std::string_view written_as = {};
  // That it reads, of those that a config.json may name; the first is what is written. One model type may
  // have several rows, of other architectures.
  std::vector<std::string_view> architectures;
  const Family& (*family)();
  std::span<const ConfigRow> config;
  std::span<const UnsaidKey> unsaid;
  std::string_view prefix = {};                    // of tensors' names; files may lack it
  std::string_view settings_name = "config.json";  // in messages
  int first_layer = 0;                             // the number of the first of several
  std::span<const TensorRow> tensors;
  std::span<const TensorCopy> copies = {};
  std::span<const UnreadTensor> unread = {};
  // The tokenizers of a folder in this layout; null: its models read no text.
  ModelTokenizers (*tokenizers)(const ModelFolder&) = nullptr;
  // Sets members of `ours` that other files of the folder say; null: config.json says all.
  void (*read_beside)(const ModelFolder&, Json& ours) = nullptr;
  // Loads the model of a folder, in this layout or ours. May set members of `ours`, its config.json as ours.
  // A layout with other files is not written: these are then the parts of a directory as train writes it.
  // Null: it is only read.
  ExportParts (*parts)(const ModelFolder&, Json& ours) = nullptr;
  // Finds the files of a layout without config.json and model.safetensors; nothing if the folder has another
  // layout. Null: those two files.
  std::optional<OwnFiles> (*find)(const std::filesystem::path& folder) = nullptr;
};

}  // namespace headwater
