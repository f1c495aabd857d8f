#include "decoding/generate.hpp"

#include <algorithm>
#include <utility>

#include "decoding/generation_settings.hpp"
#include "decoding/next_token.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

constexpr std::size_t kNoStop = std::string::npos;

// One continuation while it is made.
struct GrowingRow {
  GrowingText text;
  std::size_t stop = kNoStop;  // where it is cut
  std::size_t emitted = 0;     // of the text, to the listener
};

class GrowingRows : public TokenListener {
 public:
  GrowingRows(const StopTexts& stops, ContinuationListener& listener) : stops_(stops), listener_(listener) {}
  void add(const GrowingText& text) { rows_.push_back({.text = text}); }
  GrowingRow& row(std::size_t i) { return rows_[i]; }

  bool goes_on(std::size_t row, std::span<const std::int32_t> ids) override {
    constexpr std::size_t kEvery = 8;
    if (ids.size() % kEvery == 1) listener_.works();
    GrowingRow& r = rows_[row];
    const std::size_t old_size = r.text.text().size();
    r.text.add(ids.back());
    find_stop(r, old_size);
    const std::string& text = r.text.text();
    emit(r, r.stop != kNoStop ? r.stop : text.size() - stops_.begun(text));
    return r.stop == kNoStop;
  }

  // No token follows.
  void finish(GrowingRow& r, GrowingText::Unfinished unfinished) {
    if (r.stop == kNoStop) {
      const std::size_t old_size = r.text.text().size();
      r.text.finish(unfinished);
      find_stop(r, old_size);
    }
    emit(r, std::min(r.stop, r.text.text().size()));
  }

 private:
  void find_stop(GrowingRow& r, std::size_t known) const {
    if (!stops_.empty()) r.stop = stops_.find(r.text.text(), known);
  }
  void emit(GrowingRow& r, std::size_t end) {
    if (rows_.size() == 1 && end > r.emitted)
      listener_.grows(std::string_view(r.text.text()).substr(r.emitted, end - r.emitted));
    r.emitted = std::max(r.emitted, end);
  }

  const StopTexts& stops_;
  ContinuationListener& listener_;
  std::vector<GrowingRow> rows_;
};

// Leaves the tokens that begin before the cut.
void cut(const GrowingRow& row, Hypothesis& hypothesis) {
  const std::vector<std::size_t>& begins = row.text.begins();
  const std::size_t remaining = std::lower_bound(begins.begin(), begins.end(), row.stop) - begins.begin();
  hypothesis.ids.erase(hypothesis.ids.begin() + static_cast<std::ptrdiff_t>(remaining), hypothesis.ids.end());
  std::vector<double>& scores = hypothesis.token_log_probabilities;
  if (scores.size() > remaining)
    scores.erase(scores.begin() + static_cast<std::ptrdiff_t>(remaining), scores.end());
  hypothesis.is_ended = false;
  hypothesis.log_probability = 0;
  for (const double score : scores) hypothesis.log_probability += score;
}

std::optional<Sampler> sampler_of(const GenerationSettings& generation) {
  const double penalty = generation.repetition_penalty;
  if (!generation.sampling && (penalty == 1 || generation.search.num_beams > 1)) return std::nullopt;
  SamplingSettings sampling = generation.sampling.value_or(SamplingSettings{.top_k = 1});
  sampling.repetition_penalty = penalty;
  return Sampler(sampling);
}

}  // namespace

DecodingSettings decoding_of_files(const GenerationConfig& config) {
  DecodingSettings decoding = config.decoding;
  decoding.max_new_tokens = TextGeneratorSettings().generation.search.max_new_tokens;
  if (config.max_new_tokens || config.max_length) decoding.max_new_tokens = config.max_new_tokens.value_or(0);
  return decoding;
}

GenerationSettings generation_settings(const LoadedLanguageModel& model,
                                       const TextGeneratorSettings& settings) {
  const Tokenizer& tokenizer = model.tokenizer;
  GenerationSettings generation = settings.generation;
  const GenerationConfig& config = model.generation;
  const bool is_ours = config.file.empty();  // a published model's files say what it never writes
  generation.end_id = tokenizer.end_id();
  if (!is_ours) set_published(generation, config, model.model->vocabulary());
  if (generation.search.max_new_tokens == 0) generation.max_length = config.max_length.value_or(0);
  if (settings.repetition_penalty) generation.repetition_penalty = *settings.repetition_penalty;
  const auto forbid = [&](std::int32_t id) {  // one token may be all of these, as GPT-2's is
    if (id >= 0 && !generation.is_end(id)) generation.suppress_tokens.push_back(id);
  };
  if (is_ours) {
    forbid(tokenizer.pad_id());
    forbid(tokenizer.start_id());
  }
  if (!generation.allows_unknown) forbid(tokenizer.unknown_id());
  forbid(model.delimiter);
  generation.vocabulary_limit = tokenizer.vocabulary_size();
  generation.slides = true;
  generation.characters = CharacterGuard::of(tokenizer, generation.end_id);
  return generation;
}

TextGenerator::TextGenerator(const LoadedLanguageModel& model, const TextGeneratorSettings& settings)
    : model_(model),
      settings_(settings),
      generation_(generation_settings(model, settings)),
      stops_(settings.stop),
      sampler_(sampler_of(generation_)),
      decoder_(*model.model, generation_.compute_type) {}

// The token that begins a text, by the model's files or else the tokenizer; -1: none.
static std::int32_t start_of(const LoadedLanguageModel& model) {
  const std::optional<std::int32_t>& said = model.generation.start_id;
  return said && *said < model.model->vocabulary() ? *said : model.tokenizer.start_id();
}

