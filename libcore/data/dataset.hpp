// Examples in memory or in a file, whatever they hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/token_counts.hpp"

namespace headwater {

// Read either line by line or file by file, then asked.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual bool reads_lines() const = 0;
  // Examples of lines may lie in a file of columns as well (data/id_columns.hpp).
  virtual bool reads_files() const { return !reads_lines(); }

  // `place` is "file:line". Throws Error "place:column: what (fix)".
  virtual void add_line(std::string_view /*line*/, std::string_view place) {
    throw Error(std::string(place) + ": these examples are no lines of text");
  }
  virtual void add_file(const std::filesystem::path& path) {
    throw Error(path.string() + ": these examples are lines of text");
  }
  // The hash of the files to come, from another process that has read all of them: a file that is mapped is
  // not read as a whole then, and what is wrong with it is found where it is used.
  virtual void know_hash(std::string_view /*hash*/) {}
  // What that error of finish() advises where no stage died: the program's own cure.
  virtual void advise_on_empty_columns(std::string_view /*cure*/) {}
  // After the last line or file. Throws Error where there is no example, or where more than 1 % of the lines
  // had an empty column (a stage of the pipe died) unless is_empty_allowed. `where` names the input.
  virtual void finish(std::string_view where, bool is_empty_allowed) = 0;

  virtual std::int64_t examples() const = 0;
  virtual std::int64_t skipped() const { return 0; }    // lines with an empty column
  virtual std::int64_t truncated() const { return 0; }  // columns cut to what the model can hold
  // Counts of the columns whose ids are tokens of text; what was cut off is not counted.
  virtual std::vector<ColumnTokenCounts> token_counts() const { return {}; }
  // A hash of all examples in their order, which names the data of a run.
  virtual std::string hash() const = 0;
};

// Some or all examples of a data set: training and validation may share one.
struct Subset {
  const Dataset* dataset = nullptr;    // null: no examples
  std::vector<std::uint32_t> indices;  // which, where is_all is not set
  bool is_all = true;

  std::size_t count() const {
    if (dataset == nullptr) return 0;
    return is_all ? static_cast<std::size_t>(dataset->examples()) : indices.size();
  }
  std::int64_t at(std::uint32_t i) const { return is_all ? i : indices[i]; }
  void add_to(Hasher& hasher) const {
    if (dataset == nullptr) return;
    hasher.update(dataset->hash());
    hasher.update(raw_bytes(indices));
  }
};

// A hash of the examples of both.
inline std::string hash_of(const Subset& train, const Subset& validation) {
  Hasher hasher;
  train.add_to(hasher);
  validation.add_to(hasher);
  return hasher.digest();
}

}  // namespace headwater
