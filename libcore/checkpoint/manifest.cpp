// MANIFEST.json: {"version": 1, "best": false, "files": [{"file": "model.safetensors", "bytes": 12,
// "xxh3_128": "..."}]}.
#include <algorithm>
#include <set>

#include "checkpoint/directory.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"

namespace headwater {

namespace {

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20;

// A manifest names files beside itself and nothing else.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." && name != kManifestName &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool is_hash(std::string_view text) {
  return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Manifest::File read_entry(const Json& entry) {
  Manifest::File file{entry.at("file").as_string(), entry.at("bytes").as_unsigned(),
                      entry.at("xxh3_128").as_string()};
  if (!is_plain_name(file.name)) throw Error(quote(file.name) + " is no plain file name");
  if (!is_hash(file.xxh3_128))
    throw Error("xxh3_128 of " + quote(file.name) + " is not 32 lower-case hexadecimal digits");
  return file;
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  Json::Array files;
  for (const Manifest::File& file : manifest.files) {
    files.push_back(Json::Object{{"file", file.name}, {"bytes", file.bytes}, {"xxh3_128", file.xxh3_128}});
  }
  return Json(Json::Object{{"version", 1}, {"best", manifest.is_best}, {"files", std::move(files)}}).dump(2) +
         "\n";
}

Manifest parse_manifest(std::string_view text, std::string_view where) {
  const Json root = Json::parse(text, where);
  Manifest manifest;
  try {
    if (const std::uint64_t version = root.at("version").as_unsigned(); version != 1) {
      throw Error("version " + std::to_string(version) + " is not 1 (use the release that wrote it)");
    }
    manifest.is_best = root.at("best").as_bool();
    std::set<std::string> names;
    for (const Json& entry : root.at("files").as_array()) {
      manifest.files.push_back(read_entry(entry));
      if (!names.insert(manifest.files.back().name).second)
        throw Error(quote(manifest.files.back().name) + " is listed twice");
    }
    if (manifest.files.empty()) throw Error("lists no file");
    if (manifest_text(manifest) != text) throw Error("is not written as this program writes it");
  } catch (const JsonError&) {
    throw;
  } catch (const Error& error) {
    throw Error(std::string(where) + ": " + error.what());
  }
  return manifest;
}

Manifest read_manifest(const fs::path& checkpoint) {
  const fs::path path = checkpoint / kManifestName;
  return parse_manifest(read_file(path, kMaxManifestBytes), shown(path));
}

const Manifest::File& listed_file(const Manifest& manifest, const fs::path& checkpoint,
                                  std::string_view name) {
  const auto at = std::find_if(manifest.files.begin(), manifest.files.end(),
                               [&](const Manifest::File& file) { return file.name == name; });
  if (at == manifest.files.end()) {
    throw Error(shown(checkpoint / kManifestName) + ": does not list " + quote(name) +
                " (use another checkpoint)");
  }
  return *at;
}

static void check_bytes(const fs::path& path, std::uint64_t bytes, const std::string& hash,
                        const Manifest::File& file) {
  if (bytes != file.bytes) {
    throw Error(shown(path) + ": has " + std::to_string(bytes) + " bytes, the manifest says " +
                std::to_string(file.bytes));
  }
  if (hash != file.xxh3_128)
    throw Error(shown(path) +
                ": the bytes differ from what was saved (restore a copy or use another checkpoint)");
}

void check_listed_bytes(const fs::path& path, std::string_view bytes, const Manifest::File& file) {
  check_bytes(path, bytes.size(), hash128(bytes), file);
}

void check_listed_file(const fs::path& path, const Manifest::File& file) {
  Hasher hasher;
  std::uint64_t bytes = 0;
  for_each_piece(path, [&](std::string_view piece) {
    hasher.update(piece);
    bytes += piece.size();
  });
  check_bytes(path, bytes, hasher.digest(), file);
}

Manifest verify_checkpoint(const fs::path& checkpoint) {
  Manifest manifest = read_manifest(checkpoint);
  for (const Manifest::File& file : manifest.files) check_listed_file(checkpoint / file.name, file);
  return manifest;
}

}  // namespace headwater
