// One long text as ids, in a file that stays mapped and may be larger than memory: safetensors with the
// tensor `ids`, U16 or U32 [N], and in the metadata what vocabulary they are of (libcore/FORMATS.md, Token
// streams).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "data/dataset.hpp"
#include "data/mapped_reads.hpp"

namespace headwater {

// A stream of N ids is cut into windows that begin every `stride` ids. A window has length + 1 ids, all but
// the last of which are read and all but the first predicted; the last window, which holds the last id, may
// have fewer.
struct WindowCut {
  std::int64_t length = 0, stride = 0;  // 1 <= stride <= length

  // None of a stream in which nothing can be predicted.
  std::int64_t windows(std::int64_t ids) const {
    return ids < 2 ? 0 : 1 + (ids - 1 <= length ? 0 : (ids - 1 - length + stride - 1) / stride);
  }
  std::int64_t begin(std::int64_t window) const { return window * stride; }
  // How many ids the window that begins there has.
  std::int64_t size(std::int64_t begin, std::int64_t ids) const { return std::min(length + 1, ids - begin); }
};

struct TokenStreamSettings {
  WindowCut cut;
  std::int64_t vocabulary = 0;    // V: ids are 0 to V - 1
  std::string vocabulary_hash{};  // compared with the file's; empty: not compared
};

class TokenStream : public Dataset {
 public:
  explicit TokenStream(TokenStreamSettings settings) : settings_(std::move(settings)) {}

  bool reads_lines() const override { return false; }
  void know_hash(std::string_view hash) override { hash_ = hash; }
  // Once. Throws Error "path: what (fix)" for a file that is not as above or does not fit the settings; all
  // of it is read once, unless its hash is known.
  void add_file(const std::filesystem::path& path) override;
  // A file that is open; of bytes in memory, these stay the caller's.
  void add(const Safetensors& file);
  void finish(std::string_view where, bool is_empty_allowed) override;

  std::int64_t examples() const override { return settings_.cut.windows(ids_); }
  std::string hash() const override { return hash_; }  // of the ids and their number

  const WindowCut& cut() const { return settings_.cut; }
  std::int64_t ids() const { return ids_; }
  // The ids of the window that begins there. From any thread. The memory that reading the file takes is given
  // back now and then.
  void read_window(std::int64_t begin, std::vector<std::int32_t>& to) const {
    read(begin, cut().size(begin, ids_), to);
  }
  void read(std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& to) const;

 private:
  std::int32_t id(std::int64_t place) const;

  TokenStreamSettings settings_;
  std::unique_ptr<MappedReads> reads_;
  std::string_view bytes_;
  std::size_t id_bytes_ = 2;
  std::int64_t ids_ = 0;
  std::string hash_;
};

// What such a file begins with: always as many bytes, so that it can be written before the ids are known.
inline constexpr std::size_t kTokenStreamHeader = 512;
struct TokenStreamHeader {
  std::int64_t ids = 0, vocabulary = 0;
  std::string vocabulary_hash;
};
std::string token_stream_header(const TokenStreamHeader& header);
// Bytes of an id of such a vocabulary: 2 where all fit.
constexpr std::size_t token_stream_id_bytes(std::int64_t vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

}  // namespace headwater
