// A small model directory of Marian NMT with made-up numbers, and its greedy translations as the equations
// say them, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "marian_bytes.hpp"
#include "support/files.hpp"
#include "unit/text/formats/model_file.hpp"

namespace naive_marian {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline constexpr std::size_t kWidth = 8, kHeads = 2, kInner = 12, kTokens = 20, kLayers = 2;

inline std::string settings(const std::string& more = "") {
  return "type: transformer\ndim-emb: 8\ndim-vocabs:\n  - 20\n  - 20\nenc-depth: 2\ndec-depth: 2\n"
         "transformer-heads: 2\ntransformer-dim-ffn: 12\ntransformer-ffn-depth: 2\n"
         "transformer-ffn-activation: relu\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n"
         "transformer-preprocess: \"\"\ntransformer-postprocess: dan\ntransformer-postprocess-emb: d\n"
         "tied-embeddings-all: true\ninput-types: []\nversion: v1.9.56 2021-04-28 00:28:35 +0100\n" +
         more;
}

// Named as there; each matrix [inputs, outputs].
class Model {
 public:
  Model() {
    add("Wemb", kTokens, kWidth);
    add("decoder_ff_logit_out_b", 1, kTokens);
    for (std::size_t l = 1; l <= kLayers; ++l) {
      const std::string encoder = "encoder_l" + std::to_string(l), decoder = "decoder_l" + std::to_string(l);
      add_attention(encoder + "_self");
      add_attention(decoder + "_context");
      for (const std::string& side : {encoder, decoder}) {
        add(side + "_ffn_W1", kWidth, kInner);
        add(side + "_ffn_b1", 1, kInner);
        add(side + "_ffn_W2", kInner, kWidth);
        add(side + "_ffn_b2", 1, kWidth);
        add_norm(side + "_ffn_ffn");
      }
      add(decoder + "_rnn_W", kWidth, kWidth);
      add(decoder + "_rnn_Wf", kWidth, kWidth);
      add(decoder + "_rnn_bf", 1, kWidth);
      add_norm(decoder + "_rnn_ffn");
    }
  }

  const Rows& at(const std::string& name) const { return matrices_.at(name); }

  // Of bytes, where `are_bytes`: what is a product's, or the table, is then rounded to bytes here too.
  std::vector<marian_bytes::Item> items(bool are_bytes, const std::string& text = settings()) {
    std::vector<marian_bytes::Item> found;
    for (auto& [name, rows] : matrices_) {
      const bool is_matrix = rows.size() > 1;
      const std::vector<std::int32_t> shape{static_cast<std::int32_t>(rows.size()),
                                            static_cast<std::int32_t>(rows.front().size())};
      if (are_bytes && is_matrix) {
        found.push_back({name, marian_bytes::kBrowserBytes, shape, quantized(rows, name == "Wemb")});
        found.push_back(marian_bytes::float_item(name + "_QuantMultA", {1, 1}, std::vector<float>{3}));
      } else {
        std::vector<float> values;
        for (const Row& row : rows) values.insert(values.end(), row.begin(), row.end());
        found.push_back(marian_bytes::float_item(name, shape, values));
      }
    }
    found.push_back(marian_bytes::text_item("special:model.yml", text));
    return found;
  }

  // Without the end; of `allowed` tokens, ascending.
  std::vector<std::int32_t> translate(const std::vector<std::int32_t>& source,
                                      const std::vector<std::int32_t>& allowed, std::size_t most) const {
    Rows memory;
    for (std::size_t t = 0; t < source.size(); ++t) memory.push_back(embedded(at("Wemb")[source[t]], t));
    for (std::size_t l = 1; l <= kLayers; ++l) {
      const std::string name = "encoder_l" + std::to_string(l);
      Rows next;
      for (const Row& x : memory) next.push_back(feed_forward(name, attend(name + "_self", x, memory)));
      memory = next;
    }
    Rows states(kLayers, Row(kWidth));
    Row input(kWidth);  // the first is zero
    std::vector<std::int32_t> ids;
    while (ids.size() < most) {
      Row x = embedded(input, ids.size());
      for (std::size_t l = 1; l <= kLayers; ++l) {
        const std::string name = "decoder_l" + std::to_string(l);
        const Row f = product(x, name + "_rnn_Wf", name + "_rnn_bf"), z = product(x, name + "_rnn_W", "");
        Row sum = x;
        for (std::size_t i = 0; i < kWidth; ++i) {
          const double gate = 1 / (1 + std::exp(-f[i]));
          double& state = states[l - 1][i];
          state = gate * state + (1 - gate) * z[i];
          sum[i] += std::max(state, 0.0);
        }
        x = feed_forward(name, attend(name + "_context", norm(sum, name + "_rnn_ffn"), memory));
      }
      std::int32_t best = -1;
      double most_likely = 0;
      for (const std::int32_t id : allowed) {
        const std::size_t row = id;
        double logit = at("decoder_ff_logit_out_b")[0][row];
        for (std::size_t i = 0; i < kWidth; ++i) logit += x[i] * at("Wemb")[row][i];
        if (best >= 0 && logit <= most_likely) continue;
        best = id;
        most_likely = logit;
      }
      if (best == 0) break;
      ids.push_back(best);
      input = at("Wemb")[best];
    }
    return ids;
  }

