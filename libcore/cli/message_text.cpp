#include "cli/message_text.hpp"

#include <cctype>

namespace headwater::cli {

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string with_named_input(std::string text) {
  constexpr std::string_view kName = "standard input";
  if (text.starts_with("-:") || text.starts_with("- ")) text.replace(0, 1, kName);
  for (std::size_t at = text.find(" -:"); at != std::string::npos; at = text.find(" -:", at + 1)) {
    const std::size_t next = at + 3;
    if (next < text.size() && text[next] >= '0' && text[next] <= '9') text.replace(at + 1, 1, kName);
  }
  return text;
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace headwater::cli
