#include "decoding/translate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "decoding/generation_settings.hpp"
#include "decoding/growing_text.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace headwater {

GenerationSettings generation_settings(const LoadedTranslator& model, const GenerationSettings& asked) {
  const Tokenizer& target = model.target_tokenizer;
  const GenerationConfig& config = model.generation;
  GenerationSettings generation = asked;
  generation.start_id = model.ids.start;
  generation.end_id = model.ids.end;
  generation.vocabulary_limit = target.vocabulary_size();
  if (!config.file.empty()) {
    generation.start_id = config.start_id.value_or(model.ids.start);
    set_published(generation, config, model.model->target_vocabulary());
  }
  const auto forbid = [&](std::int32_t id) {  // one token may be an end, too
    if (id >= 0 && !generation.is_end(id)) generation.suppress_tokens.push_back(id);
  };
  const bool is_ours = !model.uses_template;  // a published model's files say what it never writes
  if (is_ours) {
    forbid(model.ids.pad);
    forbid(model.ids.start);
  }
  if (!generation.allows_unknown) forbid(target.unknown_id());
  if (generation.start_id < 0) throw Error("a translator without a start token translates nothing");
  if (generation.search.max_new_tokens == 0) {
    // max_length of a published model counts the start, and may leave no room behind it.
    if (model.uses_template && config.max_length && !config.max_new_tokens) {
      generation.max_length = *config.max_length;
    } else {
      generation.search.max_new_tokens = model.max_new_tokens;
    }
  }
  generation.n_best = std::min(generation.n_best, generation.search.num_beams);
  generation.characters = CharacterGuard::of(target, generation.end_id);
  return generation;
}

Translator::Translator(const LoadedTranslator& model, const GenerationSettings& settings)
    : model_(model),
      generation_(generation_settings(model, settings)),
      decoder_(*model.model, settings.compute_type) {
  const double penalty = model.generation.repetition_penalty;
  SamplingSettings choice = settings.sampling.value_or(SamplingSettings{.top_k = 1});
  choice.repetition_penalty = penalty;
  if (settings.sampling || (penalty != 1 && generation_.search.num_beams == 1))
    sampler_.emplace(model.model->output_layer(), choice);
  if (generation_.alignment) check_alignment(*model.model, *generation_.alignment);
}

Translator::Sources Translator::encode(const std::vector<std::string>& lines) {
  std::vector<SourceIds> read(lines.size());
  parallel_for(static_cast<std::int64_t>(lines.size()),
               [&](std::int64_t i) { read[i] = model_.source_ids(lines[i]); });
  Sources sources;
  for (SourceIds& source : read) {
    sources.are_truncated.push_back(source.is_truncated);
    source_tokens_.add(source.ids, model_.source_tokenizer.special_ids());
    sources.ids.push_back(std::move(source.ids));
    sources.texts.push_back(source.first);
  }
  return sources;
}

std::string Translator::text_of(const Hypothesis& hypothesis) const {
  if (hypothesis.ids.empty()) return {};
  std::string text = model_.target_tokenizer.decode(hypothesis.ids);
  const std::shared_ptr<const CharacterGuard>& characters = generation_.characters;
  if (characters && characters->after(hypothesis.ids) != CharacterGuard::State::whole)
    text = without_unfinished(std::move(text));
  return without_nul(std::move(text));
}

Phrases Translator::phrases_of(std::size_t line, const RequiredTexts& required) const {
  std::vector<Phrase> phrases;
  for (const RequiredText& text : required) {
    phrases.push_back({model_.target_tokenizer.encode(text.text), text.is_once});
    if (phrases.back().ids.empty())
      throw LineError(line, "the model's tokenizer has no token for \"" + text.text + "\"");
  }
  return Phrases(std::move(phrases));
}

// A tokenizer may write a phrase otherwise than it was asked for: in lower case, or as [UNK].
std::string Translator::text_of(const Hypothesis& hypothesis, std::size_t prefix, const Phrases& phrases,
                                const RequiredTexts& required) const {
  std::string text = text_of(hypothesis);
  const Tokenizer& tokenizer = model_.target_tokenizer;
  const std::span<const std::int32_t> ids = hypothesis.ids;
  const std::vector<Phrases::Span> spans = phrases.spans(ids.subspan(prefix));
  std::vector<std::size_t> from_last;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].begin < spans[i].end) from_last.push_back(i);
  }
  std::ranges::sort(from_last, std::greater(), [&](std::size_t i) { return spans[i].begin; });
  for (const std::size_t i : from_last) {
    const std::string written = tokenizer.decode(phrases[i].ids),
                      before = tokenizer.decode(ids.first(prefix + spans[i].begin));
    const std::size_t at = text.find(written, text.starts_with(before) ? before.size() : 0);
    if (at != text.npos) text.replace(at, written.size(), required[i].text);
  }
  return text;
}

