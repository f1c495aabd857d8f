// Lines of text.
#include <algorithm>
#include <array>
#include <set>

#include "cli/tool.hpp"
#include "decoding/arenas.hpp"
#include "decoding/search_settings.hpp"
#include "decoding/translate.hpp"
#include "families/model_directory.hpp"
#include "reports/attention_lines.hpp"
#include "reports/attention_page.hpp"
#include "reports/heat_map.hpp"
#include "reports/svg.hpp"
#include "reports/text_rollout.hpp"
#include "support/error.hpp"
#include "support/line_error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"
#include "tools/attn-dump/attn_dump.hpp"
#include "tools/attn-dump/lines_beside.hpp"

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
    if (writes_folder(o)) folder_.emplace(o.output);
    if (o.view == "heads") {
      heads_.emplace(o);
      selection_.has_predictions = false;
    }
    if (const LoadedTranslator* const translator = tracer_->translator()) {
      GenerationSettings of_files{.search = translator->generation.decoding};
      decoding_ = generation_settings(*translator, of_files);
      if (o.target.empty()) {
        of_files.sampling = sampling_of_files(translator->generation);
        translator_.emplace(*translator, of_files);
      }
    } else if (!o.target.empty()) {
      throw UsageError("--target: only a translator reads one");
    }
  }

  void run() {
    cli::LineReaderSettings settings = options_.reader;
    settings.refuses_tabs = tracer_->texts() == Texts::one;
    cli::LineReader reader(options_.texts, settings);
    using Writes = cli::LineReader::Writes;
    reader.show_progress(options_.is_quiet,
                         options_.output.empty() && !heads_ ? Writes::meanwhile : Writes::at_the_end);
    if (options_.format == "npy" && !folder_) array_.emplace();
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
      write_header(lines);
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
          second_text_ = static_cast<std::size_t>(examples[i].source_second);
          is_truncated_ = truncated_.contains(examples[i].number);
          padding_ = examples[i].source_ids.size();
          if (second_text_ > 0 && !has_segments_) ++pairs_without_segments_;
          write(heads, examples[i].number, i, lines[i]);
        });
      }
      if (heads_) add_heads(examples, of_heads);
      for (const std::int64_t example : truncated_) truncated_lines_.add(example + 1);
      truncated_.clear();
      output_.flush();
    });
    write_header({});
    if (targets) targets->finish(number, options_.is_quiet);
    finish();
    if (!options_.is_quiet) reader.note_dropped();
  }

 private:
  static constexpr std::size_t kLinesABatch = 64, kTitleColumns = 70;
  static constexpr std::size_t kLinesOfHeads = 256, kTokensAtOnce = 512;
  // Of a picture, which has up to 90 bytes a weight, and of a page, which has three.
  static constexpr std::size_t kMaxDrawnWeights = std::size_t{1} << 24,
                               kMaxPageWeights = std::size_t{1} << 26;

  // Of CSV, once: with columns for segments where pairs of texts are read, by the first lines of a model that
  // reads either.
  void write_header(std::span<const std::string> lines) {
    if (has_header_ || options_.format != "csv" || heads_) return;
    has_header_ = true;
    const auto is_pair = [](const std::string& line) { return line.find('\t') != std::string::npos; };
    has_segments_ = tracer_->texts() == Texts::pair ||
                    (tracer_->texts() == Texts::either && std::ranges::any_of(lines, is_pair));
    output_.write(attention_csv_header(has_segments_));
  }

  std::string picture(std::span<const AttentionRecord> records, const std::string& title) const {
    const bool is_mean = options_.is_mean_over_heads;
    if (options_.view != "lines")
      return heat_map_svg(records, {.title = title, .is_mean_over_heads = is_mean});
    AttentionLinesSettings settings{.title = title, .is_mean_over_heads = is_mean};
    if (options_.min_weight) settings.min_weight = *options_.min_weight;
    return attention_lines_svg(records, settings);
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
    example.target_tokens.insert(example.target_tokens.begin(), tokenizer.surface(decoding_.start_id));
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
        example.target_tokens.push_back(tracer_->translator()->target_tokenizer.surface(id));
    }
  }

  // The tokenizers of what asks and of what is looked at.
  std::pair<const Tokenizer&, const Tokenizer&> tokenizers_of(AttentionKind kind) const {
    const Tokenizer& source = tracer_->source_tokenizer();
    const LoadedTranslator* const translator = tracer_->translator();
    const Tokenizer& target = translator == nullptr ? source : translator->target_tokenizer;
    return {kind == AttentionKind::encoder ? source : target,
            kind == AttentionKind::decoder ? target : source};
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
      const auto at = static_cast<std::size_t>(i);
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
    const Tokenizer& asked = tokenizers_of(record.kind).second;
    TokenRoles roles = roles_of(record, keys, std::array{asked.start_id(), asked.end_id()}, queries.size());
    if (record.kind == AttentionKind::encoder)
      roles.second_text = static_cast<std::size_t>(example.source_second);
    return roles;
  }

  AttentionTexts texts_of(const AttentionRecord& record) const {
    const auto& [queries, keys] = tokenizers_of(record.kind);
    AttentionTexts texts;
    for (const std::string& token : record.query_tokens) texts.queries.push_back(queries.token_text(token));
    for (const std::string& token : record.key_tokens) texts.keys.push_back(keys.token_text(token));
    for (const std::string& token : record.predicts) texts.predicts.push_back(queries.token_text(token));
    texts.has_segments = has_segments_;
    if (record.kind == AttentionKind::encoder) {
      texts.second_text = second_text_;
      texts.padding = padding_;
    }
    return texts;
  }

  // What is looked at by eye has labels for tokens.
  void make_labels(AttentionRecord& record) const {
    const auto& [queries, keys] = tokenizers_of(record.kind);
    for (std::string& token : record.query_tokens) token = queries.token_label(token);
    for (std::string& token : record.key_tokens) token = keys.token_label(token);
    for (std::string& token : record.predicts) token = queries.token_label(token);
  }

  // The weights of a line, the i-th of its batch.
  void write(const AttentionHeads& heads, std::int64_t number, std::size_t i, const std::string& line) {
    if (options_.view == "rollout") return write_rollout(kept(heads, i), number, line);
    const bool is_array = options_.format == "npy";
    if (is_array && folder_) return add_arrays(heads);
    if (is_array || options_.format == "csv" || options_.format == "json" || options_.format == "matrix") {
      for (std::size_t head = 0; head < heads.size(); ++head)
        is_array ? add_to_array(heads, head) : write_rows(heads, head);
      return;
    }
    write_picture(kept(heads, i), number, line);
  }

  void write_rollout(std::span<const AttentionRecord> records, std::int64_t number, const std::string& line) {
    std::vector<AttentionRecord> rollout = text_rollout(records);
    if (options_.format == "svg") return write_picture(std::move(rollout), number, line);
    const auto append = options_.format == "csv" ? append_attention_csv : append_attention_json;
    text_.clear();
    for (AttentionRecord& record : rollout) {
      record.is_truncated = is_truncated_;
      append(text_, record, texts_of(record));
    }
    output_.write(text_);
  }

  // As a picture of its own, or one of those that a picture or a page of all texts has.
  void write_picture(std::vector<AttentionRecord> records, std::int64_t number, const std::string& line) {
    if (folder_) {
      folder_->add(number, ".svg", picture(records, shortened(line, kTitleColumns)));
      return;
    }
    for (AttentionRecord& record : records) make_labels(record);
    if (options_.format == "html") {
      pages_.push_back({number, line, std::move(records)});
    } else {
      std::move(records.begin(), records.end(), std::back_inserter(kept_));
    }
  }

  void write_rows(const AttentionHeads& heads, std::size_t head) {
    using enum AttentionRows::Format;
    AttentionRecord record = heads.record_without_weights(head);
    record.is_truncated = is_truncated_;
    const bool is_matrix = options_.format == "matrix";
    const AttentionTexts texts = is_matrix ? AttentionTexts() : texts_of(record);
    if (is_matrix) make_labels(record);
    const AttentionRows rows(is_matrix ? matrix : options_.format == "csv" ? csv : json, record, texts);
    text_.clear();
    rows.begin(text_);
    heads.for_each_rows(head, [&](std::size_t query, std::span<const float> weights) {
      rows.rows(text_, query, weights);
      output_.write(text_);
      text_.clear();
    });
    rows.end(text_);
    output_.write(text_);
  }

  void add_to_array(const AttentionHeads& heads, std::size_t head) {
    array_->begin(heads.record_without_weights(head));
    heads.for_each_rows(head, [&](std::size_t, std::span<const float> weights) { array_->rows(weights); });
  }

  void add_arrays(const AttentionHeads& heads) {
    std::vector<AttentionRecord> records;
    for (std::size_t i = 0; i < heads.size(); ++i) records.push_back(heads.record_without_weights(i));
    folder_->add_arrays(
        records, [&](const AttentionRecord& record) { return texts_of(record); },
        [&](std::size_t i, AttentionArray& array) {
          heads.for_each_rows(i, [&](std::size_t, std::span<const float> weights) { array.rows(weights); });
        });
  }

  // What a picture or a page is made of; those of all texts are in memory at once.
  std::vector<AttentionRecord> kept(const AttentionHeads& heads, std::size_t line) {
    const bool is_rollout = options_.view == "rollout";
    if (folder_ || is_rollout) kept_weights_ = 0;
    for (std::size_t i = 0; i < heads.size(); ++i) kept_weights_ += heads.queries(i) * heads.keys(i);
    const std::size_t most = options_.format == "html" || is_rollout ? kMaxPageWeights : kMaxDrawnWeights;
    if (kept_weights_ > most) {
      throw LineError(line,
                      " " + format_count(static_cast<std::int64_t>(kept_weights_)) + " weights, " +
                          (is_rollout ? "a rollout" : options_.format) + " holds at most " +
                          format_count(static_cast<std::int64_t>(most)) +
                          (is_rollout ? " (shorten the text)"
                                      : " (choose with --layer and --head, or write csv, json or npy)"));
    }
    return heads.records();
  }

  void finish() {
    if (heads_) output_.write(heads_->output("text"));
    const bool keeps =
        !heads_ && (options_.format == "npy" || options_.format == "svg" || options_.format == "html");
    if (keeps && examples_ == 0 && !empty_place_.empty()) {
      throw Error(empty_place_ + ": no tokens, so " + options_.format +
                  " has no weights to hold (give a line with a word)");
    }
    if (folder_) {
      folder_->finish("texts");
    } else if (options_.format == "html") {
      output_.write(attention_page(std::move(pages_), name_of_model(options_.model) + ": attention"));
    } else if (options_.format == "npy") {
      array_->write([&](std::string_view bytes) { output_.write(bytes); });
    } else if (keeps && options_.format == "svg") {
      const std::string svg = picture(kept_, title_);
      output_.write(svg);
      note_large_picture(options_, svg.size(), examples_, "text");
    }
    output_.finish();
    if (options_.is_quiet) return;
    if (pairs_without_segments_ > 0 && options_.format == "csv")
      cli::note(
          counted(pairs_without_segments_, "pair") +
          " without segments: the first lines are single texts (put a pair first, or write --format json)");
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
  std::optional<ResultFolder> folder_;
  std::optional<HeadReport> heads_;
  std::int64_t examples_ = 0;                       // with weights
  bool has_header_ = false, has_segments_ = false;  // of CSV
  std::int64_t pairs_without_segments_ = 0;
  std::size_t second_text_ = 0, padding_ = 0;  // of the example that is written: AttentionTexts
  bool is_truncated_ = false;                  // that example
  Arena arena_;
  std::optional<AttentionArray> array_;  // of npy without a folder
  std::vector<AttentionRecord> kept_;    // of svg
  std::vector<PageExample> pages_;       // of html
  std::size_t kept_weights_ = 0;         // of the two
  std::string empty_place_;              // of the first line without tokens
  std::string title_ = "Attention";      // of a picture: its text, where it is one
  std::string text_;
  std::set<std::int64_t> truncated_;  // lines of this batch, of either side
  TruncatedLines truncated_lines_;
  TokenCounts source_tokens_, target_tokens_;  // the second of given targets
};

}  // namespace

static void check_rollout(const Options& o) {
  if (o.layer || o.head || o.is_mean_over_heads)
    throw UsageError("--view rollout goes through all layers and heads (without --layer, --head and --mean)");
  if (o.kind == "cross")
    throw UsageError("--view rollout follows a text through its layers (--kind encoder or decoder)");
  if (o.format != "csv" && o.format != "json" && o.format != "svg")
    throw UsageError("--format " + o.format + " is not of --view rollout of texts (csv, json or svg)");
}

void dump_texts(const Options& o, const AttentionSelection& selection, const ModelFolder& folder) {
  if (o.view == "distance" || o.format == "png" || o.first || o.is_resized)
    throw UsageError("--view distance, --first, --resize and --format png are of models of images, " +
                     o.model + " reads texts");
  if (o.view == "rollout") check_rollout(o);
  Dump(o, selection, folder.kind->tracer(folder)).run();
}

}  // namespace headwater::attn_dump
