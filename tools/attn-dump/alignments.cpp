// Links between the words of given translations, by attention to the source.
#include <algorithm>

#include "cli/tool.hpp"
#include "decoding/translate.hpp"
#include "families/translator/directory.hpp"
#include "metrics/word_alignment.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"
#include "text/tokenizer/token_text.hpp"
#include "tools/attn-dump/attn_dump.hpp"

namespace headwater::attn_dump {
namespace {

struct TextPair {
  std::string source, target;
};

// A pair as the model reads it.
struct ReadPair {
  std::vector<std::int32_t> source_ids, target_ids;
  std::vector<std::int32_t> source_words, target_words;  // of each token; of the target's without the start
  Index begin = 0, end = 0;                              // of the source's tokens that are of words
  bool is_cut = false, has_weights_that_are_none = false;

  bool is_empty() const { return begin == end || target_words.empty(); }
};

// A translation model, and the heads whose links are wanted.
class WordAligner {
 public:
  WordAligner(LoadedTranslator model, std::vector<AlignmentSettings> settings)
      : model_(std::move(model)),
        settings_(std::move(settings)),
        start_id_(generation_settings(model_, {}).start_id) {}

  const std::vector<AlignmentSettings>& settings() const { return settings_; }
  std::int64_t length() const { return model_.model->length(); }
  const TruncatedLines& truncated_lines() const { return truncated_lines_; }
  std::vector<ColumnTokenCounts> tokens() const {
    return {{"source", source_tokens_}, {"target", target_tokens_}};
  }

  // For each pair the links of each of the settings, from source to target.
  std::vector<std::vector<AlignmentLinks>> links(const std::vector<TextPair>& texts) {
    std::vector<ReadPair> pairs(texts.size());
    parallel_for(std::ssize(pairs), [&](std::int64_t i) { pairs[i] = read(texts[i]); });
    std::vector<std::vector<std::size_t>> groups;  // of pairs that are read at once
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ++lines_;
      if (pairs[i].is_cut) truncated_lines_.add(lines_);
      if (pairs[i].is_empty()) continue;
      const std::size_t more = pairs[i].source_ids.size() + pairs[i].target_ids.size();
      if (groups.empty() || tokens + more > kTokensAtOnce) {
        groups.emplace_back();
        tokens = 0;
      }
      groups.back().push_back(i);
      tokens += more;
    }
    std::vector<std::vector<AlignmentLinks>> result(pairs.size(),
                                                    std::vector<AlignmentLinks>(settings_.size()));
    const ArenaScope all(arena_);
    Arenas arenas(arena_, static_cast<std::size_t>(parallel_threads()));
    parallel_for(std::ssize(groups), [&](std::int64_t i) {
      Arena& own = arenas.acquire();
      isolate([&] { add_links(groups[i], pairs, own, result); });
      arenas.release(own);
    });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].has_weights_that_are_none) throw LineError(i, kOutputNotFinite);
      if (pairs[i].is_empty()) continue;
      source_tokens_.add(pairs[i].source_ids, model_.source_tokenizer.special_ids());
      target_tokens_.add(pairs[i].target_ids, model_.target_tokenizer.special_ids());
    }
    return result;
  }

 private:
  static constexpr std::size_t kTokensAtOnce = 512;

  ReadPair read(const TextPair& text) const {
    ReadPair pair;
    const std::size_t most = length();
    const Tokenizer &source = model_.source_tokenizer, &target = model_.target_tokenizer;
    SourceIds read = model_.source_ids(text.source);
    pair.source_ids = std::move(read.ids);
    pair.begin = read.first.begin;
    pair.end = read.first.end;
    pair.target_ids = target.encode(text.target);
    pair.target_ids.insert(pair.target_ids.begin(), start_id_);
    pair.is_cut = read.is_truncated || pair.target_ids.size() > most;
    pair.target_ids.resize(std::min(pair.target_ids.size(), most));
    // Special tokens are of no word.
    pair.source_words.assign(pair.begin, -1);
    const std::size_t of_words = pair.end - pair.begin;
    const std::vector<std::int32_t> found_words = words_of_tokens(source, text.source, of_words);
    pair.source_words.insert(pair.source_words.end(), found_words.begin(), found_words.end());
    pair.source_words.resize(pair.source_ids.size(), -1);
    pair.target_words = words_of_tokens(target, text.target, pair.target_ids.size() - 1);
    return pair;
  }

  void add_links(const std::vector<std::size_t>& group, std::vector<ReadPair>& pairs, Arena& arena,
                 std::vector<std::vector<AlignmentLinks>>& result) const {
    std::vector<AlignedPair> read;
    for (const std::size_t i : group)
      read.push_back({pairs[i].source_ids, pairs[i].target_ids, pairs[i].begin, pairs[i].end});
    const std::vector<std::vector<std::vector<Index>>> found = align(*model_.model, arena, read, settings_);
    for (std::size_t s = 0; s < settings_.size(); ++s) {
      for (std::size_t k = 0; k < group.size(); ++k) {
        ReadPair& pair = pairs[group[k]];
        if (found[s][k].empty()) pair.has_weights_that_are_none = true;
        result[group[k]][s] = links_of_words(found[s][k], pair.source_words, pair.target_words);
      }
    }
  }

  LoadedTranslator model_;
  std::vector<AlignmentSettings> settings_;
  std::int32_t start_id_;
  std::int64_t lines_ = 0;
  TruncatedLines truncated_lines_;
  TokenCounts source_tokens_, target_tokens_;
  Arena arena_;
};

