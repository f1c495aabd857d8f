#include "text/models/bpe_model.hpp"

#include "support/error.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/word_table.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {
namespace {

// Texts of a file whose one part before the model is ByteLevel: no byte becomes a character on the way.
class ByteLevelEncoder final : public FusedEncoder {
 public:
  ByteLevelEncoder(Bpe bpe, bool adds_space) : bpe_(std::move(bpe)), adds_space_(adds_space) {}
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::string with_space;
    if (adds_space_ && !text.empty() && text[0] != ' ') {
      with_space = " ";
      with_space += text;
      text = with_space;
    }
    for_each_byte_level_piece(text, [&](std::string_view piece) { bpe_.encode(piece, ids); });
  }

 private:
  Bpe bpe_;
  bool adds_space_;
};

std::string text_or_empty(const Json& object, std::string_view name, const std::string& where) {
  const Json* member = object.find(name);
  return member == nullptr || member->is_null() ? std::string() : json_string(object, name, where);
}

// `where` is asked for its place only where there is a fault.
template <class Where>
std::pair<std::string_view, std::string_view> surfaces_of_merge(const Json& merge, const Where& where) {
  if (merge.is_string()) {
    const std::string_view both = merge.as_string();
    const std::size_t space = both.find(' ');
    if (space == both.npos || both.find(' ', space + 1) != both.npos)
      throw Error(where() + ": expected two tokens with one space between them, found " + quote(both));
    return {both.substr(0, space), both.substr(space + 1)};
  }
  if (!merge.is_array() || merge.as_array().size() != 2 || !merge.as_array()[0].is_string() ||
      !merge.as_array()[1].is_string()) {
    throw Error(where() + ": expected \"a b\" or [\"a\", \"b\"]");
  }
  return {merge.as_array()[0].as_string(), merge.as_array()[1].as_string()};
}

std::vector<Bpe::Merge> read_merges(const ModelPart& part, const std::vector<std::string>& surfaces) {
  WordTable ids;
  for (std::size_t id = 0; id < surfaces.size(); ++id) ids.value(surfaces[id]) = id;
  const Json& list = json_member(part.json, "merges", part.where);
  if (!list.is_array()) throw Error(part.where + ".merges: expected an array");
  std::vector<Bpe::Merge> merges;
  merges.reserve(list.as_array().size());
  for (const Json& merge : list.as_array()) {
    const auto where = [&] { return part.where + ".merges[" + std::to_string(merges.size()) + "]"; };
    const auto [left, right] = surfaces_of_merge(merge, where);
    const auto id_of = [&](std::string_view surface) {
      const WordTable::Entry* entry = ids.find(surface);
      if (entry == nullptr) throw Error(where() + ": " + quote(surface) + " is not in the vocabulary");
      return static_cast<std::int32_t>(entry->value);
    };
    const std::int32_t first = id_of(left);
    merges.emplace_back(first, id_of(right));
  }
  return merges;
}

}  // namespace

BpeModel::BpeModel(std::vector<std::string> surfaces, std::vector<Bpe::Merge> merges,
                   const BpeSettings& settings)
    : surfaces_(std::move(surfaces)),
      merges_(std::move(merges)),
      settings_(settings),
      bpe_(surfaces_, merges_, settings) {}

void BpeModel::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  bpe_.encode(piece, ids);
}

void BpeModel::sample(std::string_view piece, const SubwordSampling& sampling, SampleCounter& random,
                      std::vector<std::int32_t>& ids) const {
  if (sampling.dropout <= 0) return bpe_.encode(piece, ids);
  bpe_.encode_with_dropout(piece, sampling.dropout, random.stream, random.at, ids);
}

std::unique_ptr<const FusedEncoder> BpeModel::fused_encoder(const Json& normalizer,
                                                            const Json& pre_tokenizer) const {
  const Json* type = pre_tokenizer.is_object() ? pre_tokenizer.find("type") : nullptr;
  const bool is_byte_level = type != nullptr && type->is_string() && type->as_string() == "ByteLevel" &&
                             json_bool_or(pre_tokenizer, "use_regex", true, "pre_tokenizer");
  if (!normalizer.is_null() || !is_byte_level || !settings_.continuing_subword_prefix.empty() ||
      !settings_.end_of_word_suffix.empty() || settings_.byte_fallback) {
    return nullptr;
  }
  BpeSettings settings = settings_;
  settings.is_byte_level = true;
  return std::make_unique<ByteLevelEncoder>(
      Bpe(surfaces_, merges_, settings),
      json_bool_or(pre_tokenizer, "add_prefix_space", true, "pre_tokenizer"));
}

ModelOfFile read_bpe(const ModelPart& part) {
  check_members(part.json,
                {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                 "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"},
                part.where);
  const Json* dropout = part.json.find("dropout");
  if (dropout != nullptr && !dropout->is_null() && !(dropout->is_number() && dropout->as_number() == 0))
    throw Error(part.where + ".dropout: only null is supported (a recipe asks for dropout in training)");
  ModelOfFile file;
  file.surfaces = read_vocab(part);
  const std::string unknown = text_or_empty(part.json, "unk_token", part.where);
  if (!unknown.empty()) file.unknown_id = id_of_surface(file.surfaces, unknown, part, "unk_token");
  BpeSettings settings;
  settings.continuing_subword_prefix = text_or_empty(part.json, "continuing_subword_prefix", part.where);
  settings.end_of_word_suffix = text_or_empty(part.json, "end_of_word_suffix", part.where);
  settings.unknown_id = file.unknown_id;
  settings.fuse_unknown = json_bool_or(part.json, "fuse_unk", false, part.where);
  settings.byte_fallback = json_bool_or(part.json, "byte_fallback", false, part.where);
  settings.byte_ids = byte_piece_ids(file.surfaces);  // of special ones too
  settings.ignore_merges = json_bool_or(part.json, "ignore_merges", false, part.where);
  std::vector<Bpe::Merge> merges = read_merges(part, file.surfaces);
  try {
    file.model = std::make_shared<BpeModel>(findable_surfaces(file, part), std::move(merges), settings);
  } catch (const Error& error) {
    throw Error(part.where + ": " + error.what());
  }
  return file;
}

}  // namespace headwater
