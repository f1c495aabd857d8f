#include "pipeline/content.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxRecordBytes = 1 << 24;
constexpr std::int64_t kSecondsUntilSettled = 1;

struct stat stat_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) fail_io(file, "cannot look at", errno);
  return found;
}

std::string state_of(const struct stat& of, bool with_links) {
  const auto time = [](const timespec& t) {
    return std::to_string(t.tv_sec) + "." + std::to_string(t.tv_nsec);
  };
  return std::to_string(of.st_dev) + ":" + std::to_string(of.st_ino) + ":" + std::to_string(of.st_size) +
         ":" + time(of.st_mtim) + (with_links ? ":" + time(of.st_ctim) : "");
}

Json texts_of(const std::vector<std::string>& texts) { return Json::Array(texts.begin(), texts.end()); }

std::vector<std::string> texts_at(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  for (const Json& text : json.at(name).as_array()) texts.push_back(text.as_string());
  return texts;
}

Json json_of(const KnownFiles& files) {
  Json::Array all;
  for (const KnownFile& file : files) {
    Json one;
    one.set("name", file.name).set("hash", file.hash).set("state", file.state);
    all.push_back(std::move(one));
  }
  return all;
}

KnownFiles files_at(const Json& json, std::string_view name) {
  KnownFiles files;
  for (const Json& one : json.at(name).as_array())
    files.push_back({one.at("name").as_string(), one.at("hash").as_string(), one.at("state").as_string()});
  return files;
}

KnownFile look(const fs::path& file, const std::string& name, const KnownFile* before, bool with_links) {
  const std::string state = state_of(stat_of(file), with_links);
  if (before != nullptr && before->state == state) return *before;
  KnownFile found{name, hash_of_file(file), state};
  const struct stat now = stat_of(file);
  if (state_of(now, with_links) != state)
    throw Error(shown(file) + ": changed while it was read (give the command again)");
  const std::time_t changed = with_links ? now.st_ctim.tv_sec : now.st_mtim.tv_sec;
  if (::time(nullptr) - changed <= kSecondsUntilSettled) found.state = "-";
  return found;
}

// What recipes/resolve.sh of release 0.1.0 wrote.
std::string recipe_of_make(const fs::path& run) {
  constexpr std::string_view kRecipe = "# recipe: ";
  const fs::path file = run / "recipe.mk";
  if (!is_taken(file)) return {};
  const std::string text = read_file(file, 1 << 20);
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(kRecipe)) return std::string(line.substr(kRecipe.size()));
  }
  return {};
}

}  // namespace

bool is_read_only(const fs::path& folder) { return is_there(folder) && ::access(folder.c_str(), W_OK) != 0; }

void for_each_below(const fs::path& folder, const std::function<void(const fs::path&)>& take) {
  std::error_code error;
  for (const fs::path& entry : list_folder(folder, error)) {
    take(entry);
    if (fs::is_directory(fs::symlink_status(entry, error))) for_each_below(entry, take);
  }
}

const KnownFile* find(const KnownFiles& files, const std::string& name) {
  const auto at = std::ranges::find(files, name, &KnownFile::name);
  return at == files.end() ? nullptr : &*at;
}

std::string RunRecord::json() const {
  Json json;
  json.set("version", 1).set("recipe", recipe).set("prepared", prepared).set("given", texts_of(given));
  json.set("weights", weights).set("key", key).set("done", json_of(done)).set("data", json_of(data));
  return json.dump(2) + "\n";
}

RunRecord read_record(const fs::path& run) {
  const fs::path file = run / kRecordFile;
  RunRecord record;
  if (!is_taken(file)) {
    record.recipe = recipe_of_make(run);
    return record;
  }
  constexpr const char* kCure = " (remove the file; the run goes on)";
  Json json;
  try {
    json = Json::parse(read_file(file, kMaxRecordBytes), shown(file));
  } catch (const Error& error) {
    throw Error(error.what() + std::string(kCure));
  }
  try {
    record.recipe = json.at("recipe").as_string();
    record.prepared = json.at("prepared").as_string();
    record.given = texts_at(json, "given");
    record.weights = json.at("weights").as_string();
    record.key = json.at("key").as_string();
    record.done = files_at(json, "done");
    record.data = files_at(json, "data");
  } catch (const Error& error) {
    throw Error(shown(file) + ": " + error.what() + kCure);
  }
  return record;
}

std::string hash_of_file(const fs::path& file) {
  Hasher hasher;
  for_each_piece(file, [&](std::string_view piece) { hasher.update(piece); });
  return hasher.digest();
}

KnownFile look_at(const fs::path& file, const std::string& name, const KnownFile* before) {
  return look(file, name, before, true);
}

KnownFile look_at_made(const fs::path& file, const std::string& name, const KnownFile* before) {
  return look(file, name, before, false);
}

KnownFiles unchanged(const fs::path& folder, const KnownFiles& made) {
  KnownFiles same;
  for (const KnownFile& file : made) {
    try {
      KnownFile now = look_at_made(folder / file.name, file.name, &file);
      if (now.hash == file.hash) same.push_back(std::move(now));
    } catch (const Error&) {  // it is gone, or somebody makes it at this moment
    }
  }
  return same;
}

}  // namespace headwater
