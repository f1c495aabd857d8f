// Tokens that stand for one byte, called special by added_tokens: no character of a text is lost.
#include <doctest/doctest.h>

#include "ids_of_tokens.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {
namespace {

using Ids = std::vector<std::int32_t>;

Json added_token(std::int32_t id, const std::string& content, bool is_special) {
  return Json()
      .set("id", id)
      .set("content", content)
      .set("single_word", false)
      .set("lstrip", false)
      .set("rstrip", false)
      .set("normalized", false)
      .set("special", is_special);
}

struct ByteFile {
  std::string type = "BPE";
  Json::Array surfaces;  // of the model, in the order of ids
  Json::Array merges = {};
  Json pre_tokenizer = nullptr, normalizer = nullptr, decoder = nullptr, unknown = nullptr;
  bool has_fallback = false;
  std::string suffix = {};

  Json model() const {
    if (type == "Unigram") {
      Json::Array pieces;
      for (const Json& surface : surfaces) pieces.emplace_back(Json::Array{surface, -1.0});
      return Json()
          .set("type", type)
          .set("unk_id", unknown)
          .set("vocab", std::move(pieces))
          .set("byte_fallback", has_fallback);
    }
    Json::Object vocabulary;
    for (const Json& surface : surfaces)
      vocabulary.emplace_back(surface.as_string(), std::uint64_t{vocabulary.size()});
    return Json()
        .set("type", type)
        .set("unk_token", unknown)
        .set("end_of_word_suffix", suffix.empty() ? Json() : Json(suffix))
        .set("byte_fallback", has_fallback)
        .set("vocab", std::move(vocabulary))
        .set("merges", merges);
  }

  // With the tokens called special of which is_special(surface) is true.
  template <class IsSpecial>
  Tokenizer read(const IsSpecial& is_special) const {
    Json::Array added;
    for (std::size_t id = 0; id < surfaces.size(); ++id) {
      if (is_special(surfaces[id].as_string()))
        added.push_back(added_token(static_cast<std::int32_t>(id), surfaces[id].as_string(), true));
    }
    return Tokenizer::parse(Json()
                                .set("version", "1.0")
                                .set("added_tokens", std::move(added))
                                .set("normalizer", normalizer)
                                .set("pre_tokenizer", pre_tokenizer)
                                .set("decoder", decoder)
                                .set("model", model())
                                .dump(),
                            "t.json");
  }
};

Json::Array bytes_after(Json::Array surfaces) {
  for (int byte = 0; byte < 256; ++byte)
    surfaces.emplace_back(byte_surface(static_cast<unsigned char>(byte)));
  return surfaces;
}

Json part(const char* type) { return Json().set("type", type); }

}  // namespace

TEST_CASE("special byte tokens: byte fallback uses them, text does not spell them") {
  const Json fallback =
      Json().set("type", "Sequence").set("decoders", Json::Array{part("ByteFallback"), part("Fuse")});
  ByteFile bpe{.surfaces = bytes_after({"a", "b", " "}), .decoder = fallback, .has_fallback = true};
  ByteFile with_unknown = bpe;
  with_unknown.unknown = "b";
  ByteFile unigram = bpe;
  unigram.type = "Unigram";
  unigram.unknown = 1;
  for (const ByteFile& file : {bpe, with_unknown, unigram}) {
    const Tokenizer plain = file.read([](const std::string&) { return false; });
    const Tokenizer special =
        file.read([](const std::string& surface) { return byte_of_surface(surface) >= 0; });
    const Tokenizer some = file.read([](const std::string& surface) { return surface == "<0xC3>"; });
    for (const Tokenizer& tokenizer : {plain, special, some}) {
      const Ids ids = tokenizer.encode("a é a");
      CHECK(ids == Ids{0, 2, 3 + 0xC3, 3 + 0xA9, 2, 0});
      CHECK(tokenizer.decode(ids) == "a é a");
      CHECK(ids_of_tokens(tokenizer, tokenizer.tokens("a é a")) == ids);
      CHECK(tokenizer.join(tokenizer.tokens("a é\n中")) == "a é\n中");
      CHECK(tokenizer.decode(tokenizer.encode("x")) == "x");
    }
    // What spells one is its characters.
    for (const std::int32_t id : special.encode("a<0xC3>")) CHECK(id != 3 + 0xC3);
    CHECK(special.decode(special.encode("a<0xC3>")) == "a<0xC3>");
  }
  // Without byte fallback they are special tokens as others are, and so is one that the model does not have.
  bpe.has_fallback = false;
  const Tokenizer without =
      bpe.read([](const std::string& surface) { return byte_of_surface(surface) >= 0; });
  CHECK(without.encode("aé") == Ids{0});
  CHECK(without.decode(Ids{0, 3 + 0xC3, 3 + 0xA9}) == "a");
}

TEST_CASE("special byte tokens: characters of the alphabet of bytes, with merges") {
  Json::Array surfaces;
  for (int byte = 0; byte < 256; ++byte)
    surfaces.emplace_back(byte_level_text(std::string(1, static_cast<char>(byte))));
  surfaces.emplace_back("Ã©");
  const Json byte_level = part("ByteLevel").set("add_prefix_space", false).set("use_regex", false);
  ByteFile file{.surfaces = surfaces, .merges = {Json::Array{"Ã", "©"}}, .decoder = part("ByteLevel")};
  std::vector<ByteFile> files(3, file);
  files[0].pre_tokenizer = byte_level;
  files[1].pre_tokenizer =
      Json().set("type", "Sequence").set("pretokenizers", Json::Array{part("WhitespaceSplit"), byte_level});
  files[2].normalizer = part("ByteLevel");
  for (const ByteFile& one : files) {
    for (const bool marks_merged : {false, true}) {
      const Tokenizer tokenizer = one.read([&](const std::string& surface) {
        return surface == "Ã" || surface == "!" || (marks_merged && surface == "©");
      });
      CHECK(tokenizer.encode("é!") == Ids{256, '!'});
      CHECK(tokenizer.decode(Ids{256, '!', 0xC3, 0xA8}) == "é!è");
      CHECK(ids_of_tokens(tokenizer, tokenizer.tokens("è!")) == tokenizer.encode("è!"));
      CHECK(tokenizer.decode(tokenizer.encode("è!é")) == "è!é");
    }
  }
}

TEST_CASE("a byte token with a role is left out of decoded text, and found in text") {
  const ByteFile file{.surfaces = bytes_after({"a", "<pad>"}), .has_fallback = true};
  const Tokenizer plain =
      file.read([](const std::string& surface) { return surface == "<0x21>" || surface == "<pad>"; });
  CHECK(plain.pad_id() == 1);
  CHECK(plain.special_id("<0x21>") == -1);
  const ScratchDirectory scratch;
  write_file(scratch / "tokenizer.json", plain.to_json());
  write_file(scratch / "tokenizer_config.json", R"({"pad_token":"<0x21>"})");
  const Tokenizer padded = Tokenizer::load(scratch.path());
  CHECK(padded.pad_id() == 2 + 0x21);
  for (const Tokenizer& tokenizer : {plain, padded}) CHECK(tokenizer.encode("a!") == Ids{0, 2 + 0x21});
  CHECK(plain.decode(Ids{0, 2 + 0x21}) == "a <0x21>");  // joined by spaces, as the file has no decoder
  CHECK(padded.decode(Ids{0, 2 + 0x21}) == "a");
}

}  // namespace headwater
