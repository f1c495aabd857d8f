// Beam search with caches beside a naive one without: every hypothesis is read whole at every step, and all
// continuations are sorted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "decoding/decoder.hpp"
#include "decoding/sampling.hpp"
#include "families/translator/model.hpp"
#include "small_run.hpp"
#include "support/parallel.hpp"

using namespace headwater;

namespace {

constexpr Index kBeamVocabulary = 23;

struct TranslatorCase {
  NormPlacement norm;
  ComputeType type;
};
constexpr TranslatorCase kTranslators[] = {{NormPlacement::post, ComputeType::float32},
                                           {NormPlacement::pre, ComputeType::float32},
                                           {NormPlacement::post, ComputeType::int8},
                                           {NormPlacement::pre, ComputeType::int8}};

// An encoder-decoder whose next token depends on the last ones, and which ends now and then.
struct RandomTranslator {
  EncoderDecoder model;
  ComputeType type;
  std::optional<PackedWeights> bytes;
  explicit RandomTranslator(NormPlacement norm, ComputeType compute_type = ComputeType::float32,
                            std::uint64_t seed = 3)
      : model(settings(norm), 19, kBeamVocabulary), type(compute_type) {
    model.parameters().allocate(false);
    model.parameters().initialize(seed);
    for (Real& value : model.parameters().values()) value *= 4;
    model.parameters().find("head.bias")->value.data[3] = 2.5;
    if (type == ComputeType::int8) bytes.emplace(model.parameters(), model.output_layer(), type);
  }
  static EncoderDecoderSettings settings(NormPlacement norm) {
    EncoderDecoderSettings s;
    s.transformer.width = 12;
    s.transformer.heads = 2;
    s.transformer.feed_forward_width = 20;
    s.transformer.length = 11;
    s.transformer.norm = norm;
    s.decoder_layers = 2;
    return s;
  }
  std::vector<double> log_probabilities(const Sequence& source, const Sequence& target) const {
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{.tape = tape, .packed = bytes ? &*bytes : nullptr};
    const PackedTokens reads = packed({source}), made = packed({target});  // the tape refers to them
    const EncodedSource memory = model.encode(context, reads);
    const Matrix logits = model.logits(context, model.decode(context, made, memory)).value();
    const Real* const last = logits.row(logits.rows - 1);
    double sum = 0;
    for (Index c = 0; c < logits.cols; ++c) sum += std::exp(static_cast<double>(last[c]));
    std::vector<double> result;
    for (Index c = 0; c < logits.cols; ++c) result.push_back(static_cast<double>(last[c]) - std::log(sum));
    return result;
  }
};

using Ensemble = std::vector<const RandomTranslator*>;

std::vector<double> mean_log_probabilities(const Ensemble& ensemble, const Sequence& source,
                                           const Sequence& target) {
  std::vector<double> mean(kBeamVocabulary, 0);
  for (const RandomTranslator* member : ensemble) {
    const std::vector<double> own = member->log_probabilities(source, target);
    for (std::size_t id = 0; id < mean.size(); ++id)
      mean[id] += own[id] / static_cast<double>(ensemble.size());
  }
  return mean;
}

struct NaiveHypothesis {
  Sequence ids;  // with the end token
  double sum = 0, score = 0;
};

bool repeats(const Sequence& ids, std::int64_t size) {
  const auto n = static_cast<std::ptrdiff_t>(size);
  for (auto a = ids.begin(); ids.end() - a >= n; ++a) {
    for (auto b = a + 1; ids.end() - b >= n; ++b) {
      if (std::equal(a, a + n, b)) return true;
    }
  }
  return false;
}

// Without `stops` it goes on until the room is full.
std::vector<NaiveHypothesis> search_naively(const Ensemble& ensemble, const Sequence& source,
                                            const Sequence& prompt, const GenerationSettings& s, bool stops) {
  const std::size_t beams = s.search.num_beams;
  std::size_t room = static_cast<std::size_t>(ensemble.front()->model.length()) - prompt.size() + 1;
  if (s.search.max_new_tokens > 0) room = std::min(room, static_cast<std::size_t>(s.search.max_new_tokens));
  if (s.search.max_length_ratio > 0) {
    room = std::min(room, static_cast<std::size_t>(std::ceil(
                              s.search.max_length_ratio * static_cast<double>(source.size()) - 1e-9)));
  }
  std::vector<NaiveHypothesis> live(1), kept;
  const auto keep = [&](NaiveHypothesis h) {
    h.score = h.sum / length_penalty(s, static_cast<std::int64_t>(h.ids.size()));
    kept.push_back(std::move(h));
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (kept.size() > beams) kept.pop_back();
  };
  for (std::size_t made = 1; made <= room; ++made) {
    std::vector<NaiveHypothesis> all;
    for (const NaiveHypothesis& h : live) {
      Sequence read = prompt;
      read.insert(read.end(), h.ids.begin(), h.ids.end());
      const std::vector<double> next = mean_log_probabilities(ensemble, source, read);
      for (std::int32_t id = 0; id < kBeamVocabulary; ++id) {
        const bool is_suppressed =
            std::find(s.suppress_tokens.begin(), s.suppress_tokens.end(), id) != s.suppress_tokens.end();
        const bool is_early = id == s.end_id && made <= static_cast<std::size_t>(s.search.min_new_tokens);
        Sequence whole = read;
        whole.push_back(id);
        if (is_suppressed || is_early ||
            (s.search.no_repeat_ngram_size > 0 && repeats(whole, s.search.no_repeat_ngram_size)))
          continue;
        NaiveHypothesis longer = h;
        longer.ids.push_back(id);
        longer.sum += next[id];
        all.push_back(std::move(longer));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.sum > b.sum; });
    live.clear();
    for (std::size_t rank = 0; rank < std::min(all.size(), 2 * beams) && live.size() < beams; ++rank) {
      const bool is_end = all[rank].ids.back() == s.end_id;
      if (is_end || made == room) {
        if (rank < beams) keep(all[rank]);
      } else {
        live.push_back(all[rank]);
      }
    }
    if (live.empty()) break;
    if (!stops || kept.size() < beams) continue;
    if (s.search.early_stopping == BeamStopping::first) break;
    if (live[0].sum / length_penalty(s, static_cast<std::int64_t>(made)) <= kept.back().score) break;
  }
  kept.resize(std::min(kept.size(), static_cast<std::size_t>(s.n_best)));
  return kept;
}

std::vector<Sequence> ragged_sources(std::size_t count) {
  std::vector<Sequence> sources;
  for (std::size_t i = 0; i < count; ++i) {
    Sequence ids(1 + i * 5 % 9);
    for (std::size_t t = 0; t < ids.size(); ++t)
      ids[t] = static_cast<std::int32_t>((7 * i + 3 * t * t + 4) % 19);
    sources.push_back(ids);
  }
  return sources;
}

std::vector<GenerationSettings> search_cases() {
  std::vector<GenerationSettings> all;
  const GenerationSettings plain{
      .search = {.num_beams = 4}, .n_best = 4, .end_id = 3, .suppress_tokens = {0, 2}};
  for (const double alpha : {1.0, 0.6, 0.0, -0.7}) {
    all.push_back(plain);
    all.back().search.length_penalty = alpha;
  }
  all.push_back(plain);
  all.back().search.length_penalty_kind = LengthPenaltyKind::gnmt;
  all.push_back(plain);
  all.back().search.early_stopping = BeamStopping::first;
  all.push_back(plain);
  all.back().search.min_new_tokens = 4;
  all.back().n_best = 2;
  all.push_back(plain);
  all.back().search.no_repeat_ngram_size = 2;
  all.back().search.num_beams = all.back().n_best = 3;
  all.push_back(plain);
  all.back().search.no_repeat_ngram_size = 1;
  all.push_back(plain);
  all.back().search.max_length_ratio = 1.3;
  all.push_back(plain);
  all.back().search.max_new_tokens = 5;
  all.back().search.num_beams = 7;
  all.push_back(plain);
  all.back().search.num_beams = all.back().n_best = 30;  // more than there are words
  all.back().search.max_new_tokens = 3;
  for (const double alpha : {1.0, -0.5}) {
    for (const std::int64_t n_best : {1, 3}) {
      all.push_back(plain);
      all.back().search.early_stopping = BeamStopping::never;
      all.back().search.length_penalty = alpha;
      all.back().n_best = n_best;
    }
  }
  return all;
}

void check_hypotheses(const Hypotheses& found, const std::vector<NaiveHypothesis>& wanted,
                      std::int32_t end_id) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Sequence ids = found[i].ids;
    if (found[i].is_ended) ids.push_back(end_id);
    INFO("number ", i);
    CHECK(ids == wanted[i].ids);
    CHECK(std::abs(found[i].score - wanted[i].score) <= 1e-4 * (1 + std::abs(wanted[i].score)));
    CHECK(found[i].token_log_probabilities.size() == ids.size());
    double sum = 0;
    for (const double of_token : found[i].token_log_probabilities) sum += of_token;
    CHECK(std::abs(sum - found[i].log_probability) <= 1e-9);
  }
}

