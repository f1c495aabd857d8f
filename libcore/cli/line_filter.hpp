// A tool that turns each line into text of its own: batches of lines in parallel, output in order.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/lines.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"

namespace headwater::cli {

// Calls work(line, out), or work(line, out, number) with a number from 0 on, for every line; what it appends
// to `out` is written in the order of the lines, as soon as no more input is ready. An Error from it becomes
// "file:line:" and its message, which so begins with a space, or with a column and a colon; of several errors
// the first line's is thrown, after the output of the lines before it (at_place). Memory: one batch. Work
// must be safe to call from several threads. A writer takes texts: LineWriter, or what has text() and flush()
// as it does.
template <class Writer, class Work>
void filter_lines(LineReader& reader, Writer& writer, const Work& work) {
  constexpr std::size_t kMaxLines = 4096, kLinesATask = 128;
  struct Task {
    std::string output;
    std::optional<std::string> error;
  };
  std::vector<std::string> lines;
  std::vector<Task> tasks;
  std::size_t lines_before = 0;
  for (reader.next_batch(lines, kMaxLines); !lines.empty(); reader.next_batch(lines, kMaxLines)) {
    const std::size_t count = (lines.size() + kLinesATask - 1) / kLinesATask;
    tasks.resize(std::max(tasks.size(), count));
    parallel_for(static_cast<std::int64_t>(count), [&](std::int64_t index) {
      Task& task = tasks[index];
      const std::size_t begin = static_cast<std::size_t>(index) * kLinesATask;
      task.output.clear();
      for (std::size_t i = begin; i < std::min(lines.size(), begin + kLinesATask) && !task.error; ++i) {
        const std::size_t before = task.output.size();
        try {
          if constexpr (std::is_invocable_v<Work, std::string_view, std::string&, std::size_t>) {
            work(std::string_view(lines[i]), task.output, lines_before + i);
          } else {
            work(std::string_view(lines[i]), task.output);
          }
        } catch (const Error& error) {
          task.output.resize(before);
          task.error = at_place(reader.place(i), error.what());
        }
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      writer.text(tasks[i].output);
      if (tasks[i].error) {
        writer.flush();
        throw Error(*tasks[i].error);
      }
    }
    writer.flush();
    lines_before += lines.size();
  }
}

}  // namespace headwater::cli
