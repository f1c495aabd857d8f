// Words that the stages of an experiment have in common. For .cpp files of this room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/experiment.hpp"

namespace headwater {

inline constexpr std::string_view kTextColumns[] = {"source", "target"};

inline Words pipe_to() { return line(sh("|")); }
inline Words written_to(const fs::path& file) { return line(sh(">"), made(file)); }

class StageWords {
 public:
  explicit StageWords(const Experiment& e)
      : e_(e), quiet_(e.is_quiet ? line("--quiet") : Words{}), recipe_(line("--recipe", e.own_recipe())) {}

 protected:
  Word program(const char* name) const { return e_.bin / name; }
  std::string number(std::string_view column) const { return std::to_string(e_.field(column).value_or(0)); }
  Words cut(std::string_view column, const fs::path& file) const {
    return line("cut", "-f" + number(column), file);
  }
  // What makes ids of a column of a file; `of_tokens`: more options where they are those of tokens.
  Words ids(const std::string& column, const fs::path& file, const Words& of_tokens = {}) const;

  const Experiment& e_;
  Words quiet_, recipe_;

 private:
  Words text_lines() const;
};

}  // namespace headwater
