// Lines of text.
#include <algorithm>
#include <array>
#include <set>

#include "cli/tool.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/translate.hpp"
#include "families/model_directory.hpp"
#include "reports/head_patterns.hpp"
#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/reduction/reduction.hpp"
#include "tools/attn-dump/attn_dump.hpp"

namespace headwater::attn_dump {

namespace {

// Lines in, records out.
class Dump {
 public:
  Dump(const Options& o, const AttentionSelection& selection, std::unique_ptr<AttentionTracer> tracer)
      : options_(o),
        selection_(selection),
        tracer_(std::move(tracer)),
        output_(writes_folder(o) ? fs::path() : o.output) {
    tracer_->check(selection);
    if (o.view == View::heads) {
      heads_.emplace(o);
      selection_.has_predictions = false;
    } else {
      format_ = text_format(o, *tracer_, output_);
    }
    if (const LoadedTranslator* const translator = tracer_->translator()) {
      GenerationSettings of_files{.search = translator->generation.decoding};
      decoding_ = generation_settings(*translator, of_files);
      if (o.target.empty()) {
        of_files.sampling = sampling_of_files(translator->generation);
        translator_.emplace(*translator, of_files);
      }
    }
  }

  void run() {
    cli::LineReaderSettings settings = options_.reader;
    settings.refuses_tabs = tracer_->texts() == Texts::one;
    cli::LineReader reader(options_.texts, settings);
    using Writes = cli::LineReader::Writes;
    reader.show_progress(options_.is_quiet,
                         options_.output.empty() && !heads_ ? Writes::meanwhile : Writes::at_the_end);
    std::optional<LinesBeside> targets;
    if (!options_.target.empty())
      targets.emplace("target", options_.target, options_.reader, LinesBeside::May::be_text_too);
    std::int64_t number = 0;
    reader.for_each_batch(heads_ ? kLinesOfHeads : kLinesABatch, [&](const std::vector<std::string>& lines) {
      std::vector<AttentionExample> examples;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (tracer_->texts() != Texts::one) {
          const std::string fault = fault_of_texts(tracer_->texts(), lines[i]);
          if (!fault.empty()) throw LineError(i, fault);
        }
        examples.push_back(source_of(number++, lines[i]));
      }
      begin(lines);
      if (translator_) add_translations(examples);
      std::vector<std::size_t> of_heads;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        std::optional<std::string> target;
        if (targets) target = targets->next(reader.place(i));
        if (examples[i].source_ids.empty()) {  // has no weights, but keeps its number
          if (empty_place_.empty()) empty_place_ = reader.place(i);
          continue;
        }
        if (target) add_forced(examples[i], *target);
        if (heads_) {
          of_heads.push_back(i);
          continue;
        }
        tracer_->visit(arena_, {&examples[i], 1}, selection_, [&](std::size_t, const AttentionHeads& heads) {
          if (!heads.are_finite()) throw LineError(i, kOutputNotFinite);
          ++examples_;
          format_->add({.heads = heads,
                        .number = examples[i].number,
                        .line = i,
                        .text = lines[i],
                        .second_text = static_cast<std::size_t>(examples[i].source_second),
                        .padding = examples[i].source_ids.size(),
                        .is_truncated = truncated_.contains(examples[i].number)});
        });
      }
      if (heads_) add_heads(examples, of_heads);
      for (const std::int64_t example : truncated_) truncated_lines_.add(example + 1);
      truncated_.clear();
      output_.flush();
    });
    begin({});
    if (targets) targets->finish(number, options_.is_quiet);
    finish();
    if (!options_.is_quiet) reader.note_dropped();
  }

 private:
  static constexpr std::size_t kLinesABatch = 64, kTitleColumns = 70;
  static constexpr std::size_t kLinesOfHeads = 256, kTokensAtOnce = 512;

  // Once, by the first lines of a model that reads single texts and pairs.
  void begin(std::span<const std::string> lines) {
    if (has_begun_ || heads_) return;
    has_begun_ = true;
    const auto is_pair = [](const std::string& line) { return line.find('\t') != std::string::npos; };
    format_->begin(tracer_->texts() == Texts::pair ||
                   (tracer_->texts() == Texts::either && std::ranges::any_of(lines, is_pair)));
  }