// Every head of every layer, and the mean of each layer.
std::vector<AlignmentSettings> all_heads(const EncoderDecoderSettings& model) {
  std::vector<AlignmentSettings> all;
  for (Index layer = 0; layer < model.decoder_layers; ++layer) {
    for (Index head = 0; head < model.transformer.heads; ++head) all.push_back({layer, head});
    all.push_back({layer, std::nullopt});
  }
  return all;
}

std::unique_ptr<WordAligner> aligner_of(const ModelFolder& folder, const Options& o, bool is_inverse) {
  if (folder.family->task != Task::translation)
    throw UsageError("--inverse is for a translator, " + folder.path.string() + " is none");
  LoadedTranslator model = load_translator(folder);
  if (!o.gold.empty()) {
    std::vector<AlignmentSettings> all = all_heads(model.model->settings());
    return std::make_unique<WordAligner>(std::move(model), std::move(all));
  }
  const AlignmentSettings one =
      is_inverse ? AlignmentSettings{o.inverse_layer, o.inverse_head} : AlignmentSettings{o.layer, o.head};
  check_alignment(*model.model, one, is_inverse ? "--inverse-layer" : "--layer",
                  is_inverse ? "--inverse-head" : "--head");
  return std::make_unique<WordAligner>(std::move(model), std::vector{one});
}

// How well the links of each head agree with those of people.
class GoldTable {
 public:
  GoldTable(std::string_view name, const std::vector<AlignmentSettings>& settings)
      : name_(name), settings_(settings), counts_(settings.size()) {}
  void add(const std::vector<AlignmentLinks>& links, const Alignment& gold) {
    for (std::size_t i = 0; i < links.size(); ++i) counts_[i].add({links[i]}, gold);
  }
  // The best first.
  void append_csv(std::string& out) const {
    std::vector<std::size_t> order(settings_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return counts_[i].error_rate(); });
    for (const std::size_t i : order) {
      const AlignmentSettings& s = settings_[i];
      out += name_ + ',' + std::to_string(*s.layer) + ',' + (s.head ? std::to_string(*s.head) : "mean");
      for (const double figure : {counts_[i].error_rate(), counts_[i].precision(), counts_[i].recall()})
        out += ',' + format_fixed(figure, 4);
      out += '\n';
    }
  }

 private:
  std::string name_;
  std::vector<AlignmentSettings> settings_;
  std::vector<AlignmentCounts> counts_;
};

Alignment inverted(const Alignment& gold) {
  return {headwater::inverted(gold.sure), headwater::inverted(gold.possible)};
}

