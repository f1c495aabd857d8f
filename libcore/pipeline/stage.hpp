// A stage of an experiment: the commands that make some files of others. What is run, what is shown and what
// a script holds is the same text.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

namespace fs = std::filesystem;

// A word of a command line.
struct Word {
  enum class Kind {
    plain,     // an argument, whatever characters it has
    made,      // the same: a file that the command makes, which has another name until it is whole
    of_shell,  // as it stands: |, >, $(...)
  };
  Kind kind = Kind::plain;
  std::string text;
  Word(std::string word) : text(std::move(word)) {}
  Word(const char* word) : text(word) {}
  Word(const fs::path& path) : text(path.string()) {}
  Word(Kind of, std::string word) : kind(of), text(std::move(word)) {}
  bool operator==(const Word&) const = default;
};
using Words = std::vector<Word>;

inline Word made(const fs::path& file) { return {Word::Kind::made, file.string()}; }
inline Word sh(std::string text) { return {Word::Kind::of_shell, std::move(text)}; }

// A command line of words, and of lists of them.
template <class... Parts>
Words line(const Parts&... parts) {
  Words all;
  const auto add = [&all](const auto& part) {
    if constexpr (std::is_convertible_v<decltype(part), const Words&>) {
      all.insert(all.end(), part.begin(), part.end());
    } else {
      all.emplace_back(part);
    }
  };
  (add(parts), ...);
  return all;
}

// How words are written for bash. Paths in the folder of a variable are written with it: "$run"/train.ids.
class Shell {
 public:
  struct Variable {
    std::string name, value;
  };
  // Where a file that is made is written until it is whole.
  using Place = std::function<fs::path(const fs::path&)>;

  explicit Shell(Place place = {}, std::vector<Variable> variables = {})
      : place_(std::move(place)), variables_(std::move(variables)) {}
  std::string quoted(std::string_view word) const;
  std::string text(const Words& command) const;

 private:
  Place place_;
  std::vector<Variable> variables_;
};

struct Stage {
  std::vector<fs::path> outputs;  // the first one names what its programs warn of
  std::vector<fs::path> inputs;   // of the same run
  std::vector<Words> commands;    // one after the other, in one shell
  std::string advice = {};        // what to do where a command refuses
  bool keeps_messages = true;     // whether what its programs warn of is kept
};

// Its commands, a line each.
std::string text_of(const Stage& stage, const Shell& shell);

}  // namespace headwater
