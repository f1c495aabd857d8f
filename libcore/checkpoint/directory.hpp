// Checkpoints of a model directory: MODEL/checkpoints/<step>/ holds everything of one moment and a manifest
// of its bytes. A checkpoint is whole or not there, wherever the process or the machine stops.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "support/drafts.hpp"
#include "support/files.hpp"

namespace headwater {

struct Manifest {
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::string xxh3_128;  // 32 lower-case hexadecimal digits
  };
  bool is_best = false;  // this was the best checkpoint when it was saved
  std::vector<File> files;
};

inline constexpr std::string_view kManifestName = "MANIFEST.json";

std::string manifest_text(const Manifest& manifest);

// Writes the file as NewFile does, and says what a manifest has of it. `produce` is called once with a sink
// that writes.
Manifest::File write_listed_file(const fs::path& path, const std::function<void(const ByteSink&)>& produce);

// Accepts exactly the bytes that manifest_text gives: any changed bit is either a changed statement or an
// Error.
Manifest parse_manifest(std::string_view text, std::string_view where);

// The manifest of a checkpoint. Throws Error.
Manifest read_manifest(const fs::path& checkpoint);
// What the manifest in that folder says of a file. Throws Error where it does not list it.
const Manifest::File& listed_file(const Manifest& manifest, const fs::path& checkpoint,
                                  std::string_view name);
// Throws Error where these, the bytes of the file `path`, are not those that were saved.
void check_listed_bytes(const fs::path& path, std::string_view bytes, const Manifest::File& file);
// The same of a file that is read for nothing else, in pieces.
void check_listed_file(const fs::path& path, const Manifest::File& file);
// The manifest of a checkpoint, after all files it names were read and compared with it. Throws Error.
Manifest verify_checkpoint(const fs::path& checkpoint);

// Writes one checkpoint: the files go to a draft (see draft_name), finish() makes them checkpoints/<step>/.
// Without finish(), or where it fails before the rename, the temporary folder is removed.
class CheckpointWriter {
 public:
  CheckpointWriter(fs::path model_directory, std::int64_t step);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  void add_file(std::string_view name, std::string_view bytes);
  // `produce` is called once with a sink that writes, for files too large to hold twice.
  void add_file(std::string_view name, const std::function<void(const ByteSink&)>& produce);

  struct Finish {
    bool is_best = false;
    int keep_newest = 2;  // at least 2; the best is kept besides
    // Which steps keep_newest counts, empty: all. Another's checkpoint goes when two newer ones are there.
    std::function<bool(std::int64_t step)> counts = {};
  };
  // Manifest, fsync, rename, links `latest` and, where it is one, `best`, then prunes. A checkpoint of the
  // same step is replaced in one exchange. Returns its path.
  fs::path finish(const Finish& how);

 private:
  fs::path model_directory_, temporary_;
  std::int64_t step_;
  Manifest manifest_;
};

struct Checkpoint {
  fs::path path;
  std::int64_t step = 0;
  bool is_best = false;
};

// The checkpoints that are there, newest first, unverified.
std::vector<Checkpoint> list_checkpoints(const fs::path& model_directory);

// Walks the checkpoints from the newest to the first whose manifest verifies; `skipped` gets a line for each
// one before it.
std::optional<Checkpoint> newest_valid_checkpoint(const fs::path& model_directory,
                                                  std::vector<std::string>& skipped);

// Removes the drafts that earlier runs on this machine left. For the holder of the run lock. Returns those of
// other machines, whose runs may still write them.
std::vector<fs::path> clean_up(const fs::path& model_directory);

// What `train` does first, holding the run lock: find the newest valid checkpoint, and set the links `latest`
// and `best` as the manifests say, in case the last run ended between the rename and the links.
std::optional<Checkpoint> recover(const fs::path& model_directory, std::vector<std::string>& skipped);

// Removes all checkpoints and both links, for a run that starts anew.
void remove_checkpoints(const fs::path& model_directory);

inline constexpr std::string_view kLockName = ".lock";
// The lock that keeps two runs out of one model directory; creates the directory where it is missing.
fs::path run_lock_path(const fs::path& model_directory);

// Throws Error where something stands in a model directory that a run could not replace at its end: a file
// that is no link at one of `names` (see link_best_files), a folder where a file or a file where a folder
// will be.
void check_output_names(const fs::path& model_directory, const std::vector<std::string>& names);

// Makes MODEL/<name> a link to checkpoints/best/<name> for each name that is there, each swapped in by
// rename. Throws Error where a file that is no link has the name.
void link_best_files(const fs::path& model_directory, const std::vector<std::string>& names);

// The names inside a model directory.
inline constexpr std::string_view kCheckpoints = "checkpoints", kLatest = "latest", kBest = "best";

// The draft of a checkpoint of this step: what a run writes until it takes its name.
std::string draft_name(std::int64_t step, std::string_view suffix);

// A step as a folder is named: plain decimal without leading zeros.
std::optional<std::int64_t> parse_step(std::string_view name);

// Where a link leads; nothing where there is none. Throws Error where it cannot be read.
std::optional<fs::path> link_target(const fs::path& link);
// The step that a link `latest` or `best` points to, where it is such a link.
std::optional<std::int64_t> linked_step(const fs::path& link);

// Makes `link` point to `target`, under `temporary` first, then by rename; nothing where it does already.
void swap_link(const fs::path& link, const std::string& target, const fs::path& temporary);

}  // namespace headwater
