// A tokenizer: text to tokens and ids, and back. It is read from a tokenizer.json; learning one is in
// tokenizer_learner.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/token_counts.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

struct FolderFiles;

// What decode() does with the unknown token; [PAD], [START], [END] and other special tokens never appear.
enum class UnknownTokens { shown, skipped };

// The special tokens of a foreign directory; empty: not said.
struct SpecialTokenRoles {
  std::string pad, start, end;
};

// A small handle to shared, constant data: copies are cheap, and all members may be called from several
// threads. Text is well-formed UTF-8 (readers of lines check it). Special tokens are never produced from
// text, whatever it says, but for those without a role of another program's tokenizer.
class Tokenizer {
 public:
  // A tokenizer.json; a .subwords file; a vocab.txt; a vocab.json or merges.txt with the other beside it; or
  // a directory with one of these, where tokenizer_config.json, special_tokens_map.json and
  // added_tokens.json say more. Throws Error "path: member: what".
  static Tokenizer load(const std::filesystem::path& path);
  // From a directory whose files were read already.
  static Tokenizer load(const FolderFiles& folder);
  // Whether a directory has the files of one.
  static bool is_in(const std::filesystem::path& directory);
  static Tokenizer parse(std::string_view json, std::string_view where);
  // The bytes of one file: a tokenizer.json or .subwords.
  static Tokenizer parse_any(std::string_view file, std::string_view where);

  std::vector<std::int32_t> encode(std::string_view text) const;
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;  // replaces what ids held

  // "BPE", "Unigram", "WordPiece", "WordLevel", or nothing where the file does not say.
  std::string model_type() const;
  // The same as encode() with the random choices of a subword model; they depend on the text and the stream
  // alone.
  void sample(std::string_view text, const SubwordSampling& sampling, const RandomStream& stream,
              std::vector<std::int32_t>& ids) const;
  // The surface forms of that sample, as for_each_token() has them.
  void for_each_sampled_token(std::string_view text, const SubwordSampling& sampling,
                              const RandomStream& stream,
                              const std::function<void(std::string_view)>& use) const;

  // The ids of a text, or of a pair of texts, with the special tokens that the file puts around them
  // (post_processor); without such a part as they are. Ids of encode() never have them.
  std::vector<std::int32_t> with_special_tokens(std::span<const std::int32_t> ids) const;
  void with_special_tokens(std::span<const std::int32_t> ids,
                           std::vector<std::int32_t>& all) const;  // appends
  std::vector<std::int32_t> with_special_tokens(std::span<const std::int32_t> first,
                                                std::span<const std::int32_t> second) const;
  void with_special_tokens(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                           std::vector<std::int32_t>& all) const;  // appends

  // Surface forms: the pieces of the standardised text, also where they are not in the vocabulary.
  std::vector<std::string> tokens(std::string_view text) const;
  void for_each_token(std::string_view text, const std::function<void(std::string_view)>& use) const;

  // An unknown token gives unknown_id(), and so does a special one that no text gives; Error where there is
  // none.
  std::int32_t id_of_token(std::string_view token) const;

  // The text of ids: words joined by one space, characters by nothing; words and punctuation by nothing
  // without the space that the first begins with. Throws Error for an id out of range.
  std::string decode(std::span<const std::int32_t> ids, UnknownTokens unknown = UnknownTokens::shown) const;
  // The same for surface forms.
  std::string join(std::span<const std::string> tokens) const;

  // The text as it is standardised before splitting, which is what joining its tokens gives where nothing is
  // lost: without what a normalizer writes for the decoder to undo, as U+2581 for a space.
  std::string normalize(std::string_view text) const;

  const std::string& surface(std::int32_t id) const;
  // A token as readers want it: what decoding makes of it inside a text, with the space that it begins or
  // ends with. A byte that is only a part of a character is <0xC3>.
  std::string token_text(std::string_view surface) const;
  // The same on one line, for pictures and terminals: characters for bytes, U+2581 for a space, \n for a line
  // end; marks as ## and </w> stay.
  std::string token_label(std::string_view surface) const;
  std::int32_t vocabulary_size() const;  // with all special tokens
  // Each -1 where there is none. The unknown token is the model's; the others are special tokens of these
  // names, the first that is there, unless a directory's files say which.
  std::int32_t pad_id() const;  // [PAD] <pad>
  std::int32_t unknown_id() const;
  std::int32_t start_id() const;   // [START] <s> [CLS] <|startoftext|> <|endoftext|>
  std::int32_t end_id() const;     // [END] </s> [SEP] <|endoftext|>
  SpecialIds special_ids() const;  // these four
  bool is_special(std::int32_t id) const;
  // The id of a special token by its surface, as [SEP]; -1 where none is called so.
  std::int32_t special_id(std::string_view surface) const;

  // 32 hexadecimal digits over the surfaces in the order of their ids.
  const std::string& hash() const;
  // The text of the tokenizer.json that this came from. Of a .model it is made when it is first asked for;
  // throws Error where that takes too much.
  const std::string& to_json() const;
  // Whether tokenizer.json asks other programs to take the beginning off a long text, not the end.
  bool truncates_left() const;
  // One line each: members of the file that mean nothing here.
  const std::vector<std::string>& warnings() const;

 private:
  friend struct TokenizerReader;
  friend struct MarianTokenizer;
  struct Impl;
  static Tokenizer parse_with_roles(std::string_view json, std::string_view where,
                                    const SpecialTokenRoles& roles);
  explicit Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace headwater
