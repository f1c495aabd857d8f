// attn-dump: the attention weights of a model as a table, an array or a picture. Manual:
// tools/attn-dump.md.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "cli/lines.hpp"
#include "cli/tool.hpp"
#include "decoding/translate.hpp"
#include "reports/heat_map.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/parallel.hpp"
#include "tasks/attention_trace.hpp"
#include "tasks/model_directory.hpp"

namespace headwater {
namespace {

struct Options {
  std::string model;
  std::vector<std::string> texts;
  std::optional<std::int64_t> layer, head;
  std::string kind, target, format = "csv", isa = "auto";
  fs::path output;
  bool is_mean_over_heads = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory or checkpoint").required().shown_as("MODEL");
  line.add_option("text", o.texts, "text files, one text a line; - or none: standard input")
      .shown_as("[TEXT...]");
  line.add_option("--layer", o.layer, "only this layer; they count from 0").shown_as("N");
  line.add_option("--head", o.head, "only this head; they count from 0").shown_as("N");
  line.add_option("--kind", o.kind, "only encoder, decoder or cross").shown_as("KIND");
  line.add_option(
          "--target", o.target,
          "what the decoder reads instead of its own translation: a file, line for line, or the text itself")
      .shown_as("TARGET");
  line.add_option("--format", o.format, "csv, matrix (for gnuplot), npy or svg").with_default();
  line.add_flag("--mean", o.is_mean_over_heads, "of svg: one panel a layer, the mean over its heads");
  line.add_option("-o,--output", o.output, "where it goes instead of standard output").shown_as("FILE");
  line.add_flag("--replace-invalid", o.reader.replace_invalid, "turn invalid UTF-8 and NUL into U+FFFD");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

AttentionSelection selection_of(const Options& o) {
  AttentionSelection selection{.layer = o.layer, .head = o.head};
  if (o.kind.empty()) return selection;
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (o.kind == name_of(kind)) selection.kind = kind;
  }
  if (!selection.kind)
    throw UsageError("--kind: unknown kind " + quote(o.kind) + " (encoder, decoder or cross)");
  return selection;
}

void check_format(const Options& o) {
  constexpr std::array<std::string_view, 4> formats = {"csv", "matrix", "npy", "svg"};
  if (std::find(formats.begin(), formats.end(), o.format) == formats.end()) {
    throw UsageError("--format: unknown format " + quote(o.format) + " (csv, matrix, npy or svg)");
  }
  if (o.is_mean_over_heads && o.format != "svg") throw UsageError("--mean is for --format svg");
}

// Standard output, or a file that is there only when it is whole.
class Output {
 public:
  explicit Output(const fs::path& path) {
    if (!path.empty() && path != "-") file_ = std::make_unique<AtomicFile>(path);
  }
  void write(std::string_view bytes) {
    if (file_) {
      file_->write(bytes);
    } else {
      standard_.text(bytes);
    }
  }
  void flush() { standard_.flush(); }
  void finish() {
    if (file_) file_->commit();
    standard_.flush();
  }

 private:
  std::unique_ptr<AtomicFile> file_;
  cli::LineWriter standard_;
};

// The targets that decoding is forced to: lines of a file, or one text.
class Targets {
 public:
  Targets(const std::string& target, const cli::LineReaderSettings& settings) : name_(target) {
    std::error_code error;
    if (target == "-" || fs::exists(target, error)) {
      reader_ = std::make_unique<cli::LineReader>(std::vector<std::string>{target}, settings);
    }
  }

  std::string next(const std::string& source_place) {
    std::string_view line;
    const bool is_there = reader_ ? reader_->next(line) : used_ == 0;
    if (!is_there) {
      throw Error(source_place + ": no target for this line, " + described() + " has " +
                  std::to_string(used_) + " (one line for each source line)");
    }
    ++used_;
    return reader_ ? std::string(line) : name_;
  }

  void finish(std::int64_t sources) {
    std::string_view line;
    if (reader_ && reader_->next(line)) {
      throw Error(reader_->place() + ": a target without a source, there are " + std::to_string(sources) +
                  " (one line for each source line)");
    }
  }

 private:
  std::string described() const { return reader_ ? name_ : "--target"; }
  std::string name_;
  std::unique_ptr<cli::LineReader> reader_;
  std::int64_t used_ = 0;
};

// Lines in, records out.
class Dump {
 public:
  Dump(const Options& o, const AttentionSelection& selection, std::unique_ptr<AttentionTracer> tracer)
      : options_(o), selection_(selection), tracer_(std::move(tracer)), output_(o.output) {
    tracer_->check(selection);
    if (const TranslationModel* const translator = tracer_->translator()) {
      decoding_ = generation_settings(*translator, {});
    } else if (!o.target.empty()) {
      throw UsageError("--target: only a translator reads one");
    }
  }

