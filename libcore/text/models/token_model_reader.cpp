#include "text/models/token_model_reader.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/models/bpe_model.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/models/unigram.hpp"
#include "text/models/word_level.hpp"
#include "text/models/word_piece.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

namespace {

// A list of [surface, score]; the order is that of the ids.
std::vector<UnigramPiece> read_pieces(const ModelPart& part) {
  const std::string where = part.where + ".vocab";
  const Json& vocab = json_member(part.json, "vocab", part.where);
  if (!vocab.is_array()) throw Error(where + ": expected an array of [piece, score]");
  std::vector<UnigramPiece> pieces;
  pieces.reserve(vocab.as_array().size());
  WordTable seen;
  for (const Json& entry : vocab.as_array()) {
    const std::string here = where + "[" + std::to_string(pieces.size()) + "]";
    if (!entry.is_array() || entry.as_array().size() != 2 || !entry.as_array()[0].is_string() ||
        !entry.as_array()[1].is_number()) {
      throw Error(here + ": expected [piece, score]");
    }
    UnigramPiece piece{entry.as_array()[0].as_string(), entry.as_array()[1].as_number()};
    if (piece.surface.empty()) throw Error(here + ": an empty piece");
    if (seen.value(piece.surface)++ > 0) throw Error(here + ": " + quote(piece.surface) + " stands twice");
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

ModelOfFile read_word_piece(const ModelPart& part) {
  check_members(part.json,
                {"type", "vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"},
                part.where);
  ModelOfFile file;
  file.surfaces = read_vocab(part);
  const std::string& unknown = json_string(part.json, "unk_token", part.where);
  file.unknown_id = id_of_surface(file.surfaces, unknown, part, "unk_token");
  WordPieceSettings settings{.unknown_id = file.unknown_id};
  settings.prefix = json_string(part.json, "continuing_subword_prefix", part.where);
  const Json& most = json_member(part.json, "max_input_chars_per_word", part.where);
  if (!most.is_unsigned()) throw Error(part.where + ".max_input_chars_per_word: expected a whole number");
  settings.max_characters = most.as_unsigned();
  file.model = std::make_shared<WordPiece>(findable_surfaces(file, part), settings);
  return file;
}

ModelOfFile read_unigram(const ModelPart& part) {
  check_members(part.json, {"type", "vocab", "unk_id", "byte_fallback"}, part.where);
  ModelOfFile file;
  std::vector<UnigramPiece> pieces = read_pieces(part);
  UnigramSettings settings;
  if (const Json* unknown = part.json.find("unk_id"); unknown != nullptr && !unknown->is_null()) {
    if (!unknown->is_unsigned() || unknown->as_unsigned() >= pieces.size())
      throw Error(part.where + ".unk_id: expected an id of the vocabulary, or null");
    settings.unknown_id = file.unknown_id = static_cast<std::int32_t>(unknown->as_unsigned());
  }
  settings.has_byte_fallback =
      part.json.find("byte_fallback") != nullptr && json_bool(part.json, "byte_fallback", part.where);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    file.surfaces.push_back(pieces[id].surface);
    const bool is_hidden =
        static_cast<std::int32_t>(id) == file.unknown_id || part.special.contains(pieces[id].surface);
    if (is_hidden) pieces[id].kind = PieceKind::hidden;
  }
  settings.byte_ids = byte_piece_ids(file.surfaces);
  try {
    file.model = std::make_shared<Unigram>(std::move(pieces), settings);
  } catch (const Error& error) {
    throw Error(part.where + "." + error.what());
  }
  return file;
}

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
    std::string& place = surfaces[id.as_integer()];
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