// What a text begins with before its first token: the start token, or else a line end, where that is a token.
static std::vector<std::int32_t> first_ids(const LoadedLanguageModel& model) {
  const Tokenizer& tokenizer = model.tokenizer;
  if (start_of(model) >= 0) return {start_of(model)};
  std::vector<std::int32_t> line_end = tokenizer.encode("\n");
  if (line_end.size() != 1 || line_end[0] == tokenizer.unknown_id()) line_end.clear();
  return line_end;
}

// What is before a delimiter is a text of its own, which loses its end where there is no room, as in
// training: it leaves as many positions as may be wanted, but at most a quarter of all.
std::size_t TextGenerator::max_prompt_ids() const {
  const Index length = model_.model->length();
  const Index wanted = generation_.search.max_new_tokens > 0 ? generation_.search.max_new_tokens : length;
  return static_cast<std::size_t>(length + 1 - std::min<Index>(wanted, std::max<Index>(1, length / 4)));
}

TextGenerator::Prompt TextGenerator::prompt_of(const std::string& line) const {
  Prompt prompt;
  const std::int32_t start = start_of(model_);
  prompt.ids = model_.prompt_ids(line);
  if (model_.delimiter < 0) {
    prompt.context = prompt.ids.size();
    if (settings_.has_start) prompt.ids.insert(prompt.ids.begin(), start);
    if (prompt.ids.empty()) prompt.ids = first_ids(model_);
    prompt.is_truncated = prompt.ids.size() > static_cast<std::size_t>(model_.model->length());
    return prompt;
  }
  if (settings_.has_start) prompt.ids.insert(prompt.ids.begin(), start);
  const std::size_t most = max_prompt_ids();
  prompt.is_truncated = prompt.ids.size() > most;
  if (prompt.is_truncated)
    prompt.ids.erase(prompt.ids.begin() + static_cast<std::ptrdiff_t>(most) - 1, prompt.ids.end() - 1);
  return prompt;
}

void TextGenerator::continue_lines(const std::vector<std::string>& lines, std::size_t batch,
                                   ContinuationListener& listener,
                                   const std::function<void(const Continuation&)>& use) {
  std::vector<Prompt> prompts(lines.size());
  parallel_for(static_cast<std::int64_t>(lines.size()),
               [&](std::int64_t i) { prompts[i] = prompt_of(lines[i]); });
  const auto empty =
      std::find_if(prompts.begin(), prompts.end(), [](const Prompt& p) { return p.ids.empty(); });
  const std::size_t count = empty - prompts.begin();
  std::uint64_t number = lines_;
  for (const Prompt& prompt : std::span(prompts).first(count)) {
    ++number;
    if (prompt.is_truncated) truncated_lines_.add(static_cast<std::int64_t>(number));
    prompt_tokens_.add(prompt.ids, model_.tokenizer.special_ids());
  }
  const std::size_t rows = count * static_cast<std::size_t>(settings_.samples);
  for (std::size_t first = 0; first < rows; first += batch)
    continue_rows(prompts, first, std::min(batch, rows - first), listener, use);
  lines_ += lines.size();
  if (empty != prompts.end()) {
    throw LineError(count,
                    "no token, and the tokenizer has no start token to begin a text with (give each line "
                    "the beginning of a text)");
  }
}

void TextGenerator::continue_rows(std::span<const Prompt> prompts, std::size_t first_row, std::size_t rows,
                                  ContinuationListener& listener,
                                  const std::function<void(const Continuation&)>& use) {
  const std::size_t samples = settings_.samples;
  const auto line_of = [&](std::size_t row) { return (first_row + row) / samples; };
  Prompts batch;
  batch.clear();
  std::vector<std::uint64_t> numbers;
  GrowingRows growing(stops_, listener);
  for (std::size_t row = 0; row < rows; ++row) {
    const Prompt& prompt = prompts[line_of(row)];
    batch.add({}, prompt.ids);
    growing.add(GrowingText(model_.tokenizer, std::span(prompt.ids).last(prompt.context)));
    numbers.push_back(text_number(lines_ + line_of(row), (first_row + row) % samples));
  }
  batch.finish();
  if (rows == 1) listener.begins(line_of(0));
  const bool has_beams = generation_.search.num_beams > 1;
  std::vector<Hypotheses> found;
  try {
    if (has_beams) {
      listener.works();
      found = decoder_.decode(batch, generation_);
    } else {
      const Greedy greedy(generation_.wants_scores);
      const NextToken& next = sampler_ ? static_cast<const NextToken&>(*sampler_) : greedy;
      found = decoder_.decode(batch, generation_, {next, numbers, &growing});
    }
  } catch (const LineError& error) {
    throw LineError(line_of(error.line), error.what());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    GrowingRow& text = growing.row(row);
    Continuation made{.line = line_of(row), .sample = (first_row + row) % samples};
    made.is_truncated = prompts[made.line].is_truncated;
    made.hypothesis = std::move(found[row].front());
    const std::vector<std::int32_t>& ids = made.hypothesis.ids;
    for (std::size_t i = 1; has_beams && i <= ids.size(); ++i) {
      if (!growing.goes_on(row, std::span(ids).first(i))) break;
    }
    const bool is_unfinished =
        generation_.characters && generation_.characters->after(ids) != CharacterGuard::State::whole;
    growing.finish(text, is_unfinished ? GrowingText::Unfinished::dropped : GrowingText::Unfinished::shown);
    made.text = text.text.text().substr(0, text.stop);
    if (text.stop != kNoStop) {
      cut(text, made.hypothesis);
      made.end = TextEnd::stop;
    } else if (made.hypothesis.is_ended) {
      made.end = TextEnd::end;
    }
    use(made);
  }
}

}  // namespace headwater
