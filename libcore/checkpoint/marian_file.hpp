// Weight files of Marian (github.com/marian-nmt/marian-dev): its binary form of version 1, and
// npz. Both hold named tensors, and the settings of the model as a text of YAML.
// The reader trusts nothing in the file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "checkpoint/safetensors.hpp"

namespace headwater {

class MarianFile {
 public:
  // Reads the file.
  explicit MarianFile(const fs::path& path);
  // Reads bytes that the caller keeps; `where` names them in messages.
  MarianFile(std::string_view bytes, std::string where);

  // "special:model.yml"; empty: there is none.
  const std::string& settings() const { return settings_; }
  // The others, a map as x·W has it: [inputs, outputs]. A matrix of bytes (intgemm8) is multiplied out: a
  // byte divided by the multiplier that stands behind them; TensorView::int8 are the bytes. Multipliers of
  // activations ("..._QuantMultA") are left out.
  const Safetensors& tensors() const { return tensors_; }

 private:
  struct Contents;
  MarianFile(const std::shared_ptr<const std::string>& file, std::string where);
  explicit MarianFile(Contents contents);
  static Contents read(std::string_view bytes, std::shared_ptr<const std::string> owner, std::string where);

  std::string settings_;
  Safetensors tensors_;
};

// As which of them a regular file begins.
enum class MarianForm { none, binary, npz };
MarianForm marian_form_of(const fs::path& path);

}  // namespace headwater
