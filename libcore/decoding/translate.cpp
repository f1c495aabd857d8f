#include "decoding/translate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "decoding/generation_settings.hpp"
#include "decoding/growing_text.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "text/unicode/unicode_properties.hpp"

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
  generation.shortlist = model.shortlist;
  return generation;
}

static DecodingModels decoding_models(const LoadedTranslator& model, ComputeType compute_type,
                                      std::span<const EnsembleMember> others) {
  DecodingModels models;
  models.push_back(std::make_unique<const DecodingModel>(*model.model, compute_type));
  for (const EnsembleMember& other : others)
    models.push_back(std::make_unique<const DecodingModel>(*other.model.model, other.compute_type));
  return models;
}

Translator::Translator(const LoadedTranslator& model, const GenerationSettings& settings,
                       std::span<const EnsembleMember> others)
    : model_(model),
      generation_(generation_settings(model, settings)),
      decoder_(decoding_models(model, settings.compute_type, others)) {
  const double penalty = model.generation.repetition_penalty;
  SamplingSettings choice = settings.sampling.value_or(SamplingSettings{.top_k = 1});
  choice.repetition_penalty = penalty;
  if (settings.sampling || (penalty != 1 && generation_.search.num_beams == 1)) sampler_.emplace(choice);
  if (!generation_.alignment) return;
  check_alignment(*model.model, *generation_.alignment);
  arena_.emplace();
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

std::vector<Translations> Translator::translations(const std::vector<std::string>& lines,
                                                   std::span<const std::string> prefixes,
                                                   std::span<const RequiredTexts> required) {
  if (!required.empty()) return translations_with(lines, prefixes, required);
  return translations_of(lines, prefixes, required);
}

// Lines are read with words in place of what the tokenizers cannot write.
std::vector<Translations> Translator::translations_with(const std::vector<std::string>& lines,
                                                        std::span<const std::string> prefixes,
                                                        std::span<const RequiredTexts> required) {
  const auto can_write = [&](const std::string& text) {
    const auto writes = [&](const Tokenizer& tokenizer) {
      const std::vector<std::int32_t> ids = tokenizer.encode(text);
      return std::ranges::find(ids, tokenizer.unknown_id()) == ids.end() &&
             trimmed(tokenizer.decode(ids)) == text;
    };
    return writes(model_.source_tokenizer) && writes(model_.target_tokenizer);
  };
  std::vector<StandIns> stand_ins;
  std::vector<std::string> read;
  std::vector<RequiredTexts> wanted;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    stand_ins.push_back(with_stand_ins(lines[i], required[i], can_write));
    read.push_back(stand_ins.back().line);
    wanted.push_back(stand_ins.back().required);
  }
  std::vector<Translations> results = translations_of(read, prefixes, wanted);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (Translation& translation : results[i]) translation.text = stand_ins[i].restored(translation.text);
    // Leaves out translations that lack something, unless all do.
    if (has_required(results[i].front().text, required[i]))
      std::erase_if(results[i], [&](const Translation& t) { return !has_required(t.text, required[i]); });
  }
  return results;
}

std::string Translator::word_not_written(const std::string& prefix) const {
  const Tokenizer& target = model_.target_tokenizer;
  const auto is_written = [&](const std::string& text) {
    const std::vector<std::int32_t> ids = target.encode(text);
    return target.unknown_id() < 0 || std::ranges::find(ids, target.unknown_id()) == ids.end();
  };
  if (generation_.allows_unknown || is_written(prefix)) return {};
  std::istringstream words(prefix);
  for (std::string word; words >> word;) {
    if (!is_written(word)) return word;
  }
  return prefix;
}

std::vector<Translations> Translator::translations_of(const std::vector<std::string>& lines,
                                                      std::span<const std::string> prefixes,
                                                      std::span<const RequiredTexts> required) {
  Sources sources = encode(lines);
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (!required[i].are_all) continue;
    sources.ids[i].clear();  // the line is copied whole
    sources.are_truncated[i] = false;
  }
  std::vector<std::vector<std::int32_t>> begun;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (const std::string word = word_not_written(prefixes[i]); !word.empty())
      throw LineError(
          i, "its prefix has " + quote(word) + ", which the model's vocabulary cannot write (take it out)");
    begun.push_back(model_.target_tokenizer.encode(prefixes[i]));
    if (static_cast<Index>(begun.back().size()) >= model_.model->length()) {
      throw LineError(i, "its prefix has " +
                             counted(static_cast<std::int64_t>(begun.back().size()), "token") +
                             ", and the model has " + std::to_string(model_.model->length()) +
                             " positions (shorten the prefix)");
    }
  }
  std::vector<Translations> results;
  for (Hypotheses& found : hypotheses(sources.ids, begun)) {
    const std::size_t line = results.size();
    Translations& of_line = results.emplace_back();
    for (Hypothesis& hypothesis : found) {
      if (!begun.empty() && !sources.ids[line].empty())
        hypothesis.ids.insert(hypothesis.ids.begin(), begun[line].begin(), begun[line].end());
      std::string text = text_of(hypothesis);
      of_line.push_back({.text = std::move(text),
                         .hypothesis = std::move(hypothesis),
                         .is_truncated = sources.are_truncated[line]});
    }
  }
  if (!required.empty()) require(lines, sources, begun, required, results);
  if (generation_.alignment) add_alignments(sources, results);
  return results;
}

