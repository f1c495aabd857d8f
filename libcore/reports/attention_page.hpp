// Attention as one page of HTML to look around in: layers, heads, examples, the words that one word looks at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/attention_table.hpp"
#include "reports/picture.hpp"

namespace headwater {

struct PageImage {
  Picture picture;  // as the model reads it
  std::int64_t rows = 0, columns = 0;
};

struct PageExample {
  std::int64_t number = 0;
  std::string name;                      // its text, or its image's name
  std::vector<AttentionRecord> records;  // by kind, layer and head; tokens are what is shown
  std::optional<PageImage> image = {};
};

// A document that needs nothing else: no network, no script from elsewhere; whatever names and tokens hold is
// text in it. Weights are in half precision (11 bits), two bytes each. Throws Error where there are no
// examples, or the records of a kind are not all layers with all heads of the same tokens.
std::string attention_page(std::vector<PageExample> examples, std::string_view title);

// The nearest number of half precision (IEEE 754 binary16) of a weight in [0, 1], as its bits; of two the one
// whose last bit is 0.
std::uint16_t half_of_weight(float weight);

}  // namespace headwater
