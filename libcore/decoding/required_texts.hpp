// Texts that the translation of a line must contain: placeholders, tags, terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/phrases.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

struct RequiredText {
  std::string text;              // as it is written
  std::int64_t times = 1;        // so often in all
  bool is_once = false;          // and no more often
  std::int32_t after = -1;       // the text, before this one, that it must follow; -1: none
  std::size_t source_begin = 0;  // in bytes, of a text that stands in the source, too
  bool begins_line = false;      // in the source
  bool follows_space = false;    // white space stands before it there
  bool is_apart_before = true;   // no letter or digit does
  bool is_apart_after = true;    // none stands after it
};

struct RequiredTexts {
  std::vector<RequiredText> texts;
  bool are_all = false;  // the line has nothing else to translate
};

// How far a translation is from what is required, 0: not at all. What is missing or too much counts most,
// then the order, then what stands beside a text.
std::int64_t faults_of(std::string_view translation, const RequiredTexts& required);
// Whether it has all that is required, no more of it, and in order.
bool has_required(std::string_view translation, const RequiredTexts& required);
// How often `wanted` stands in `text`, not overlapping.
std::int64_t count_of(std::string_view text, std::string_view wanted);

// A line with words like X1X in place of texts that tokenizers cannot write, as {name} without braces in the
// vocabulary: models copy such words.
struct StandIns {
  std::string line;
  RequiredTexts required;
  struct Word {
    std::string word, text;
    bool eats_before, eats_after;  // a space that was added to the line
  };
  std::vector<Word> words;
  std::string restored(std::string translation) const;
};
// `can_write`: whether the model's tokenizers give a text back as it is. Nothing is replaced where they
// cannot write such words either.
StandIns with_stand_ins(const std::string& line, const RequiredTexts& required,
                        const std::function<bool(const std::string&)>& can_write);

// For a search; none where a text has no token, or there are too many texts.
Phrases phrases_of(const RequiredTexts& required, const Tokenizer& tokenizer);

// `text`, decoded from ids, with each phrase that was met written as it is required: a tokenizer may write it
// in lower case, or as [UNK]. `begun` ids are of a prefix.
std::string with_required(std::string text, std::span<const std::int32_t> ids, std::size_t begun,
                          const Phrases& phrases, const RequiredTexts& required, const Tokenizer& tokenizer);

}  // namespace headwater