// What the model writes by itself reads best, and mostly it has all that is required; so only the other lines
// are searched again.
void Translator::require(const std::vector<std::string>& lines, const Sources& sources,
                         std::span<const std::vector<std::int32_t>> begun,
                         std::span<const RequiredTexts> required, std::vector<Translations>& results) {
  LinePrompts again;
  std::vector<Phrases> phrases;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (required[i].are_all) {
      for (Translation& translation : results[i]) translation.text = lines[i];
    } else if (!sources.ids[i].empty() && faults_of(results[i].front().text, required[i]) > 0) {
      phrases.push_back(phrases_of(required[i], model_.target_tokenizer));
      add_prompt(again, i, sources.ids[i], begun.empty() ? std::span<const std::int32_t>() : begun[i]);
    }
  }
  GenerationSettings settings = generation_;
  settings.search.num_beams = settings.n_best = std::max(settings.search.num_beams, kRequiredBeams);
  settings.search.length_penalty = 0;  // a long text would make what is forced look cheap
  std::vector<Hypotheses> found =
      decode(again, [&] { return decoder_.decode(again.prompts, settings, phrases); });
  for (std::size_t s = 0; s < found.size(); ++s) {
    const std::size_t line = again.line_of[s], prefix = begun.empty() ? 0 : begun[line].size();
    const auto faults = [&](const Translation& t) { return faults_of(t.text, required[line]); };
    Translations better;
    for (Hypothesis& hypothesis : found[s]) {
      if (prefix > 0) hypothesis.ids.insert(hypothesis.ids.begin(), begun[line].begin(), begun[line].end());
      std::string text = with_required(text_of(hypothesis), hypothesis.ids, prefix, phrases[s],
                                       required[line], model_.target_tokenizer);
      better.push_back({.text = std::move(text),
                        .hypothesis = std::move(hypothesis),
                        .is_truncated = sources.are_truncated[line]});
    }
    std::ranges::stable_sort(better, {}, faults);
    if (faults(better.front()) >= faults(results[line].front())) continue;
    better.resize(std::min(better.size(), static_cast<std::size_t>(generation_.n_best)));
    results[line] = std::move(better);
  }
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
      std::move(align(*model_.model, *arena_, pairs, std::span(&*generation_.alignment, 1)).front());
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

void Translator::add_prompt(LinePrompts& prompts, std::size_t line, std::span<const std::int32_t> source,
                            std::span<const std::int32_t> prefix) const {
  std::vector<std::int32_t> begin{generation_.start_id};
  begin.insert(begin.end(), prefix.begin(), prefix.end());
  prompts.prompts.add(source, begin);
  prompts.line_of.push_back(line);
}

template <class F>
std::vector<Hypotheses> Translator::decode(LinePrompts& prompts, const F& decode) {
  prompts.prompts.finish();
  try {
    return decode();
  } catch (const LineError& error) {
    throw LineError(prompts.line_of[error.line], error.what());
  }
}

std::vector<Hypotheses> Translator::hypotheses(std::span<const std::vector<std::int32_t>> sources,
                                               std::span<const std::vector<std::int32_t>> prefixes) {
  LinePrompts prompts;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::uint64_t number = sources_++;
    if (sources[i].empty()) continue;
    add_prompt(prompts, i, sources[i], prefixes.empty() ? std::span<const std::int32_t>() : prefixes[i]);
    numbers.push_back(number);
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Hypothesis nothing;
  nothing.log_probability = nothing.score = kNone;
  const Hypotheses of_nothing(static_cast<std::size_t>(generation_.n_best), nothing);
  std::vector<Hypotheses> results(sources.size(), of_nothing);
  std::vector<Hypotheses> found = decode(prompts, [&] {
    return sampler_ ? decoder_.decode(prompts.prompts, generation_, {*sampler_, numbers})
                    : decoder_.decode(prompts.prompts, generation_);
  });
  for (std::size_t s = 0; s < found.size(); ++s) results[prompts.line_of[s]] = std::move(found[s]);
  return results;
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