  std::size_t length() const { return static_cast<std::size_t>(tracer_->length()); }

  void truncate(std::int64_t number, std::vector<std::int32_t>& ids, std::vector<std::string>& tokens) {
    if (ids.size() <= length()) return;
    ids.resize(length());
    tokens.resize(length());
    truncated_.insert(number);
  }

  AttentionExample source_of(std::int64_t number, const std::string& text) {
    title_ = number == 0 ? shortened(text, kTitleColumns) : "Attention";
    AttentionExample example;
    example.number = number;
    const Tokenizer& tokenizer = tracer_->source_tokenizer();
    SourceIds source = tracer_->source(text);
    example.source_ids = std::move(source.ids);
    example.source_second = source.second.begin;
    if (example.source_ids.empty()) return example;
    if (source.is_truncated) truncated_.insert(number);
    for (const std::int32_t id : example.source_ids) example.source_tokens.push_back(tokenizer.surface(id));
    // Words that the vocabulary lacks are shown as they stand in the text.
    const auto put_tokens = [&](std::string_view part, TokenRange at) {
      const std::vector<std::string> tokens = tokenizer.tokens(part);
      const Index count = std::min(at.end - at.begin, std::ssize(tokens));
      std::copy_n(tokens.begin(), count, example.source_tokens.begin() + at.begin);
    };
    const bool is_pair = source.second.begin > 0;
    const std::size_t tab = is_pair ? text.find('\t') : text.size();
    if (!source.first.is_empty()) put_tokens(std::string_view(text).substr(0, tab), source.first);
    if (is_pair) put_tokens(std::string_view(text).substr(tab + 1), source.second);
    source_tokens_.add(example.source_ids, tracer_->source_tokenizer().special_ids());
    example.suppress_tokens = decoding_.suppress_tokens;
    return example;
  }

  void add_forced(AttentionExample& example, const std::string& target) {
    const Tokenizer& tokenizer = tracer_->translator()->target_tokenizer;
    example.target_ids = tokenizer.encode(target);
    example.target_tokens = tokenizer.tokens(target);
    example.target_ids.insert(example.target_ids.begin(), decoding_.start_id);
    example.target_tokens.insert(example.target_tokens.begin(),
                                 tracer_->translator()->target_surface(decoding_.start_id));
    truncate(example.number, example.target_ids, example.target_tokens);
    target_tokens_.add(example.target_ids, tokenizer.special_ids());
  }