bool same_hypotheses(const Hypotheses& a, const Hypotheses& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hypothesis& p, const Hypothesis& q) {
    return p.ids == q.ids && p.is_ended == q.is_ended && p.score == q.score &&
           p.token_log_probabilities == q.token_log_probabilities;
  });
}

Decoder decoder_of(const Ensemble& ensemble) {
  DecodingModels models;
  for (const RandomTranslator* member : ensemble)
    models.push_back(std::make_unique<const DecodingModel>(member->model, member->type));
  return Decoder(std::move(models));
}

// Some with a prefix.
Prompts prompts_of_sources(const std::vector<Sequence>& sources) {
  Prompts prompts;
  prompts.clear();
  for (std::size_t i = 0; i < sources.size(); ++i)
    prompts.add(sources[i], i % 4 == 1 ? Sequence{kStart, 5, 9} : Sequence{kStart});
  prompts.finish();
  return prompts;
}

}  // namespace

TEST_CASE("beam search with caches finds what a naive one without finds") {
  for (const TranslatorCase& of : kTranslators) {
    const RandomTranslator random(of.norm, of.type);
    Decoder decoder(random.model, of.type);
    const std::vector<Sequence> sources = ragged_sources(9);
    const Prompts prompts = prompts_of_sources(sources);
    std::size_t number = 0;
    for (const GenerationSettings& settings : search_cases()) {
      const std::vector<Hypotheses> found = decoder.decode(prompts, settings);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        INFO(std::string(name_of(of.norm)), of.type == ComputeType::int8 ? " in int8, case " : ", case ",
             number, ", sentence ", s);
        const auto prompt = prompts.target.sequence(static_cast<Index>(s));
        check_hypotheses(found[s],
                         search_naively({&random}, sources[s], {prompt.begin(), prompt.end()}, settings,
                                        settings.search.early_stopping != BeamStopping::never),
                         settings.end_id);
      }
      ++number;
    }
  }
}

