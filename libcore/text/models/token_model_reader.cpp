#include "text/models/token_model_reader.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/models/bpe_model.hpp"
#include "text/models/piece_model_readers.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/models/word_level.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {
namespace {

ModelOfFile read_word_level(const ModelPart& part) {
  check_members(part.json, {"type", "vocab", "unk_token"}, part.where);
  const std::string& unknown = json_string(part.json, "unk_token", part.where);
  ModelOfFile file;
  file.surfaces = read_vocab(part);
  for (const std::string& surface : file.surfaces) {
    if (breaks_lines(surface)) throw Error(part.where + ".vocab: the token " + quote(surface) + kBreaksLines);
  }
  file.unknown_id = id_of_surface(file.surfaces, unknown, part, "unk_token");
  file.model = std::make_shared<WordLevel>(findable_surfaces(file, part), file.unknown_id);
  return file;
}

struct ModelType {
  const char* name;
  ModelOfFile (*read)(const ModelPart& part);
};
constexpr ModelType kModelTypes[] = {{"WordLevel", read_word_level},
                                     {"BPE", read_bpe},
                                     {"WordPiece", read_word_piece},
                                     {"Unigram", read_unigram},
                                     {"SubwordTextEncoder", read_subword_text_encoder}};

// Files of old versions have no type: merges are BPE's, a list of pairs is Unigram's.
std::string type_of_model(const ModelPart& part) {
  const Json& model = part.json;
  if (!model.is_object()) throw Error(part.where + ": expected an object");
  if (model.find("type") != nullptr) return json_string(model, "type", part.where);
  if (model.find("merges") != nullptr) return "BPE";
  if (model.find("unk_id") != nullptr) return "Unigram";
  return model.find("max_input_chars_per_word") != nullptr ? "WordPiece" : "WordLevel";
}

}  // namespace

ModelOfFile read_token_model(const ModelPart& part) {
  const std::string type = type_of_model(part);
  std::string supported;
  for (const ModelType& known : kModelTypes) {
    if (type == known.name) return known.read(part);
    supported += supported.empty() ? "" : ", ";
    supported += known.name;
  }
  throw Error(part.where + ": unsupported type " + quote(type) + " (supported: " + supported + ")");
}

std::vector<std::string> read_vocab(const ModelPart& part) {
  const std::string where = part.where + ".vocab";
  const Json& vocab = json_member(part.json, "vocab", part.where);
  if (!vocab.is_object()) throw Error(where + ": expected an object");
  const std::size_t size = vocab.as_object().size();
  std::vector<std::string> surfaces(size);
  for (const auto& [surface, id] : vocab.as_object()) {
    if (surface.empty()) throw Error(where + ": an empty token");
    if (!id.is_integer() || id.as_integer() < 0 || static_cast<std::uint64_t>(id.as_integer()) >= size) {
      throw Error(where + ": the id of " + quote(surface) + " is not in 0 .. " + std::to_string(size - 1) +
                  " (ids have no gaps)");
    }
    std::string& place = surfaces[static_cast<std::size_t>(id.as_integer())];
    if (!place.empty()) throw Error(where + ": id " + std::to_string(id.as_integer()) + " stands twice");
    place = surface;
  }
  return surfaces;
}

std::int32_t id_of_surface(const std::vector<std::string>& surfaces, const std::string& surface,
                           const ModelPart& part, const char* member) {
  const auto at = std::find(surfaces.begin(), surfaces.end(), surface);
  if (at == surfaces.end())
    throw Error(part.where + "." + member + ": " + quote(surface) + " is not in the vocabulary");
  return static_cast<std::int32_t>(at - surfaces.begin());
}

std::vector<std::string> findable_surfaces(const ModelOfFile& file, const ModelPart& part) {
  std::vector<std::string> surfaces = file.surfaces;
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    if (static_cast<std::int32_t>(id) == file.unknown_id || part.special.contains(surfaces[id]))
      surfaces[id].clear();
  }
  return surfaces;
}

}  // namespace headwater
