#include "support/run_messages.hpp"

#include <algorithm>
#include <utility>

#include "support/drafts.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace headwater {
namespace {

constexpr std::uint64_t kMaxMessagesBytes = 1 << 20;
constexpr std::string_view kAround = " \"'(";  // what stands before and after a path

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

// "/a/b: what" becomes "b: what", and "a/b.txt:3:" "b.txt:3:"; "tokens/s" stays.
std::string last_name(std::string_view word) {
  const bool is_absolute = word.starts_with('/') && word.size() > 1;
  while (is_absolute && word.ends_with('/')) word.remove_suffix(1);
  const std::string_view last = word.substr(word.rfind('/') + 1);
  const std::size_t point = last.find('.');
  const bool is_file =
      point != last.npos && point + 1 < last.size() && last[point + 1] >= 'a' && last[point + 1] <= 'z';
  return std::string(is_absolute || is_file ? last : word);
}

}  // namespace

void RunMessages::add(const RunMessages& other) {
  if (examples.empty()) examples = other.examples;
  if (failed.empty()) failed = other.failed;
  for (const std::string& warning : other.warnings) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  }
}

std::string RunMessages::json() const {
  Json json;
  json.set("version", 1);
  if (!examples.empty()) json.set("examples", examples);
  json.set("warnings", Json::Array(warnings.begin(), warnings.end()));
  if (!failed.empty()) json.set("failed", failed);
  return json.dump(2) + "\n";
}

RunMessages read_messages(const fs::path& file) {
  const std::string where = shown(file);
  const Json json = Json::parse(read_file(file, kMaxMessagesBytes), where);
  try {
    RunMessages messages;
    if (const Json* const examples = json.find("examples")) messages.examples = examples->as_string();
    if (const Json* const failed = json.find("failed")) messages.failed = failed->as_string();
    for (const Json& warning : json.at("warnings").as_array())
      messages.warnings.push_back(warning.as_string());
    return messages;
  } catch (const JsonError&) {
    throw;
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

std::string without_places(std::string_view text, const fs::path& folder) {
  std::string kept(text);
  std::string own = folder.string();
  while (own.size() > 1 && own.ends_with('/')) own.pop_back();
  if (!own.empty()) {
    erase_all(kept, own + "/");
    erase_all(kept, own + ": ");
  }
  std::string all;
  for (std::size_t at = 0; at < kept.size();) {
    const std::size_t end = std::min(kept.find_first_of(kAround, at), kept.size());
    std::string word = last_name(std::string_view(kept).substr(at, end - at));
    if (const std::size_t temporary = std::min(word.find(".tmp-"), word.find(kDraft));
        temporary != std::string::npos) {
      const std::size_t inside = word.find('/', temporary);
      word = inside == std::string::npos ? "a temporary file:" : word.substr(inside + 1);
    }
    all += word;
    if (end < kept.size()) all += kept[end];
    at = end + 1;
  }
  return all;
}

}  // namespace headwater