 private:
  void add(const std::string& name, std::size_t rows, std::size_t columns) {
    Rows& matrix = matrices_[name];
    for (std::size_t r = 0; r < rows; ++r) {
      matrix.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) {
        seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
        const double uniform = static_cast<double>(seed_ >> 40) / 16777216.0;
        matrix.back().push_back(static_cast<float>(2 * uniform - 1));
      }
    }
  }
  void add_norm(const std::string& name) {
    add(name + "_ln_scale", 1, kWidth);
    add(name + "_ln_bias", 1, kWidth);
  }
  void add_attention(const std::string& name) {
    for (const char* part : {"q", "k", "v", "o"}) {
      add(name + "_W" + part, kWidth, kWidth);
      add(name + "_b" + part, 1, kWidth);
    }
    add_norm(name + "_Wo");
  }

  // Products are stored transposed.
  static std::string quantized(Rows& rows, bool is_table) {
    const float multiplier = 127;
    std::string data;
    for (Row& row : rows) {
      for (double& value : row) {
        const auto byte = static_cast<signed char>(std::lround(value * 127));
        value = static_cast<double>(static_cast<float>(byte) * (1 / multiplier));
        if (is_table) data += static_cast<char>(byte);
      }
    }
    for (std::size_t c = 0; c < rows.front().size() && !is_table; ++c) {
      for (const Row& row : rows) data += static_cast<char>(std::lround(row[c] * 127));
    }
    return data + marian_bytes::raw(multiplier);
  }

  Row product(const Row& x, const std::string& weight, const std::string& bias) const {
    Row y = bias.empty() ? Row(at(weight)[0].size()) : at(bias)[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t o = 0; o < y.size(); ++o) y[o] += x[i] * at(weight)[i][o];
    }
    return y;
  }
  Row norm(const Row& x, const std::string& name) const {
    double mean = 0, variance = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Row y = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = (x[i] - mean) / std::sqrt(variance + 1e-6) * at(name + "_ln_scale")[0][i] +
             at(name + "_ln_bias")[0][i];
    return y;
  }
  Row attend(const std::string& name, const Row& x, const Rows& memory) const {
    const std::size_t K = kWidth / kHeads;
    const Row q = product(x, name + "_Wq", name + "_bq");
    Row context(kWidth);
    for (std::size_t head = 0; head < kHeads; ++head) {
      Row weights, values(K);
      double total = 0;
      for (const Row& token : memory) {
        const Row k = product(token, name + "_Wk", name + "_bk");
        double score = 0;
        for (std::size_t i = head * K; i < (head + 1) * K; ++i) score += q[i] * k[i];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(K))));
        total += weights.back();
      }
      for (std::size_t t = 0; t < memory.size(); ++t) {
        const Row v = product(memory[t], name + "_Wv", name + "_bv");
        for (std::size_t i = head * K; i < (head + 1) * K; ++i) context[i] += weights[t] / total * v[i];
      }
    }
    Row sum = product(context, name + "_Wo", name + "_bo");
    for (std::size_t i = 0; i < kWidth; ++i) sum[i] += x[i];
    return norm(sum, name + "_Wo");
  }
  Row feed_forward(const std::string& side, const Row& x) const {
    Row hidden = product(x, side + "_ffn_W1", side + "_ffn_b1");
    for (double& value : hidden) value = std::max(value, 0.0);
    Row sum = product(hidden, side + "_ffn_W2", side + "_ffn_b2");
    for (std::size_t i = 0; i < kWidth; ++i) sum[i] += x[i];
    return norm(sum, side + "_ffn_ffn");
  }
  static Row embedded(const Row& token, std::size_t place) {
    Row x = token;
    constexpr std::size_t kHalf = kWidth / 2;
    for (std::size_t i = 0; i < kHalf; ++i) {
      const double rate = std::exp(-std::log(10000.0) / (kHalf - 1) * static_cast<double>(i)),
                   angle = static_cast<double>(place) * rate;
      x[i] = token[i] * std::sqrt(static_cast<double>(kWidth)) + std::sin(angle);
      x[kHalf + i] = token[kHalf + i] * std::sqrt(static_cast<double>(kWidth)) + std::cos(angle);
    }
    return x;
  }

  std::map<std::string, Rows> matrices_;
  std::uint64_t seed_ = 7;
};

// </s>, <unk>, and 18 pieces of a letter with a space before it, "a" to "r".
inline std::string vocabulary() {
  using namespace headwater;
  std::string model =
      piece_field("</s>", 0, PieceType::control) + piece_field("<unk>", 0, PieceType::unknown);
  for (char letter = 'a'; letter < 'a' + 18; ++letter)
    model += piece_field(std::string("\xE2\x96\x81") + letter, -1);
  return model;
}

inline const std::string kOptions =
    "relative-paths: true\nmodels:\n  - model.bin\nvocabs:\n  - vocab.spm\n  - vocab.spm\nbeam-size: 1\n"
    "normalize: 1.0\nword-penalty: 0\nmini-batch: 64\nmax-length-factor: 2\ngemm-precision: "
    "int8shiftAlphaAll\n";

// Lists tokens 2i, 2i + 1 and 19 for token i, after the first three.
inline std::vector<std::vector<std::uint32_t>> lists() {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t token = 0; token < kTokens; ++token)
    all.push_back({2 * token % 20, (2 * token + 1) % 20, 19});
  return all;
}

}  // namespace naive_marian
