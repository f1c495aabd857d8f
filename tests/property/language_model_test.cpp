// A language model with caches gives the bits of one without: prompts of any length, slots in any order.
#include "families/language_model/model.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "decode_greedily.hpp"
#include "every_word.hpp"
#include "families/config.hpp"
#include "families/language_model/directory.hpp"
#include "same_bits.hpp"
#include "small_run.hpp"
#include "support/parallel.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;

namespace {

constexpr Index kVocabulary = 37;

struct DecoderKind {
  NormPlacement norm;
  Positions positions;
  bool is_tied = false;
  const char* mixing = "attention";
  Index window = 0;
};

LanguageModelSettings settings_of(const DecoderKind& kind) {
  const bool is_tied = kind.is_tied;
  LanguageModelSettings settings;
  settings.mixing = {.mixing = kind.mixing, .kernel_size = 5};
  settings.transformer.attention_window = kind.window;
  settings.transformer.width = 24;
  settings.transformer.heads = 2;
  settings.transformer.head_width = kind.positions == Positions::rotary ? 10 : 9;
  settings.tie_embeddings = is_tied;
  settings.output_bias = !is_tied;
  settings.transformer.feed_forward_width = 40;
  settings.layers = 2;
  settings.transformer.length = 41;  // caches of three panels
  settings.transformer.norm = kind.norm;
  settings.transformer.positions = kind.positions;
  settings.transformer.activation = ops::Activation::gelu;
  return settings;
}

struct Random {
  LanguageModel model;
  explicit Random(const LanguageModelSettings& settings) : model(settings, kVocabulary) {
    model.parameters().allocate(false);
    model.parameters().initialize(1);
    // Large enough that the next token depends on the last ones.
    for (Real& value : model.parameters().values()) value *= 6;
  }
};

std::vector<LanguageModelSettings> kinds() {
  std::vector<LanguageModelSettings> all;
  for (const DecoderKind& kind : {DecoderKind{NormPlacement::pre, Positions::sinusoidal, true},
                                  {NormPlacement::pre, Positions::none, false},
                                  {NormPlacement::post, Positions::rotary, true},
                                  {NormPlacement::pre, Positions::rotary, false},
                                  {NormPlacement::pre, Positions::rotary, false, "attention", 7},
                                  {NormPlacement::post, Positions::none, true, "attention", 1},
                                  {NormPlacement::pre, Positions::none, true, "convolution"}})
    all.push_back(settings_of(kind));
  for (const auto& [name, section] :
       with_every_word(model_section(settings_of({NormPlacement::pre, Positions::learned})))) {
    if (!name.starts_with("mixing: ")) all.push_back(section.as<LanguageModelSettings>());
  }
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (!mixer->takes_steps) continue;
    all.push_back(
        settings_of({NormPlacement::post, mixer->is_recurrent ? Positions::none : Positions::learned}));
    all.back().mixing.mixing = mixer->name;
    fit_heads(all.back().transformer, *mixer);
  }
  all.push_back(settings_of({NormPlacement::post, Positions::none}));
  all.back().mixing = {.mixing = "gru", .reset_after = false};
  return all;
}
std::string name_of(const LanguageModelSettings& s) {
  Json config;
  write_settings(config, model_section(s).settings());
  return config.dump();
}

// Lengths 1, 4, 7, ...: the first has nothing before its last id.
std::vector<Sequence> texts(std::size_t count) {
  std::vector<Sequence> result;
  for (std::size_t i = 0; i < count; ++i) {
    Sequence ids(1 + 3 * i);
    for (std::size_t t = 0; t < ids.size(); ++t)
      ids[t] = static_cast<std::int32_t>((5 * i + 7 * t * t + 1) % kVocabulary);
    result.push_back(ids);
  }
  return result;
}

Prompts prompts_of(const std::vector<Sequence>& sequences) {
  Prompts prompts;
  prompts.clear();
  for (const Sequence& ids : sequences) prompts.add({}, ids);
  prompts.finish();
  return prompts;
}

// The logits after the last id of a text that is read at once: [V].
std::vector<Real> logits_after(const LanguageModel& model, const Sequence& ids) {
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const PackedTokens text = packed({ids});
  const ForwardContext context{tape};
  const Matrix logits = model.logits(context, model.decode(context, text)).value();
  const Real* const last = logits.row(logits.rows - 1);
  return {last, last + logits.cols};
}

// What is read of a text that slides, by its definition: it loses half a length as often as it must.
Sequence window_of(const LanguageModel& model, Sequence text) {
  const std::size_t length = model.length();
  while (text.size() > length)
    text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length / 2));
  return text;
}

