// Attention weights of one head as data: CSV in long form, JSON, blocks for gnuplot, NumPy arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pretrained/attention_trace.hpp"
#include "pretrained/vision_attention.hpp"

namespace headwater {

// Throws Error where the sizes of a record do not fit each other.
void check(const AttentionRecord& record);

// What a record's tokens are in decoded text; none of a side: the tokens.
struct AttentionTexts {
  std::vector<std::string> queries = {}, keys = {}, predicts = {};
  bool has_segments = false;  // CSV says which text of a pair each token is of, 0 or 1
  // Of a pair in encoders: where its second text begins, and where padding does; 0: there is one text.
  std::size_t second_text = 0, padding = 0;
};

// "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,weight\n", with segments
// "q_segment,k_segment," before the weight: that is the last column, so that `$NF` of awk finds it whatever
// stands in the tokens.
std::string_view attention_csv_header(bool has_segments = false);

// One line for each weight, queries outside, keys inside: RFC 4180 quoting, LF at line ends, weights with 9
// significant digits (a float32 reads back equal). Line ends in texts are written \n and \r.
void append_attention_csv(std::string& out, const AttentionRecord& record, const AttentionTexts& texts = {});

// The same of images: "example,kind,layer,head,q,k,q_row,q_column,k_row,k_column,weight\n"; row and column of
// a class token are empty.
std::string_view patch_attention_csv_header();
void append_patch_attention_csv(std::string& out, const AttentionRecord& record, const PatchTokens& tokens);

// One line, an object: version, example, kind, layer, head (of a single one), q_tokens, k_tokens, predicts,
// q_texts, k_texts and predicts_texts (of images, whose texts are not given, tokens alone), of pairs
// q_segments and k_segments (null of padding), and weights, a list a query.
void append_attention_json(std::string& out, const AttentionRecord& record, const AttentionTexts& texts = {});

// One block for gnuplot's `matrix with image`: a comment naming it and its tokens, q lines of k weights, two
// empty lines (so that `index N` finds it).
void append_attention_matrix(std::string& out, const AttentionRecord& record);

// A NumPy file: float32 [layers, heads, q, k], little-endian. The records are those of one example and kind,
// each head of each layer once, layers outside; throws Error otherwise.
std::string attention_npy(std::span<const AttentionRecord> records);
// What the axes of such an array are, an object with a line end: version, example, kind, layers, heads and
// the tokens and texts of append_attention_json.
std::string attention_axes_json(std::span<const AttentionRecord> records, const AttentionTexts& texts = {});

}  // namespace headwater