TEST_CASE("beam search gives the same bits in any batch, on any threads and on every code path") {
  const std::vector<Sequence> sources = ragged_sources(32);
  const Prompts prompts = prompts_of_sources(sources);
  for (const ComputeType type : {ComputeType::float32, ComputeType::int8}) {
    const RandomTranslator random(NormPlacement::post);
    Decoder decoder(random.model, type);
    for (const GenerationSettings& settings : search_cases()) {
      const std::vector<Hypotheses> expected = decoder.decode(prompts, settings);
      const auto check = [&](Index batch) {
        for (Index begin = 0; begin < 32; begin += batch) {
          const std::vector<Hypotheses> found = decoder.decode(prompts.part(begin, begin + batch), settings);
          for (std::size_t s = 0; s < found.size(); ++s)
            CHECK(same_hypotheses(found[s], expected[static_cast<std::size_t>(begin) + s]));
        }
      };
      check(1);
      check(8);
      for (const int threads : {1, 3}) ThreadPool(threads).run([&] { check(32); });
      const kernels::Isa before = kernels::active_isa();
      for (const kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
        if (!kernels::isa_available(isa)) continue;
        kernels::set_isa(isa);
        check(32);
      }
      kernels::set_isa(before);
    }
  }
}

TEST_CASE("one beam, greedy decoding with scores and without are one") {
  for (const TranslatorCase& of : kTranslators) {
    const RandomTranslator random(of.norm, of.type);
    Decoder decoder(random.model, of.type);
    const std::vector<Sequence> sources = ragged_sources(32);
    const Prompts prompts = prompts_of_sources(sources);
    GenerationSettings settings{.end_id = 3, .suppress_tokens = {0, 2}};
    const std::vector<Hypotheses> plain = decoder.decode(prompts, settings);
    settings.wants_scores = true;
    const std::vector<Hypotheses> scored = decoder.decode(prompts, settings);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      CHECK(plain[s][0].ids == scored[s][0].ids);
      CHECK(plain[s][0].is_ended == scored[s][0].is_ended);
      const auto prompt = prompts.target.sequence(static_cast<Index>(s));
      settings.search.early_stopping = BeamStopping::first;
      check_hypotheses(scored[s],
                       search_naively({&random}, sources[s], {prompt.begin(), prompt.end()}, settings, true),
                       3);
    }
  }
}