Sequence continue_slowly(const LanguageModel& model, const Sequence& prompt,
                         const GenerationSettings& settings) {
  Sequence ids = prompt;
  while (settings.slides || static_cast<Index>(ids.size()) <= model.length()) {
    const std::vector<Real> logits = logits_after(model, window_of(model, ids));
    std::int32_t best = -1;
    for (std::int32_t id = 0; id < kVocabulary; ++id) {
      if (std::find(settings.suppress_tokens.begin(), settings.suppress_tokens.end(), id) !=
          settings.suppress_tokens.end())
        continue;
      if (best < 0 || logits[id] > logits[best]) best = id;
    }
    if (best == settings.end_id) break;
    ids.push_back(best);
    if (ids.size() - prompt.size() == static_cast<std::size_t>(settings.search.max_new_tokens)) break;
  }
  return {ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()), ids.end()};
}

// All prompts together on one thread and on two, and each third by itself: what the naive way finds.
void check_greedy(const LanguageModel& model, const std::vector<Sequence>& prompts,
                  const GenerationSettings& settings) {
  std::vector<Sequence> slowly;
  for (const Sequence& prompt : prompts) slowly.push_back(continue_slowly(model, prompt, settings));
  for (const int threads : {1, 2}) {
    ThreadPool(threads).run([&] { CHECK(decode_greedily(model, prompts_of(prompts), settings) == slowly); });
  }
  for (std::size_t i = 0; i < prompts.size(); i += 3)
    CHECK(decode_greedily(model, prompts_of({prompts[i]}), settings)[0] == slowly[i]);
}

}  // namespace

TEST_CASE("a language model that continues prompts with caches sees the logits of the whole text") {
  for (const LanguageModelSettings& kind : kinds()) {
    const Random random(kind);
    const LanguageModel& model = random.model;
    std::vector<Sequence> reads = texts(6);  // next: what the next step reads last
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    DecoderState state(model, context, prompts_of(reads), {.capacity = model.length()});
    for (int step = 0; step < 20; ++step) {
      std::vector<Index> slots;
      std::vector<std::int32_t> ids;
      for (Index s = 0; s < 6; ++s) {
        if ((step + s) % 4 == 0) continue;  // some of the slots
        slots.push_back(s);
        ids.push_back(reads[s].back());
      }
      const Matrix logits = model.logits(context, state.step(context, slots, ids)).value();
      for (std::size_t b = 0; b < slots.size(); ++b) {
        Sequence& read = reads[slots[b]];
        INFO(name_of(kind), ", slot ", slots[b], " after ", read.size(), " ids");
        const std::span<const Real> found(logits.row(static_cast<Index>(b)), std::size_t{kVocabulary});
        CHECK(same_bits(found, logits_after(model, read)));
        CHECK(state.length(slots[b]) == static_cast<Index>(read.size()));
        read.push_back(static_cast<std::int32_t>((11 * step + 3 * slots[b]) % kVocabulary));
      }
    }
  }
}

TEST_CASE("a long text through a ring of keys sees the logits of the whole text") {
  for (const Index window : {3, 64, 100}) {
    LanguageModelSettings settings =
        settings_of({NormPlacement::pre, Positions::rotary, false, "attention", window});
    settings.transformer.length = 500;
    const Random random(settings);
    Sequence text(499);
    for (std::size_t t = 0; t < text.size(); ++t)
      text[t] = static_cast<std::int32_t>((7 * t * t + t / 9 + 1) % kVocabulary);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const PackedTokens whole = packed({text});
    const Matrix expected = random.model.logits(context, random.model.decode(context, whole)).value();
    // One slot steps all the way; one reads most of it at once, and goes on as two.
    DecoderState state(random.model, context, prompts_of({{text[0]}, {text.begin(), text.begin() + 300}}),
                       {.capacity = 500, .slots_per_prompt = 2});
    for (std::size_t t = 0; t + 1 < text.size(); ++t) {
      const ArenaScope scope(arena);
      std::vector<Index> slots{0};
      std::vector<std::int32_t> ids{text[t]};
      const bool both = 299 + t < text.size();
      if (both) {
        slots.insert(slots.end(), {2, 3});
        ids.insert(ids.end(), 2, text[299 + t]);
      }
      const Matrix logits = random.model.logits(context, state.step(context, slots, ids)).value();
      for (Index b = 0; b < logits.rows; ++b) {
        const auto position = static_cast<Index>(b == 0 ? t : 299 + t);
        INFO("window ", window, ", position ", position);
        CHECK(same_bits(std::span<const Real>(logits.row(b), std::size_t{kVocabulary}),
                        std::span<const Real>(expected.row(position), std::size_t{kVocabulary})));
      }
    }
  }
}

