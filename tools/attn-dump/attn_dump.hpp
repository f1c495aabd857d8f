// What the parts of attn-dump share: texts.cpp, images.cpp, alignments.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/lines.hpp"
#include "cli/result_output.hpp"
#include "families/attention_trace.hpp"
#include "families/model_directory.hpp"
#include "reports/attention_table.hpp"
#include "reports/head_patterns.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater::attn_dump {

enum class View { weights, heads, lines, alignments, rollout, distance };
enum class Format { csv, json, matrix, npy, svg, html, png };

struct Options {
  std::string model;
  std::vector<std::string> texts;
  std::optional<std::int64_t> layer, head, inverse_layer, inverse_head;
  std::optional<std::int64_t> first;  // of images: only so many
  std::optional<double> min_weight;   // of a line that is drawn
  std::optional<AttentionKind> kind;
  View view = View::weights;
  std::optional<Format> typed_format;
  Format format = Format::csv;  // as typed, or else by -o or the view
  std::string target, isa = "auto";
  std::string inverse, gold;  // of --view alignments: a model, and a file
  fs::path output;
  bool is_mean_over_heads = false;
  bool is_resized = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader{.refuses_tabs = true};
  int threads = 0;
  cli::KindOptions of_kinds;
};

using Output = cli::ResultOutput;

// "-o FOLDER/": a picture or arrays for each text or image.
inline bool writes_folder(const Options& o) { return o.output.native().ends_with('/'); }

// The files of -o FOLDER/, which is there when all are.
class ResultFolder {
 public:
  explicit ResultFolder(const fs::path& path) : folder_(path) {}
  // As "0017.svg".
  void add(std::int64_t number, std::string_view ending, std::string_view bytes) {
    write_new_file(path_of(number, ending), bytes);
    is_empty_ = false;
  }
  // "0017.cross.npy" of each kind, and beside it "0017.cross.json", which says what its axes are. The records
  // need no weights: add_rows(i, array) adds those of record i; `texts` gives the texts of a record.
  template <class Texts, class AddRows>
  void add_arrays(std::span<const AttentionRecord> records, const Texts& texts, const AddRows& add_rows) {
    for (std::size_t begin = 0; begin < records.size();) {
      std::size_t end = begin;
      AttentionArray array;
      for (; end < records.size() && records[end].kind == records[begin].kind; ++end) {
        array.begin(records[end]);
        add_rows(end, array);
      }
      const std::int64_t number = records[begin].example;
      const std::string name = "." + std::string(name_of(records[begin].kind));
      NewFile file(path_of(number, name + ".npy"));
      array.write([&](std::string_view bytes) { file.write(bytes); });
      file.finish();
      add(number, name + ".json",
          attention_axes_json(records.subspan(begin, end - begin), texts(records[begin])));
      begin = end;
    }
  }
  // Throws Error where there are none; `what`: "texts".
  void finish(const std::string& what) {
    if (is_empty_) throw Error("no " + what + ", so there is nothing to write (give one at least)");
    folder_.finish();
  }

 private:
  fs::path path_of(std::int64_t number, std::string_view ending) const {
    const std::string digits = std::to_string(number);
    return folder_.file(std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits +
                        std::string(ending));
  }

  NewFolder folder_;
  bool is_empty_ = true;
};

// None where the output is one file.
inline std::optional<ResultFolder> folder_of(const Options& o) {
  if (!writes_folder(o)) return std::nullopt;
  return std::optional<ResultFolder>(std::in_place, o.output);
}

// Says of a large picture of several texts or images how they become one each.
void note_large_picture(const Options& o, std::size_t bytes, std::int64_t pictures, std::string_view what);

// With --view heads: what each head looks at, over all texts or images.
class HeadReport {
 public:
  explicit HeadReport(const Options& o) : options_(o) {}
  void add(std::span<const HeadSums> text) { statistics_.add(text); }
  // The whole output; `what`: "text". Throws Error where a picture has nothing to show.
  std::string output(std::string_view what) const;

 private:
  const Options& options_;
  HeadStatistics statistics_;
};

// Dump a translator, a classifier or a language model, and a vision Transformer; `files` as of
// AttentionTracer.
void dump_texts(const Options& o, const AttentionSelection& selection, const ModelFolder& folder);
void dump_images(const Options& o, const AttentionSelection& selection, const ModelFolder& folder);
// With --view alignments.
void dump_alignments(const Options& o, const ModelFolder& folder);

// The weights of one text.
struct TextWeights {
  const AttentionHeads& heads;
  std::int64_t number;               // of the text, from 0
  std::size_t line;                  // of its batch, from 0
  const std::string& text;           // the line as it is
  std::size_t second_text, padding;  // as of AttentionTexts
  bool is_truncated;
};

// A format in which weights of texts are written, chosen once.
class TextFormat {
 public:
  virtual ~TextFormat() = default;
  // Before the first text; `has_pairs`: they are pairs, or the first ones are.
  virtual void begin(bool /*has_pairs*/) {}
  virtual void add(const TextWeights& weights) = 0;
  // After the last; `title`: of a picture of all texts.
  virtual void finish(const std::string& /*title*/) {}
  // What is to be said of the texts, after all is written.
  virtual void note() const {}
  // The format is one of weights, which somebody waits for: none at all are an error.
  virtual bool holds_weights() const { return true; }
};

// The tokenizers of what asks and of what is looked at.
std::pair<const Tokenizer&, const Tokenizer&> tokenizers_of(const AttentionTracer& tracer,
                                                            AttentionKind kind);

std::unique_ptr<TextFormat> text_format(const Options& o, const AttentionTracer& tracer, Output& output);

// A line for each line of text: the targets that decoding is forced to, alignments that people made.
class LinesBeside {
 public:
  enum class May { be_a_file, be_text_too };
  // The lines of a file, or where no file is called so and it may, the one line `lines` itself. `what`:
  // "target", whose option is --target. Throws Error where there is no such file.
  LinesBeside(std::string what, const std::string& lines, cli::LineReaderSettings settings, May may);
  // Throws Error, with the place of the line of text, where there is none.
  std::string next(const std::string& source_place);
  // After the last line of text; throws Error where one is left.
  void finish(std::int64_t sources, bool is_quiet);
  // That of the line returned last.
  std::string place() const { return reader_ ? reader_->place() : "--" + what_; }

 private:
  std::string described() const { return reader_ ? name_ : "--" + what_; }
  std::string what_, name_;
  std::unique_ptr<cli::LineReader> reader_;
  std::int64_t used_ = 0;
};

}  // namespace headwater::attn_dump
