#include "text/tokenizer/readable_normalizer.hpp"

namespace headwater {
namespace {

// Whether decoding takes this beginning of a text away, but for spaces.
bool is_taken_away(const std::string& prefix, const TokenDecoder& decoder) {
  constexpr std::string_view kRest = "a";
  const std::string text = decoder.apply({prefix + std::string(kRest)});
  const std::size_t begin = text.find_first_not_of(' ');
  return begin != text.npos && std::string_view(text).substr(begin) == kRest;
}

}  // namespace

Json readable_normalizer(const Json& part, const TokenDecoder& decoder) {
  if (!part.is_object()) return part;
  const std::string& type = part.at("type").as_string();
  if (type == "Sequence") {
    Json::Array parts;
    for (const Json& inner : part.at("normalizers").as_array()) {
      if (Json readable = readable_normalizer(inner, decoder); !readable.is_null())
        parts.push_back(std::move(readable));
    }
    return Json(part).set("normalizers", std::move(parts));
  }
  if (type == "Replace") return Json(part).set("content", decoder.undo(part.at("content").as_string()));
  if (type == "Prepend") {
    const std::string& prefix = part.at("prepend").as_string();
    if (is_taken_away(prefix, decoder)) return nullptr;
    return Json(part).set("prepend", decoder.undo(prefix));
  }
  if (type == "ByteLevel" && decoder.reads_bytes()) return nullptr;
  return part;
}

}  // namespace headwater
