// What the parts of generate share: what its command line says of the search and of sampling, its lines, and
// the words that fill masks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "cli/options.hpp"
#include "decoding/generate.hpp"
#include "families/model_directory.hpp"
#include "tools/search/options.hpp"

namespace headwater::generate {

struct SearchOptions {
  search::DecodingOptions decoding;
  std::optional<double> repetition_penalty;
  std::vector<std::string> stop;
};

struct SamplingOptions {
  std::optional<std::int64_t> samples;
  search::SamplingOptions draws;
};

void describe(cli::CommandLine& line, SearchOptions& o);
void describe(cli::CommandLine& line, SamplingOptions& o, const SearchOptions& search);

// Puts what was given over what the model's files say. Throws UsageError for numbers out of range, and for
// options that are not read together; Error where the files ask for what is not done.
void set(TextGeneratorSettings& settings, const GenerationConfig& files, const SearchOptions& search,
         const SamplingOptions& sampling);

// generate --fill-mask: the likeliest words in the places of [MASK].
struct FillSettings {
  std::int64_t top_k = 5;       // words of each mask; 0: all
  std::int64_t batch = 64;      // lines that are computed together
  std::string compute_type;     // as typed
  bool allows_unknown = false;  // [UNK] may be one of them
  bool is_json = false;         // an object a line
  bool is_quiet = false;
};

// A line of output for each line of `text`.
void fill_masks(ModelFolder folder, const std::vector<std::string>& text,
                const cli::LineReaderSettings& lines, const FillSettings& settings);

struct OutputForm {
  bool has_prompts = false;    // the prompt before the continuation
  bool has_scores = false;     // log-probability of the text, and of its tokens, after it
  bool is_json = false;        // an object a line
  bool has_line_ends = false;  // those of a continuation stay
  bool is_streaming = false;   // each text is written while it grows
  std::string separator = {};  // between prompt and continuation, where they are texts of their own
};

class Output : public ContinuationListener {
 public:
  Output(const OutputForm& form, const Tokenizer& tokenizer) : form_(form), tokenizer_(tokenizer) {}
  // The prompts of what is written next; `first`: the number of the first line, from 0.
  void begin_lines(const std::vector<std::string>& lines, std::uint64_t first);
  void write(const Continuation& continuation);
  void flush() { writer_.flush(); }

  void works() override { cli::end_if_output_is_closed(); }
  void begins(std::size_t line) override;
  void grows(std::string_view text) override;

 private:
  std::string json_of(const Continuation& continuation) const;
  void add(std::string_view text);  // to text_, such that a line stays a line

  OutputForm form_;
  Tokenizer tokenizer_;
  cli::LineWriter writer_;
  const std::vector<std::string>* lines_ = nullptr;
  std::uint64_t first_ = 0;
  std::string text_;
};

}  // namespace headwater::generate
