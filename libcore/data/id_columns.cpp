#include "data/id_columns.hpp"

#include <algorithm>
#include <bit>

#include "support/error.hpp"

namespace headwater {

namespace {

static_assert(std::endian::native == std::endian::little, "files are of little-endian numbers");

constexpr const char* kMakesColumns =
    " (paste A.ids B.ids | vectorize --output dataset -o FILE makes files of columns)";

std::string name_of(std::string_view part, std::size_t column) {
  return std::string(part) + "." + std::to_string(column);
}

template <class T>
std::span<const T> numbers_of(const Safetensors& file, const std::string& name, Dtype dtype) {
  const TensorView* const tensor = file.find(name);
  const std::string which = file.where() + ": tensor " + quote(name);
  if (tensor == nullptr) throw Error(which + " is missing" + kMakesColumns);
  if (tensor->dtype != dtype || tensor->shape.size() != 1)
    throw Error(which + " is not a row of " + std::string(dtype_name(dtype)) + kMakesColumns);
  if (reinterpret_cast<std::uintptr_t>(tensor->bytes.data()) % alignof(T) != 0)
    throw Error(which + " does not begin at a multiple of " + std::to_string(alignof(T)) + " bytes" +
                kMakesColumns);
  return {reinterpret_cast<const T*>(tensor->bytes.data()), tensor->bytes.size() / sizeof(T)};
}

std::string note_of(const Safetensors& file, const std::string& name) {
  const auto note = std::find_if(file.metadata().begin(), file.metadata().end(),
                                 [&](const auto& entry) { return entry.first == name; });
  return note == file.metadata().end() ? "" : note->second;
}

}  // namespace

std::vector<IdColumnView> read_id_columns(const Safetensors& file) {
  if (file.find("ids") != nullptr)
    throw Error(
        file.where() +
        ": the ids of one long text, where columns are wanted (data.examples: blocks and random learn from "
        "such a text; vectorize --output dataset without --tokenizer makes a file of columns)");
  std::vector<IdColumnView> columns;
  for (std::size_t c = 0; c == 0 || file.find(name_of("ends", c)) != nullptr; ++c) {
    if (c == kMaxIdColumns)
      throw Error(file.where() + ": more than " + std::to_string(kMaxIdColumns) + " columns" + kMakesColumns);
    IdColumnView& column = columns.emplace_back();
    column.ends = numbers_of<std::int64_t>(file, name_of("ends", c), Dtype::i64);
    column.ids = numbers_of<std::int32_t>(file, name_of("ids", c), Dtype::i32);
    const std::string values = name_of("values", c);
    if (file.find(values) != nullptr) column.values = numbers_of<float>(file, values, Dtype::f32);
    column.vocabulary_hash = note_of(file, name_of("vocabulary_hash", c));
    column.vocabulary_size = note_of(file, name_of("vocabulary_size", c));
    if (column.ends.size() != columns.front().ends.size())
      throw Error(file.where() + ": column " + std::to_string(c) + " (from 0) has " +
                  std::to_string(column.ends.size()) + " examples, the first has " +
                  std::to_string(columns.front().ends.size()) + kMakesColumns);
    const std::int64_t end = column.ends.empty() ? 0 : column.ends.back();
    if (end != static_cast<std::int64_t>(column.ids.size()))
      throw Error(file.where() + ": the last example of column " + std::to_string(c) + " (from 0) ends at " +
                  std::to_string(end) + ", there are " + std::to_string(column.ids.size()) + " ids" +
                  kMakesColumns);
    if (file.find(values) != nullptr && column.values.size() != column.ids.size())
      throw Error(file.where() + ": column " + std::to_string(c) + " (from 0) has " +
                  std::to_string(column.values.size()) + " values of " + std::to_string(column.ids.size()) +
                  " ids" + kMakesColumns);
  }
  return columns;
}

bool holds_id_columns(const fs::path& path) {
  return begins_as_safetensors(path) && Safetensors(path).find(name_of("ends", 0)) != nullptr;
}

IdColumnsHead id_columns_head(std::int64_t examples, std::span<const IdColumnsHead::Column> columns) {
  using Part = IdColumnsHead::Part;
  IdColumnsHead head;
  std::vector<TensorShape> shapes;
  Metadata notes;
  // The widest numbers first, and among equal ones by name, as all safetensors files here.
  for (const Part part : {Part::ends, Part::ids, Part::values}) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (part == Part::values && !columns[c].has_values) continue;
      head.order.push_back({part, c});
      if (part == Part::ends) {
        shapes.push_back({name_of("ends", c), Dtype::i64, {examples}});
      } else {
        const bool are_ids = part == Part::ids;
        shapes.push_back(
            {name_of(are_ids ? "ids" : "values", c), are_ids ? Dtype::i32 : Dtype::f32, {columns[c].ids}});
      }
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].vocabulary_hash.empty())
      notes.emplace_back(name_of("vocabulary_hash", c), columns[c].vocabulary_hash);
    if (!columns[c].vocabulary_size.empty())
      notes.emplace_back(name_of("vocabulary_size", c), columns[c].vocabulary_size);
  }
  head.bytes = safetensors_head(shapes, notes);
  return head;
}

}  // namespace headwater