// Lines in, links out.
class AlignmentDump {
 public:
  AlignmentDump(const Options& o, const ModelFolder& folder)
      : options_(o), aligner_(aligner_of(folder, o, false)), output_(o.output) {
    if (!o.inverse.empty()) {
      const ModelFolder inverse = open_model(o.inverse);
      cli::note_skipped_checkpoints(inverse.skipped);
      inverse_ = aligner_of(inverse, o, true);
    }
    if (o.gold.empty()) return;
    table_.emplace("forward", aligner_->settings());
    if (inverse_) inverse_table_.emplace("inverse", inverse_->settings());
  }

  void run() {
    cli::LineReader reader(options_.texts, options_.reader);
    using Writes = cli::LineReader::Writes;
    reader.show_progress(options_.is_quiet,
                         options_.output.empty() && !table_ ? Writes::meanwhile : Writes::at_the_end);
    LinesBeside targets("target", options_.target, options_.reader, LinesBeside::May::be_text_too);
    std::optional<LinesBeside> gold;
    if (table_) gold.emplace("gold", options_.gold, cli::LineReaderSettings(), LinesBeside::May::be_a_file);
    std::int64_t number = 0;
    reader.for_each_batch(kLinesABatch, [&](std::vector<std::string>& lines) {
      std::vector<TextPair> pairs;
      for (std::size_t i = 0; i < lines.size(); ++i)
        pairs.push_back({lines[i], targets.next(reader.place(i))});
      number += std::ssize(lines);
      const std::vector<std::vector<AlignmentLinks>> forward = aligner_->links(pairs),
                                                     inverse = inverses(pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (gold) {
          add_gold(*gold, reader.place(i), forward[i], inverse_ ? &inverse[i] : nullptr);
          continue;
        }
        AlignmentLinks links = forward[i].front();
        if (inverse_) links = grow_diag_final_and(links, headwater::inverted(inverse[i].front()));
        output_.write(pharaoh_line(links) + '\n');
      }
      output_.flush();
    });
    targets.finish(number, options_.is_quiet);
    if (gold) gold->finish(number, options_.is_quiet);
    finish();
    if (!options_.is_quiet) reader.note_dropped();
  }

 private:
  static constexpr std::size_t kLinesABatch = 256;

  // The links of the other model, which reads the targets as sources.
  std::vector<std::vector<AlignmentLinks>> inverses(const std::vector<TextPair>& pairs) {
    if (!inverse_) return {};
    std::vector<TextPair> other;
    for (const TextPair& pair : pairs) other.push_back({pair.target, pair.source});
    return inverse_->links(other);
  }

  void add_gold(LinesBeside& gold, const std::string& place, const std::vector<AlignmentLinks>& forward,
                const std::vector<AlignmentLinks>* inverse) {
    const std::string line = gold.next(place);
    Alignment right;
    try {
      right = read_alignment(line);
    } catch (const Error& error) {
      throw Error(gold.place() + ": " + error.what());
    }
    table_->add(forward, right);
    if (inverse != nullptr) inverse_table_->add(*inverse, inverted(right));
  }

  void finish() {
    if (table_) {
      std::string csv = "model,layer,head,error_rate,precision,recall\n";
      table_->append_csv(csv);
      if (inverse_table_) inverse_table_->append_csv(csv);
      output_.write(csv);
    }
    output_.finish();
    if (options_.is_quiet) return;
    cli::note_unknown_tokens(aligner_->tokens());
    // The pairs are the same: what one of the models cuts is said once.
    const bool is_inverse =
        inverse_ && inverse_->truncated_lines().count() > aligner_->truncated_lines().count();
    const WordAligner& cuts = is_inverse ? *inverse_ : *aligner_;
    cli::note_truncated_lines(cuts.truncated_lines(), cuts.length());
  }

  const Options& options_;
  std::unique_ptr<WordAligner> aligner_, inverse_;  // the second where there is one
  std::optional<GoldTable> table_, inverse_table_;
  Output output_;
};

}  // namespace

void dump_alignments(const Options& o, const ModelFolder& folder) { AlignmentDump(o, folder).run(); }

}  // namespace headwater::attn_dump