std::vector<Translations> Translator::translations(const std::vector<std::string>& lines,
                                                   std::span<const std::string> prefixes,
                                                   std::span<const RequiredTexts> required) {
  const Sources sources = encode(lines);
  std::vector<std::vector<std::int32_t>> begun;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    begun.push_back(model_.target_tokenizer.encode(prefixes[i]));
    if (static_cast<Index>(begun.back().size()) >= model_.model->length()) {
      throw LineError(i, "its prefix has " +
                             counted(static_cast<std::int64_t>(begun.back().size()), "token") +
                             ", and the model has " + std::to_string(model_.model->length()) +
                             " positions (shorten the prefix)");
    }
  }
  std::vector<Phrases> phrases;
  for (const RequiredTexts& texts : required) phrases.push_back(phrases_of(phrases.size(), texts));
  std::vector<Translations> results;
  for (Hypotheses& found : hypotheses(sources.ids, begun, phrases)) {
    const std::size_t line = results.size(), prefix = begun.empty() ? 0 : begun[line].size();
    Translations& of_line = results.emplace_back();
    for (Hypothesis& hypothesis : found) {
      if (!begun.empty() && !sources.ids[line].empty())
        hypothesis.ids.insert(hypothesis.ids.begin(), begun[line].begin(), begun[line].end());
      std::string text = phrases.empty() || hypothesis.ids.empty()
                             ? text_of(hypothesis)
                             : text_of(hypothesis, prefix, phrases[line], required[line]);
      of_line.push_back({.text = std::move(text),
                         .hypothesis = std::move(hypothesis),
                         .is_truncated = sources.are_truncated[line]});
    }
  }
  if (generation_.alignment) add_alignments(sources, results);
  return results;
}

// Tokens that stand around those of the text are none to link.
void Translator::add_alignments(const Sources& sources, std::vector<Translations>& to) {
  std::vector<std::vector<std::int32_t>> targets;
  std::vector<AlignedPair> pairs;
  std::vector<Translation*> aligned;
  for (std::size_t line = 0; line < to.size(); ++line) {
    // Where nothing of the text was read, all are looked for.
    const TokenRange text = sources.texts[line].is_empty() ? TokenRange{} : sources.texts[line];
    for (Translation& translation : to[line]) {
      const std::vector<std::int32_t>& ids = translation.hypothesis.ids;
      if (ids.empty()) continue;
      targets.push_back({generation_.start_id});
      targets.back().insert(targets.back().end(), ids.begin(), ids.end());
      pairs.push_back({.source = sources.ids[line], .target = {}, .begin = text.begin, .end = text.end});
      aligned.push_back(&translation);
    }
  }
  if (targets.empty()) return;
  for (std::size_t i = 0; i < targets.size(); ++i) pairs[i].target = targets[i];
  std::vector<std::vector<Index>> found =
      std::move(align(*model_.model, arena_, pairs, std::span(&*generation_.alignment, 1)).front());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (Index& source : found[i]) source -= pairs[i].begin;
    aligned[i]->source_of = std::move(found[i]);
  }
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  return translate_ids(encode(lines).ids);
}

std::vector<std::string> Translator::translate_ids(std::span<const std::vector<std::int32_t>> sources) {
  std::vector<std::string> results;
  for (const Hypotheses& found : hypotheses(sources)) results.push_back(text_of(found.front()));
  return results;
}

std::vector<std::vector<std::int32_t>> Translator::target_ids(
    std::span<const std::vector<std::int32_t>> sources) {
  std::vector<std::vector<std::int32_t>> results;
  for (Hypotheses& found : hypotheses(sources)) results.push_back(std::move(found.front().ids));
  return results;
}

std::vector<Hypotheses> Translator::hypotheses(std::span<const std::vector<std::int32_t>> sources,
                                               std::span<const std::vector<std::int32_t>> prefixes,
                                               std::span<const Phrases> phrases) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Hypothesis nothing;
  nothing.log_probability = nothing.score = kNone;
  const Hypotheses of_nothing(static_cast<std::size_t>(generation_.n_best), nothing);
  std::vector<Hypotheses> results(sources.size(), of_nothing);
  // Lines with phrases are searched apart, so that the others have the text that they have without.
  for (const bool has_phrases : {false, true}) {
    Prompts prompts;
    prompts.clear();
    std::vector<std::size_t> line_of;  // of each prompt
    std::vector<std::uint64_t> numbers;
    std::vector<Phrases> of_prompts;
    std::vector<std::int32_t> begin;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].empty() || has_phrases != (!phrases.empty() && !phrases[i].empty())) continue;
      begin.assign(1, generation_.start_id);
      if (!prefixes.empty()) begin.insert(begin.end(), prefixes[i].begin(), prefixes[i].end());
      prompts.add(sources[i], begin);
      line_of.push_back(i);
      numbers.push_back(sources_ + i);
      if (has_phrases) of_prompts.push_back(phrases[i]);
    }
    prompts.finish();
    std::vector<Hypotheses> found;
    try {
      found = decode(prompts, numbers, of_prompts);
    } catch (const LineError& error) {
      throw LineError(line_of[error.line], error.what());
    }
    for (std::size_t s = 0; s < found.size(); ++s) results[line_of[s]] = std::move(found[s]);
  }
  sources_ += sources.size();
  return results;
}

