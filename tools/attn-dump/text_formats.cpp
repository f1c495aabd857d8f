#include "tools/attn-dump/attn_dump.hpp"

#include "cli/tool.hpp"
#include "families/translator/directory.hpp"
#include "reports/attention_map.hpp"
#include "reports/attention_page.hpp"
#include "reports/heat_map.hpp"
#include "reports/svg.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::attn_dump {
namespace {

constexpr std::size_t kTitleColumns = 70;

std::size_t all_weights(const AttentionHeads& heads) {
  std::size_t weights = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) weights += heads.queries(i) * heads.keys(i);
  return weights;
}

// Those of the result: one matrix a kind.
std::size_t rollout_weights(const AttentionHeads& heads) {
  std::size_t weights = 0;
  AttentionKind last = AttentionKind::cross;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AttentionKind kind = heads.record_without_weights(i).kind;
    if (kind != last && kind != AttentionKind::cross) weights += heads.keys(i) * heads.keys(i);
    last = kind;
  }
  return weights;
}

// What formats of texts share.
class WeightsOfTexts : public TextFormat {
 public:
  WeightsOfTexts(const Options& o, const AttentionTracer& tracer, Output& output)
      : options_(o), tracer_(tracer), output_(output) {}

 protected:
  AttentionTexts texts_of(const AttentionRecord& record, const TextWeights& of, bool has_segments) const {
    const auto& [queries, keys] = tokenizers_of(tracer_, record.kind);
    AttentionTexts texts;
    for (const std::string& token : record.query_tokens) texts.queries.push_back(queries.token_text(token));
    for (const std::string& token : record.key_tokens) texts.keys.push_back(keys.token_text(token));
    for (const std::string& token : record.predicts) texts.predicts.push_back(queries.token_text(token));
    texts.has_segments = has_segments;
    if (record.kind == AttentionKind::encoder) {
      texts.second_text = of.second_text;
      texts.padding = of.padding;
    }
    return texts;
  }

  // What is looked at by eye has labels for tokens.
  void make_labels(AttentionRecord& record) const {
    const auto& [queries, keys] = tokenizers_of(tracer_, record.kind);
    for (std::string& token : record.query_tokens) token = queries.token_label(token);
    for (std::string& token : record.key_tokens) token = keys.token_label(token);
    for (std::string& token : record.predicts) token = queries.token_label(token);
  }

  bool is_rollout() const { return options_.view == View::rollout; }

  // What a picture or a page is made of; those of all texts are in memory at once, as `weights` counts them.
  std::vector<AttentionRecord> records_of(const TextWeights& of, std::size_t& weights) const {
    constexpr std::size_t kMaxWeights = std::size_t{1} << 24;  // a picture takes up to 90 bytes a weight
    weights += is_rollout() ? rollout_weights(of.heads) : all_weights(of.heads);
    if (weights > kMaxWeights) {
      throw LineError(
          of.line, " " + format_count(static_cast<std::int64_t>(weights)) + " weights, " +
                       std::string(is_rollout() ? "a rollout" : name_of(options_.format)) +
                       " holds at most " + format_count(static_cast<std::int64_t>(kMaxWeights)) +
                       (!is_rollout() ? " (choose with --layer and --head, or write csv, json or npy)"
                        : options_.format == Format::svg ? " (shorten the text, or draw one each: -o FOLDER/)"
                                                         : " (shorten the text)"));
    }
    if (!is_rollout()) return of.heads.records();
    TextRollout rollout;
    for (std::size_t i = 0; i < of.heads.size(); ++i) {
      rollout.add(of.heads.record_without_weights(i),
                  [&](const AttentionHeads::UseRows& use) { of.heads.for_each_rows(i, use); });
    }
    return rollout.finish();
  }

  std::string picture(std::span<const AttentionRecord> records, const std::string& title) const {
    const bool is_mean = options_.is_mean_over_heads;
    if (options_.view != View::lines)
      return heat_map_svg(records, {.title = title, .is_mean_over_heads = is_mean});
    AttentionLinesSettings settings{.title = title, .is_mean_over_heads = is_mean};
    if (options_.min_weight) settings.min_weight = *options_.min_weight;
    return attention_lines_svg(records, settings);
  }

  const Options& options_;
  const AttentionTracer& tracer_;
  Output& output_;
};

// csv, json and matrix: rows as they come.
class TextRows : public WeightsOfTexts {
 public:
  TextRows(const Options& o, const AttentionTracer& tracer, Output& output, AttentionRows::Format format)
      : WeightsOfTexts(o, tracer, output), format_(format) {}

  bool holds_weights() const override { return false; }

  // With columns for segments where pairs are read.
  void begin(bool has_pairs) override {
    if (!is_csv()) return;
    has_segments_ = has_pairs;
    output_.write(attention_csv_header(has_pairs));
  }

  void add(const TextWeights& weights) override {
    if (weights.second_text > 0 && !has_segments_) ++pairs_without_segments_;
    if (is_rollout()) return add_rollout(weights);
    for (std::size_t head = 0; head < weights.heads.size(); ++head) add_head(weights, head);
  }

  void note() const override {
    if (pairs_without_segments_ > 0 && is_csv())
      cli::note(
          counted(pairs_without_segments_, "pair") +
          " without segments: the first lines are single texts (put a pair first, or write --format json)");
  }

 private:
  bool is_csv() const { return format_ == AttentionRows::Format::csv; }

