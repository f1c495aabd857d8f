// The examples of a TokenDataset in a file of columns.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/id_columns.hpp"
#include "data/token_dataset.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// How much of a file is read before its memory is given back.
constexpr std::int64_t kReadBytes = std::int64_t{32} << 20;

// Counts what was read of a file from its beginning, and gives it back now and then.
class ReadOnce {
 public:
  explicit ReadOnce(const Safetensors& file) : file_(file) {}
  void add(std::size_t bytes) {
    read_ += static_cast<std::int64_t>(bytes);
    if (read_ < kReadBytes || file_.file() == nullptr) return;
    file_.file()->release();
    read_ = 0;
  }

 private:
  const Safetensors& file_;
  std::int64_t read_ = 0;
};

}  // namespace

void TokenDataset::add_file(const std::filesystem::path& path) {
  if (begins_as_text(path))
    throw Error(shown(path) +
                ": a text, beside a file of columns of ids (give lines or one such file, not both)");
  add(Safetensors(path));
}

void TokenDataset::add(const Safetensors& file) {
  const std::string& where = file.where();
  if (lines_ > 0 || reads_ != nullptr)
    throw Error(where +
                ": a second file of columns of ids (make one of all lines: cat A.ids B.ids | vectorize "
                "--output dataset)");
  const std::vector<IdColumnView> views = read_id_columns(file);
  if (views.size() != columns_.size())
    throw Error(where + ": " + counted(static_cast<std::int64_t>(views.size()), "column") + " where " +
                std::to_string(columns_.size()) + (columns_.size() == 1 ? " is" : " are") +
                " wanted: " + names());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const IdColumnView& view = views[c];
    const std::string of_column = where + ": column " + std::to_string(c) + " (from 0): ";
    for (const std::string& fault :
         {view.vocabulary_hash.empty() ? std::string() : column.fault_of_vocabulary(view.vocabulary_hash),
          view.vocabulary_size.empty() ? std::string() : column.fault_of_size(view.vocabulary_size)}) {
      if (!fault.empty()) throw Error(of_column + fault);
    }
    if (column.settings.labels_as == LabelsAs::names)
      throw Error(of_column + "labels are ids in such a file (leave out --labels-as names)");
    if (column.settings.has_values != !view.values.empty() && !view.ids.empty())
      throw Error(of_column +
                  (column.settings.has_values ? "no values, which this model reads with its ids"
                                              : "values, which this model does not read") +
                  " (vectorize again as the recipe has it)");
    column.lists = IdLists(view.ids, view.ends);
    column.mapped_values = view.values;
  }
  lines_ = examples();
  if (hash_.empty()) check_columns(file);
  reads_ = std::make_unique<MappedReads>(file.file());
}

void TokenDataset::check_columns(const Safetensors& file) {
  Hasher hasher;
  ReadOnce reading(file);
  // In the order and the form of hash().
  std::vector<std::int64_t> ends;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const auto fail = [&](std::int64_t example, const std::string& what) {
      throw Error(file.where() + ": example " + std::to_string(example) + " (from 0), column " +
                  quote(column.settings.name) + ": " + what);
    };
    const auto list_of = [&](std::int64_t example) {
      try {
        return column.lists[example];
      } catch (const Error& error) {
        throw Error(file.where() + ": column " + quote(column.settings.name) + ": " + error.what());
      }
    };
    std::int64_t kept_ids = 0;
    ends.assign(1, 0);
    for (std::int64_t e = 0; e < examples(); ++e) {
      kept_ids += std::ssize(column.kept(list_of(e)));
      ends.push_back(kept_ids);
      if (ends.size() < 4096) continue;
      hasher.update(raw_bytes(ends));
      reading.add(ends.size() * sizeof ends[0]);
      ends.clear();
    }
    hasher.update(raw_bytes(ends));
    for (std::int64_t e = 0; e < examples(); ++e) {
      const std::span<const std::int32_t> list = column.lists[e], kept = column.kept(list);
      if (const std::string fault = column.fault_of(list); !fault.empty()) fail(e, fault);
      column.truncated += kept.size() < list.size();
      if (column.settings.special.unknown >= 0) column.counts.add(kept, column.settings.special);
      hasher.update(raw_bytes(kept));
      reading.add(list.size_bytes());
    }
    if (!column.settings.has_values) continue;
    for (std::int64_t e = 0; e < examples(); ++e) {
      const std::span<const float> kept = values(c, e);
      if (!std::all_of(kept.begin(), kept.end(), [](float v) { return std::isfinite(v); }))
        fail(e, "a value that is not finite (vectorize again)");
      hasher.update(raw_bytes(kept));
      reading.add(kept.size_bytes());
    }
  }
  hash_ = hasher.digest();
}

std::span<const std::int32_t> TokenDataset::Column::kept(std::span<const std::int32_t> list) const {
  const std::size_t most = settings.max_length;
  return most > 0 && list.size() > most ? list.first(most) : list;
}

std::string TokenDataset::Column::fault_of(std::span<const std::int32_t> list) const {
  const auto count = static_cast<std::int64_t>(list.size());
  if (settings.labels != nullptr && count != 1) return counted(count, "label") + " where one is wanted";
  if (count == 0 && !settings.may_be_empty)
    return "no id (vectorize --output dataset leaves such examples out)";
  for (const std::int32_t id : list) {
    if (id < 0 || id >= settings.vocabulary)
      return "id " + std::to_string(id) + ", but its vocabulary ends at " +
             std::to_string(settings.vocabulary - 1) + " (use the tokenizer that the ids were made with)";
  }
  if (count > 0 && count < settings.min_length)
    return counted(count, "id") + ", which needs at least " + std::to_string(settings.min_length) +
           " (vectorize it with --start --end)";
  if (count > 0 && settings.first_id >= 0 && list.front() != settings.first_id)
    return "begins with id " + std::to_string(list.front()) + ", not with the start token " +
           std::to_string(settings.first_id) +
           " (vectorize it with --start --end, or paste the columns in the recipe's order)";
  return {};
}

std::span<const std::int32_t> TokenDataset::mapped_ids(const Column& column, std::int64_t example) const {
  reads_->add(0);
  // Written to since it was read, or another than its hash says.
  const auto fail = [&](const std::string& what) {
    throw Error("a file of columns of ids has changed while it was trained on: example " +
                std::to_string(example) + " (from 0), column " + quote(column.settings.name) + ": " + what);
  };
  std::span<const std::int32_t> list;
  try {
    list = column.lists[example];
  } catch (const Error& error) {
    fail(error.what());
  }
  if (const std::string fault = column.fault_of(list); !fault.empty()) fail(fault);
  return column.kept(list);
}

}  // namespace headwater
