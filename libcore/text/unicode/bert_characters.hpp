// The classes of characters by which BERT's tokenizer cleans and splits a text. Hugging Face's library, whose
// ids are the reference, knows the categories of Unicode 8.0 there; characters of later versions are ordinary
// ones.
#pragma once

namespace headwater {

bool is_bert_punctuation(char32_t code_point);  // ASCII punctuation and symbols, and P*
bool is_bert_control(char32_t code_point);      // Cc, Cf and Co; TAB, LF and CR too
bool is_bert_accent(char32_t code_point);       // Mn

// The ideographs that get spaces around them: the library's blocks, with its slip at U+2B820 to U+2B91F.
constexpr bool is_bert_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

}  // namespace headwater