TEST_CASE("an ensemble finds what a naive search by the mean of log-probabilities finds") {
  const RandomTranslator first(NormPlacement::post), second(NormPlacement::pre, ComputeType::float32, 8),
      third(NormPlacement::post, ComputeType::int8, 9);
  const std::vector<Sequence> sources = ragged_sources(9);
  const Prompts prompts = prompts_of_sources(sources);
  std::vector<GenerationSettings> cases = search_cases();
  cases.push_back({.search = {.early_stopping = BeamStopping::first}, .wants_scores = true, .end_id = 3});
  for (const Ensemble& ensemble : {Ensemble{&first, &second}, Ensemble{&third, &first, &second}}) {
    Decoder decoder = decoder_of(ensemble);
    for (const GenerationSettings& settings : cases) {
      const std::vector<Hypotheses> found = decoder.decode(prompts, settings);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        INFO(ensemble.size(), " models, ", settings.search.num_beams, " beams, sentence ", s);
        const auto prompt = prompts.target.sequence(static_cast<Index>(s));
        check_hypotheses(found[s],
                         search_naively(ensemble, sources[s], {prompt.begin(), prompt.end()}, settings,
                                        settings.search.early_stopping != BeamStopping::never),
                         settings.end_id);
      }
    }
  }
}

TEST_CASE("an ensemble of a model with itself gives the bits of the model") {
  const Prompts prompts = prompts_of_sources(ragged_sources(32));
  const std::vector<std::uint64_t> numbers(32, 5);
  for (const ComputeType type : {ComputeType::float32, ComputeType::int8}) {
    const RandomTranslator random(NormPlacement::post, type);
    std::vector<GenerationSettings> cases = search_cases();
    for (const std::int64_t beams : {1, 4}) {
      cases.push_back({.search = {.num_beams = beams}, .wants_scores = true, .suppress_tokens = {0, 2}});
      cases.push_back(cases.back());
      cases.back().repetition_penalty = 1.3;
      cases.back().renormalizes = true;
    }
    for (const std::size_t copies : {2, 3, 7}) {
      Decoder alone(random.model, type), together = decoder_of(Ensemble(copies, &random));
      const auto check = [&](const std::vector<Hypotheses>& found, const std::vector<Hypotheses>& wanted) {
        for (std::size_t s = 0; s < wanted.size(); ++s) CHECK(same_hypotheses(found[s], wanted[s]));
      };
      for (const GenerationSettings& settings : cases)
        check(together.decode(prompts, settings), alone.decode(prompts, settings));
      const Sampler sampler({.repetition_penalty = 1.2, .temperature = 1.5, .top_k = 9});
      const GenerationSettings settings{.wants_scores = true};
      check(together.decode(prompts, settings, {sampler, numbers}),
            alone.decode(prompts, settings, {sampler, numbers}));
    }
  }
}
