// Attention weights of one head as data: CSV in long form, JSON, blocks for gnuplot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "families/attention_trace.hpp"
#include "families/vision/attention.hpp"
#include "support/files.hpp"

namespace headwater {

// "example 0, encoder, layer 1, head 2"
std::string title_of(const AttentionRecord& record);

// Throws Error where the sizes of a record do not fit each other.
void check(const AttentionRecord& record);

// What a record's tokens are in decoded text; none of a side: the tokens.
struct AttentionTexts {
  std::vector<std::string> queries = {}, keys = {}, predicts = {};
  bool has_segments = false;  // CSV says which text of a pair each token is of, 0 or 1
  // Where the second text of a pair in encoders begins, and where padding does; 0: there is one text.
  std::size_t second_text = 0, padding = 0;
};

// "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,weight\n", with segments
// "q_segment,k_segment," before the weight: that is the last column, so that `$NF` of awk finds it whatever
// stands in the tokens.
std::string_view attention_csv_header(bool has_segments = false);

// CSV of images: "example,kind,layer,head,q,k,q_row,q_column,k_row,k_column,weight\n"; row and column of
// a class token are empty.
std::string_view patch_attention_csv_header();
void append_patch_attention_csv(std::string& out, const AttentionRecord& record, const PatchTokens& tokens);

// A record as text, its weights some rows at a time: begin(), all rows() in order, end().
// csv: a line for each weight, queries outside, keys inside. RFC 4180 quoting, LF at line ends, weights with
// 9 significant digits (a float32 reads back equal). Line ends in texts are written \n and \r.
// json: an object in one line, with the members that tools/attn-dump.md lists. Images have no texts.
// matrix: a block for gnuplot's `matrix with image`. A comment names it and its tokens; q lines of k weights
// and two empty lines follow, so that `index N` finds it.
class AttentionRows {
 public:
  enum class Format { csv, json, matrix };
  // Refers to the record, which needs no weights.
  AttentionRows(Format format, const AttentionRecord& record, const AttentionTexts& texts = {});
  void begin(std::string& out) const;
  // Whole rows, of which the first is that of `query`.
  void rows(std::string& out, std::size_t query, std::span<const float> weights) const;
  void end(std::string& out) const;

 private:
  void csv_row(std::string& out, std::size_t query, std::span<const float> weights) const;

  Format format_;
  const AttentionRecord& record_;
  AttentionTexts texts_;
  // For CSV: what all lines begin with, and the fields of each query and key.
  std::string head_;
  std::vector<std::string> query_, key_, predicts_, query_text_, key_text_, predicts_text_, query_segment_,
      key_segment_;
};

// The same of a record with its weights.
void append_attention(std::string& out, AttentionRows::Format format, const AttentionRecord& record,
                      const AttentionTexts& texts = {});

// What the axes of an AttentionArray are, an object with a line end: version, example, kind, layers, heads
// and the tokens and texts of its JSON. Weights are not looked at.
std::string attention_axes_json(std::span<const AttentionRecord> records, const AttentionTexts& texts = {});

// Attention weights of several heads as one NumPy array: float32 [layers, heads, q, k], little-endian, of one
// example and kind, each head of each layer once, layers outside. Weights wait in an UnnamedFile.
class AttentionArray {
 public:
  // The next head, whose rows follow, some at a time. Throws Error where it is of another example or kind.
  void begin(const AttentionRecord& record);
  void rows(std::span<const float> weights);
  // The same of a record with its weights.
  void add(const AttentionRecord& record);
  // The bytes of the file. Throws Error where there are no heads, or not the same of each layer.
  void write(const std::function<void(std::string_view)>& take) const;

 private:
  struct Head {
    std::int64_t layer, head;
  };
  std::size_t heads_a_layer() const;
  [[noreturn]] void refuse(std::int64_t example, AttentionKind kind, const Head& head) const;

  std::int64_t example_ = 0, queries_ = 0, keys_ = 0;
  AttentionKind kind_ = AttentionKind::encoder;
  std::vector<Head> heads_;
  UnnamedFile weights_;
};

}  // namespace headwater