TEST_CASE("prompts of a language model are shared by slots, which are reordered, copied and dropped") {
  for (const LanguageModelSettings& kind : kinds()) {
    const Random random(kind);
    const LanguageModel& model = random.model;
    const std::vector<Sequence> prompts = texts(3);
    std::vector<Sequence> reads;
    for (const Sequence& prompt : prompts) reads.insert(reads.end(), 3, prompt);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    DecoderState state(model, context, prompts_of(prompts),
                       {.capacity = model.length(), .slots_per_prompt = 3});
    const std::vector<std::vector<Index>> orders = {{8, 7, 6, 5, 4, 3, 2, 1, 0},
                                                    {0, 0, 0, 4, 4, 4, 8, 8, 8},
                                                    {1, 2, 0, 3, 3, 5, 7, 7, 7},
                                                    {6, 0, 3},
                                                    {2, 2, 2, 1, 1, 1, 0, 0, 0}};
    std::int32_t word = 1;
    for (int step = 0; step < 20; ++step) {
      const std::vector<Index>& order = orders[static_cast<std::size_t>(step) % orders.size()];
      std::vector<Index> slots;
      std::vector<std::int32_t> ids;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        slots.push_back(static_cast<Index>(i));
        ids.push_back(reads[i].back());
      }
      const Matrix logits = model.logits(context, state.step(context, slots, ids)).value();
      for (std::size_t i = 0; i < reads.size(); ++i) {
        INFO(name_of(kind), ", slot ", i, " after ", reads[i].size(), " ids");
        const std::span<const Real> found(logits.row(static_cast<Index>(i)), std::size_t{kVocabulary});
        CHECK(same_bits(found, logits_after(model, reads[i])));
      }
      state.reorder(order);
      std::vector<Sequence> next;
      for (const Index from : order) {
        next.push_back(reads[from]);
        next.back().push_back(word++ % static_cast<std::int32_t>(kVocabulary));
      }
      reads = next;
    }
  }
}

TEST_CASE("greedy continuation with caches, in any batch and on any threads, is the one without them") {
  for (const LanguageModelSettings& kind : kinds()) {
    const Random random(kind);
    for (const std::int64_t most : {0, 5}) {
      const GenerationSettings settings{
          .search = {.max_new_tokens = most}, .end_id = 3, .suppress_tokens = {0, 1}};
      std::vector<Sequence> prompts = texts(14);
      for (std::size_t i = 0; i < 14; ++i) prompts.push_back({static_cast<std::int32_t>(i), 5, 6});
      check_greedy(random.model, prompts, settings);
    }
  }
}

TEST_CASE("texts that slide, greedily continued with caches, are those of each window read at once") {
  for (const LanguageModelSettings& kind : kinds()) {
    const Random random(kind);
    for (const std::int64_t most : {1, 70}) {
      const GenerationSettings settings{
          .search = {.max_new_tokens = most}, .end_id = 3, .suppress_tokens = {0, 1}, .slides = true};
      std::vector<Sequence> prompts;
      for (const Sequence& text : texts(28)) {  // of up to 82 ids
        if (text.size() % 9 == 1) prompts.push_back(text);
      }
      prompts.push_back(Sequence(41, 5));
      prompts.push_back(Sequence(42, 6));
      check_greedy(random.model, prompts, settings);
    }
  }
}

TEST_CASE("texts that slide have, found with beams, the log-probabilities of their windows") {
  const Random random(settings_of({NormPlacement::pre, Positions::sinusoidal}));
  const GenerationSettings settings{.search = {.max_new_tokens = 70, .min_new_tokens = 60, .num_beams = 3},
                                    .end_id = 3,
                                    .suppress_tokens = {0, 1},
                                    .slides = true};
  const std::vector<Sequence> prompts = texts(20);
  Decoder decoder(random.model);
  const std::vector<Hypotheses> found = decoder.decode(prompts_of(prompts), settings);
  for (std::size_t i = 0; i < prompts.size(); i += 4) {
    const Hypothesis& best = found[i].front();
    REQUIRE(best.ids.size() >= 60);
    CHECK(decoder.decode(prompts_of({prompts[i]}), settings)[0].front().ids == best.ids);
    Sequence text = prompts[i];
    for (std::size_t t = 0; t < best.ids.size(); ++t) {
      const std::vector<Real> logits = logits_after(random.model, window_of(random.model, text));
      double sum = 0;
      for (const Real logit : logits) sum += std::exp(static_cast<double>(logit));
      const double expected = static_cast<double>(logits[best.ids[t]]) - std::log(sum);
      CHECK(std::abs(best.token_log_probabilities[t] - expected) <= 1e-4);
      text.push_back(best.ids[t]);
    }
  }
}

TEST_CASE("a prompt that is longer than the model's length, or empty, is refused") {
  const Random random(settings_of({NormPlacement::post, Positions::learned}));
  const auto refused = [&](const Sequence& prompt) {
    try {
      decode_greedily(random.model, prompts_of({{4, 5}, prompt}), {});
      return std::string("(no error)");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  CHECK(refused(Sequence(41, 4)) == "(no error)");
  CHECK(refused(Sequence(42, 4)) == "decoding: a prompt of 42 tokens, more than the model's length 41");
  CHECK(refused({}) == "decoding: prompt 1 has no token");
}