  void add_rollout(const TextWeights& weights) {
    std::size_t count = 0;
    for (AttentionRecord& record : records_of(weights, count)) {
      const std::vector<float> rolled = std::exchange(record.weights, {});
      add_record(weights, record, [&](const AttentionHeads::UseRows& use) {
        for (std::size_t q = 0; q < record.queries(); ++q)
          use(q, std::span(rolled).subspan(q * record.keys(), record.keys()));
      });
    }
  }

  void add_head(const TextWeights& weights, std::size_t head) {
    AttentionRecord record = weights.heads.record_without_weights(head);
    add_record(weights, record,
               [&](const AttentionHeads::UseRows& use) { weights.heads.for_each_rows(head, use); });
  }

  void add_record(const TextWeights& weights, AttentionRecord& record,
                  const TextRollout::EachRows& for_each_rows) {
    record.is_truncated = weights.is_truncated;
    const bool is_matrix = format_ == AttentionRows::Format::matrix;
    const AttentionTexts texts = is_matrix ? AttentionTexts() : texts_of(record, weights, has_segments_);
    if (is_matrix) make_labels(record);
    const AttentionRows rows(format_, record, texts);
    text_.clear();
    rows.begin(text_);
    for_each_rows([&](std::size_t query, std::span<const float> row) {
      rows.rows(text_, query, row);
      output_.write(text_);
      text_.clear();
    });
    rows.end(text_);
    output_.write(text_);
  }

  AttentionRows::Format format_;
  bool has_segments_ = false;
  std::int64_t pairs_without_segments_ = 0;
  std::string text_;
};

// npy: one array of all texts, or with -o FOLDER/ arrays and their axes for each.
class TextArrays : public WeightsOfTexts {
 public:
  TextArrays(const Options& o, const AttentionTracer& tracer, Output& output)
      : WeightsOfTexts(o, tracer, output), folder_(folder_of(o)) {}

  void add(const TextWeights& weights) override {
    std::vector<AttentionRecord> records;
    for (std::size_t i = 0; i < weights.heads.size(); ++i)
      records.push_back(weights.heads.record_without_weights(i));
    const auto add_rows = [&](std::size_t i, AttentionArray& array) {
      weights.heads.for_each_rows(i, [&](std::size_t, std::span<const float> rows) { array.rows(rows); });
    };
    if (folder_) {
      const auto texts = [&](const AttentionRecord& record) { return texts_of(record, weights, false); };
      return folder_->add_arrays(records, texts, add_rows);
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      array_.begin(records[i]);
      add_rows(i, array_);
    }
  }

  void finish(const std::string& /*title*/) override {
    if (folder_) return folder_->finish("texts");
    array_.write([&](std::string_view bytes) { output_.write(bytes); });
  }

 private:
  std::optional<ResultFolder> folder_;
  AttentionArray array_;
};

// svg: one picture of all texts, or with -o FOLDER/ one for each.
class TextPictures : public WeightsOfTexts {
 public:
  TextPictures(const Options& o, const AttentionTracer& tracer, Output& output)
      : WeightsOfTexts(o, tracer, output), folder_(folder_of(o)) {}

  void add(const TextWeights& weights) override {
    if (folder_) weights_ = 0;
    std::vector<AttentionRecord> records = records_of(weights, weights_);
    if (folder_)
      return folder_->add(weights.number, ".svg", picture(records, shortened(weights.text, kTitleColumns)));
    for (AttentionRecord& record : records) {
      make_labels(record);
      records_.push_back(std::move(record));
    }
    ++texts_;
  }

  void finish(const std::string& title) override {
    if (folder_) return folder_->finish("texts");
    const std::string svg = picture(records_, title);
    output_.write(svg);
    note_large_picture(options_, svg.size(), texts_, "text");
  }

 private:
  std::optional<ResultFolder> folder_;
  std::vector<AttentionRecord> records_;
  std::size_t weights_ = 0;
  std::int64_t texts_ = 0;
};

// html: a page to look around in.
class TextPage : public WeightsOfTexts {
 public:
  using WeightsOfTexts::WeightsOfTexts;

  void add(const TextWeights& weights) override {
    std::vector<AttentionRecord> records = records_of(weights, weights_);
    for (AttentionRecord& record : records) make_labels(record);
    pages_.push_back({weights.number, weights.text, std::move(records)});
  }

  void finish(const std::string& /*title*/) override {
    output_.write(attention_page(std::move(pages_), name_of_model(options_.model) + ": attention"));
  }

 private:
  std::vector<PageExample> pages_;
  std::size_t weights_ = 0;
};

}  // namespace

std::pair<const Tokenizer&, const Tokenizer&> tokenizers_of(const AttentionTracer& tracer,
                                                            AttentionKind kind) {
  const Tokenizer& source = tracer.source_tokenizer();
  const LoadedTranslator* const translator = tracer.translator();
  const Tokenizer& target = translator == nullptr ? source : translator->target_tokenizer;
  return {kind == AttentionKind::encoder ? source : target, kind == AttentionKind::decoder ? target : source};
}

std::unique_ptr<TextFormat> text_format(const Options& o, const AttentionTracer& tracer, Output& output) {
  if (o.format == Format::npy) return std::make_unique<TextArrays>(o, tracer, output);
  if (o.format == Format::svg) return std::make_unique<TextPictures>(o, tracer, output);
  if (o.format == Format::html) return std::make_unique<TextPage>(o, tracer, output);
  return std::make_unique<TextRows>(o, tracer, output,
                                    value_of<AttentionRows::Format>(name_of(o.format)).value());
}

}  // namespace headwater::attn_dump
