// Tokens as words beside a picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Spaces as signs that can be seen and told apart: what stands for a space in tokens is drawn as a rule as
// long as a letter is wide, and one that does not break a line not at all.
std::string with_visible_spaces(std::string_view token);

// The same, cut after 16 columns.
std::vector<std::string> token_labels(const std::vector<std::string>& tokens);

// How wide the widest becomes.
double widest_label(const std::vector<std::string>& labels, double font);

}  // namespace headwater