  void run() {
    cli::LineReader reader(options_.texts, options_.reader);
    std::optional<Targets> targets;
    if (!options_.target.empty()) targets.emplace(options_.target, options_.reader);
    if (options_.format == "csv") output_.write(attention_csv_header());
    std::vector<std::string> lines;
    std::int64_t number = 0;
    for (reader.next_batch(lines, kLinesABatch); !lines.empty(); reader.next_batch(lines, kLinesABatch)) {
      for (std::size_t i = 0; i < lines.size(); ++i) {
        std::optional<std::string> target;
        if (targets) target = targets->next(reader.place(i));
        one_line(number++, lines[i], target);
      }
      output_.flush();
    }
    if (targets) targets->finish(number);
    finish();
  }

 private:
  static constexpr std::size_t kLinesABatch = 64;

  std::size_t length() const { return static_cast<std::size_t>(tracer_->length()); }

  void truncate(std::vector<std::int32_t>& ids, std::vector<std::string>& tokens) {
    if (ids.size() <= length()) return;
    ids.resize(length());
    tokens.resize(length());
    ++truncated_lines_;
  }

  void one_line(std::int64_t number, const std::string& text, const std::optional<std::string>& target) {
    AttentionExample example;
    example.number = number;
    example.source_ids = tracer_->source_tokenizer().encode(text);
    title_ = number == 0 ? shortened(text, 70) : "Attention";
    if (example.source_ids.empty()) return;  // an empty example has no weights, but keeps its number
    example.source_tokens = tracer_->source_tokenizer().tokens(text);
    truncate(example.source_ids, example.source_tokens);
    if (tracer_->translator() != nullptr) {
      example.suppress_tokens = decoding_.suppress_tokens;
      if (target) {
        add_forced(example, *target);
      } else {
        add_translation(example);
      }
    }
    write(tracer_->trace(arena_, example, selection_));
  }

  void add_forced(AttentionExample& example, const std::string& target) {
    const Tokenizer& tokenizer = tracer_->translator()->target_tokenizer;
    example.target_ids = tokenizer.encode(target);
    example.target_tokens = tokenizer.tokens(target);
    example.target_ids.insert(example.target_ids.begin(), decoding_.start_id);
    example.target_tokens.insert(example.target_tokens.begin(), tokenizer.surface(decoding_.start_id));
    truncate(example.target_ids, example.target_tokens);
  }

  void add_translation(AttentionExample& example) {
    const TranslationModel& model = *tracer_->translator();
    const std::vector<std::int32_t> translation =
        decode_greedily(*model.model, start_prompts(packed(example.source_ids), decoding_.start_id),
                        decoding_)
            .front();
    example.target_ids.push_back(decoding_.start_id);
    example.target_ids.insert(example.target_ids.end(), translation.begin(), translation.end());
    // a translation as long as the model allows was ended there: nothing read its last token
    if (example.target_ids.size() > length()) example.target_ids.pop_back();
    for (const std::int32_t id : example.target_ids)
      example.target_tokens.push_back(model.target_tokenizer.surface(id));
  }

  void write(std::vector<AttentionRecord> records) {
    text_.clear();
    for (AttentionRecord& record : records) {
      if (options_.format == "csv") {
        append_attention_csv(text_, record);
      } else if (options_.format == "matrix") {
        append_attention_matrix(text_, record);
      } else {
        kept_.push_back(std::move(record));
      }
    }
    output_.write(text_);
  }

  void finish() {
    if (options_.format == "npy") output_.write(attention_npy(kept_));
    if (options_.format == "svg") {
      output_.write(
          heat_map_svg(kept_, {.title = title_, .is_mean_over_heads = options_.is_mean_over_heads}));
    }
    output_.finish();
    if (truncated_lines_ > 0 && !options_.is_quiet) {
      cli::note(std::to_string(truncated_lines_) + " lines were truncated to the model's " +
                std::to_string(length()) + " positions");
    }
  }

  const Options& options_;
  AttentionSelection selection_;
  std::unique_ptr<AttentionTracer> tracer_;
  GenerationSettings decoding_;  // of a translator
  Output output_;
  Arena arena_;
  std::vector<AttentionRecord> kept_;  // of formats that need all
  std::string title_ = "Attention";    // of a picture: its text, where it is one
  std::string text_;
  std::int64_t truncated_lines_ = 0;
};

void run(const Options& o) {
  check_format(o);
  const AttentionSelection selection = selection_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool(o.threads).run([&] {
    const fs::path files = model_files(o.model);
    Dump(o, selection, task_of_files(files).tracer(files)).run();
  });
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  const cli::ToolDescription tool{
      "attn-dump", "write the attention weights of a translator, a classifier or a language model",
      "echo \"Where is the station?\" | attn-dump models/spa-eng --layer 0 --kind cross > attention.csv\n"
      "echo \"Where is the station?\" | attn-dump models/spa-eng --kind cross --format svg -o attention.svg\n"
      "attn-dump models/spa-eng test.en --target test.es --kind cross > forced.csv"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
