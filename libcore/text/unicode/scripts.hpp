// Scripts of letters (Unicode Standard Annex 24).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class Scripts {
 public:
  // "Latin", "Cyrl", or a language: "ja" has three. Throws Error where it is none of these.
  explicit Scripts(const std::string& name);
  // Of the letters of `text`, which is well-formed UTF-8: how many of all are of these scripts. 1 of none.
  double share(std::string_view text) const;

 private:
  std::vector<int> codes_;
};

}  // namespace headwater
