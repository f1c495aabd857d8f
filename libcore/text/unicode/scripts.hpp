// Scripts of letters (Unicode Standard Annex 24).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class Scripts {
 public:
  // "Latin", "Cyrl", a mixed one of ISO 15924, as "Jpan", or a language: "ja" has three. Throws Error where
  // it is none of these, and for what is no script alone: "Common", "Zyyy".
  explicit Scripts(const std::string& name);
  // The share of the letters of `text` that are of these scripts; 1 if it has no letters. `text` is
  // well-formed UTF-8.
  double share(std::string_view text) const;

 private:
  std::vector<int> codes_;
};

}  // namespace headwater
