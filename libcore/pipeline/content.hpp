// What data files hold: what a run depends on, whatever their age. And the record of a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace headwater {

// Whether a folder is there in which nothing can be made: of another user, or of a file system to read alone.
bool is_read_only(const fs::path& folder);

// Everything below a folder, links not followed.
void for_each_below(const fs::path& folder, const std::function<void(const fs::path&)>& take);

// What a command replaces of a run is here until its model is made.
inline constexpr const char* kReplacedFolder = ".headwater-replaced";

// A file that a run has read or made.
struct KnownFile {
  std::string name;   // below the data root or the folder of the record; ":given.NAME": what a model gave
  std::string hash;   // of its bytes
  std::string state;  // device, number, size and times: with the same ones it is not read again; "-": it is
};
using KnownFiles = std::vector<KnownFile>;
const KnownFile* find(const KnownFiles& files, const std::string& name);

// stages.json: what was made of what, in the folder of a run; beside what runs share it has `done` alone.
// Written whole by rename, and only if it changes.
struct RunRecord {
  std::string recipe;              // its path, from the run's folder
  std::string prepared;            // the folder of what was made of the data before training
  std::vector<std::string> given;  // names in it of what a model gave
  std::string weights;             // of the models that the run begins with
  std::string key;                 // of everything that the run's files follow from
  KnownFiles done;                 // the folder's files that are made of it
  KnownFiles data;

  std::string json() const;
  // The half of `prepared` that comes of the recipe and of the encoder.
  std::string preparation() const { return prepared.substr(0, prepared.find('-')); }
};

// Without one an empty record. Of a run that an earlier release's make has made it has the recipe alone: all
// its stages are carried out again, over what is there.
RunRecord read_record(const fs::path& run);
inline constexpr const char *kRecordFile = "stages.json", *kLogOfRun = "model/log.csv",
                            *kShortlistOfRun = "model/shortlist.bin";

// A file that keeps its state is not read again, unless it changed less than two seconds before it was read.
// Throws Error where it changes while it is read.
KnownFile look_at(const fs::path& file, const std::string& name, const KnownFile* before);
// The same of a file that a stage has made. Links to it come and go, so the time of these is left out.
KnownFile look_at_made(const fs::path& file, const std::string& name, const KnownFile* before);
// The files that stages have made and that nobody has changed or removed since.
KnownFiles unchanged(const fs::path& folder, const KnownFiles& made);

// XXH3-128 of the bytes of a file.
std::string hash_of_file(const fs::path& file);

}  // namespace headwater