std::vector<Hypotheses> Translator::decode(const Prompts& prompts, std::span<const std::uint64_t> numbers,
                                           std::span<const Phrases> phrases) {
  if (!phrases.empty()) {
    GenerationSettings settings = generation_;
    settings.search.num_beams = std::max(settings.search.num_beams, kRequiredBeams);
    return decoder_.decode(prompts, settings, phrases);
  }
  return sampler_ ? decoder_.decode(prompts, generation_, {*sampler_, numbers})
                  : decoder_.decode(prompts, generation_);
}

namespace {

void check_number(std::string_view option, const std::optional<Index>& number, Index count) {
  if (number && (*number < 0 || *number >= count)) {
    throw UsageError(std::string(option) + " is " + std::to_string(*number) + ", expected 0 to " +
                     std::to_string(count - 1));
  }
}

// The likeliest source of each token of one pair: the row of the decoder's input t is that of the choice of
// token t + 1.
std::vector<Index> likeliest_sources(const AttentionOutput& attention, const AlignmentSettings& settings,
                                     const kernels::AttentionShape& shape, Index pair,
                                     const AlignedPair& wanted, Arena& arena) {
  const ArenaScope scope(arena);
  const Index targets = shape.query_length(pair), sources = shape.key_length(pair);
  const Matrix weights = arena.matrix(targets, sources), sum = arena.matrix(targets, sources);
  std::fill_n(sum.data, targets * sources, Real(0));
  for (Index head = settings.head.value_or(0); head < (settings.head ? *settings.head + 1 : shape.heads);
       ++head) {
    head_weights(attention, shape, pair, head, weights);
    for (Index i = 0; i < targets * sources; ++i) sum.data[i] += weights.data[i];
  }
  std::vector<Index> result;
  if (kernels::find_not_finite(targets * sources, sum.data) >= 0) return result;
  const Index end = wanted.end == 0 ? sources : wanted.end;
  for (Index t = 0; t < targets; ++t)
    result.push_back(std::max_element(sum.row(t) + wanted.begin, sum.row(t) + end) - sum.row(t));
  return result;
}

}  // namespace

void check_alignment(const EncoderDecoder& model, const AlignmentSettings& settings,
                     std::string_view layer_option, std::string_view head_option) {
  if (model.settings().mixing.is_recurrent() && !model.settings().additive_attention)
    throw UsageError(
        "alignments are of attention, which this model has not (train it with additive_attention: true)");
  check_number(layer_option, settings.layer, model.settings().decoder_layers);
  check_number(head_option, settings.head, model.settings().heads());
}

std::vector<std::vector<std::vector<Index>>> align(const EncoderDecoder& model, Arena& arena,
                                                   std::span<const AlignedPair> pairs,
                                                   std::span<const AlignmentSettings> settings) {
  PackedTokens source, target;
  source.clear();
  target.clear();
  for (const AlignedPair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target.first(pair.target.size() - 1));  // nothing is chosen after the last
  }
  source.finish();
  target.finish();
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  model.decode(context, target, model.encode(context, source), &traces);
  const Index heads = model.settings().heads();
  std::vector<std::vector<std::vector<Index>>> result;
  for (const AlignmentSettings& one : settings) {
    const Index layer = one.layer.value_or(model.settings().decoder_layers - 1);
    const auto trace = std::find_if(traces.begin(), traces.end(), [&](const AttentionTrace& t) {
      return t.kind == AttentionKind::cross && t.layer == layer;
    });
    const Index head_width = trace->attention.queries.cols() / heads;
    const kernels::AttentionShape shape{.query_offsets = target.offsets,
                                        .key_offsets = source.offsets,
                                        .heads = heads,
                                        .head_width = head_width,
                                        .scale = Real(1) / std::sqrt(static_cast<Real>(head_width))};
    std::vector<std::vector<Index>>& of_pairs = result.emplace_back();
    for (Index pair = 0; pair < target.sequences(); ++pair) {
      const AlignedPair& wanted = pairs[pair];
      of_pairs.push_back(likeliest_sources(trace->attention, one, shape, pair, wanted, arena));
    }
  }
  return result;
}

}  // namespace headwater