  // Together and with caches, as `translate` does; the weights are then read from one pass over each.
  void add_translations(std::vector<AttentionExample>& examples) {
    std::vector<std::vector<std::int32_t>> sources;
    for (const AttentionExample& example : examples) sources.push_back(example.source_ids);
    const std::vector<std::vector<std::int32_t>> translations = translator_->target_ids(sources);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      AttentionExample& example = examples[i];
      example.target_ids.push_back(decoding_.start_id);
      example.target_ids.insert(example.target_ids.end(), translations[i].begin(), translations[i].end());
      // a translation as long as the model allows was ended there: nothing read its last token
      if (example.target_ids.size() > length()) example.target_ids.pop_back();
      for (const std::int32_t id : example.target_ids)
        example.target_tokens.push_back(tracer_->translator()->target_surface(id));
    }
  }

  // Lines are read some at once, and those on several threads; sums are added in the order of the lines.
  // Takes the examples of these lines.
  void add_heads(std::vector<AttentionExample>& examples, const std::vector<std::size_t>& lines) {
    std::vector<AttentionExample> whole;
    std::vector<std::size_t> ends;  // of what is read at once
    std::size_t tokens = 0;
    for (const std::size_t line : lines) {
      AttentionExample& example = examples[line];
      const std::size_t more = example.source_ids.size() + example.target_ids.size();
      if (tokens > 0 && tokens + more > kTokensAtOnce) {
        ends.push_back(whole.size());
        tokens = 0;
      }
      tokens += more;
      whole.push_back(std::move(example));
    }
    if (!whole.empty()) ends.push_back(whole.size());
    std::vector<std::vector<HeadSums>> sums(whole.size());
    const ArenaScope all(arena_);
    Arenas arenas(arena_, static_cast<std::size_t>(parallel_threads()));
    parallel_for(std::ssize(ends), [&](std::int64_t i) {
      const std::size_t at = i;
      const std::size_t begin = at == 0 ? 0 : ends[at - 1];
      Arena& own = arenas.acquire();
      isolate([&] {
        const std::span<const AttentionExample> some(whole.data() + begin, ends[at] - begin);
        tracer_->visit(own, some, selection_, [&](std::size_t k, const AttentionHeads& heads) {
          sums[begin + k] = sums_of(heads, some[k]);
        });
      });
      arenas.release(own);
    });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (sums[i].empty()) throw LineError(lines[i], kOutputNotFinite);
      heads_->add(sums[i]);
      ++examples_;
    }
  }

  // None where a weight is no number.
  std::vector<HeadSums> sums_of(const AttentionHeads& heads, const AttentionExample& example) const {
    std::vector<HeadSums> sums;
    TokenRoles roles;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const AttentionRecord record = heads.record(i);
      const auto count = static_cast<Index>(record.weights.size());
      if (kernels::find_not_finite(count, record.weights.data()) >= 0) return {};
      if (sums.empty() || sums.back().kind != record.kind) roles = roles_in(record, example);
      sums.push_back(head_sums(record, roles));
    }
    return sums;
  }

  TokenRoles roles_in(const AttentionRecord& record, const AttentionExample& example) const {
    const bool has_targets = tracer_->translator() != nullptr;
    const std::vector<std::int32_t>&queries =
              record.kind != AttentionKind::encoder && has_targets ? example.target_ids : example.source_ids,
          &keys =
              record.kind == AttentionKind::decoder && has_targets ? example.target_ids : example.source_ids;
    const Tokenizer& asked = tokenizers_of(*tracer_, record.kind).second;
    TokenRoles roles = roles_of(record, keys, std::array{asked.start_id(), asked.end_id()}, queries.size());
    if (record.kind == AttentionKind::encoder)
      roles.second_text = static_cast<std::size_t>(example.source_second);
    return roles;
  }

  void finish() {
    if (heads_) {
      output_.write(heads_->output("text"));
    } else {
      if (format_->holds_weights() && examples_ == 0 && !empty_place_.empty()) {
        throw Error(empty_place_ + ": no tokens, so " + std::string(name_of(options_.format)) +
                    " has no weights to hold (give a line with a word)");
      }
      format_->finish(title_);
    }
    output_.finish();
    if (options_.is_quiet) return;
    if (format_) format_->note();
    std::vector<ColumnTokenCounts> columns{{"", source_tokens_}};
    if (!options_.target.empty()) columns = {{"source", source_tokens_}, {"target", target_tokens_}};
    cli::note_unknown_tokens(columns);
    cli::note_truncated_lines(truncated_lines_, tracer_->length());
  }

  const Options& options_;
  AttentionSelection selection_;
  std::unique_ptr<AttentionTracer> tracer_;
  GenerationSettings decoding_;           // of a translator
  std::optional<Translator> translator_;  // of one without given targets
  Output output_;
  std::optional<HeadReport> heads_;
  std::unique_ptr<TextFormat> format_;  // where there are no heads_
  std::int64_t examples_ = 0;           // with weights
  bool has_begun_ = false;
  Arena arena_;
  std::string empty_place_;           // of the first line without tokens
  std::string title_ = "Attention";   // of a picture: its text, where it is one
  std::set<std::int64_t> truncated_;  // lines of this batch, of either side
  TruncatedLines truncated_lines_;
  TokenCounts source_tokens_, target_tokens_;  // the second of given targets
};

}  // namespace

void dump_texts(const Options& o, const AttentionSelection& selection, const ModelFolder& folder) {
  Dump(o, selection, folder.family->attention(folder)).run();
}

std::string HeadReport::output(std::string_view what) const {
  const std::vector<HeadRow> rows = statistics_.rows();
  if (options_.format == Format::csv) return head_csv(rows);
  if (options_.format == Format::json) return head_json(rows);
  if (rows.empty())
    throw Error("no " + std::string(what) + "s with tokens, so there is no picture (give one at least)");
  return head_grid_svg(rows, name_of_model(options_.model) + ", " + counted(statistics_.texts(), what),
                       what == "image" ? "all patches of each image" : "the first 24 tokens of each text");
}

}  // namespace headwater::attn_dump
