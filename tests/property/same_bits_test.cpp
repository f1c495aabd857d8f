// The same bits for any number of threads, vector width, batch, and with or without caches
// (libcore/README.md, decisions 2 and 5).
#include <doctest/doctest.h>

#include <utility>

#include "decode_greedily.hpp"
#include "same_bits.hpp"
#include "small_run.hpp"
#include "start_prompts.hpp"
#include "support/parallel.hpp"

using namespace headwater;

namespace {

constexpr std::int64_t kVocabulary = 337;  // no multiple of a tile

struct Outcome {
  std::vector<Real> values;
  LossTotals validation;
};

Outcome train_on(int threads, const Recipe& recipe) {
  SmallRun run(recipe, copy_pairs(200, 39, kVocabulary, 5), copy_pairs(70, 39, kVocabulary, 6), kVocabulary);
  Outcome outcome;
  ThreadPool pool(threads);
  pool.run([&] {
    Trainer trainer(run.recipe, run.objective, nullptr);
    trainer.warm_up();
    trainer.run({});
    outcome.validation = trainer.validate();
  });
  outcome.values = values_of(run.model);
  return outcome;
}

void check_equal(const Outcome& a, const Outcome& b) {
  CHECK(same_bits(a.values, b.values));
  CHECK(a.validation.loss == b.validation.loss);
  CHECK(a.validation.correct == b.validation.correct);
}

std::int64_t length_of(const Recipe& recipe) {
  return recipe.model.as<EncoderDecoderSettings>().transformer.length;
}

// A model with values far from those of the initializer, so that attention and argmax have something to
// decide.
struct Trained {
  SmallRun run;
  Arena arena;
  explicit Trained(const Recipe& recipe, std::int64_t vocabulary = 41)
      : run(recipe, copy_pairs(160, length_of(recipe) - 1, vocabulary, 7),
            copy_pairs(8, length_of(recipe) - 1, vocabulary, 8), vocabulary) {
    Trainer(run.recipe, run.objective, nullptr).run({});
  }
};

struct Logits {
  std::vector<std::vector<Real>> of;  // of each sequence, [T, V]
};

// Logits of each pair's target, computed in batches of `batch` pairs.
Logits logits_in_batches(const EncoderDecoder& model, const std::vector<Pair>& pairs, std::size_t batch) {
  Arena arena;
  Logits result;
  for (std::size_t at = 0; at < pairs.size(); at += batch) {
    std::vector<Sequence> sources, targets;
    for (std::size_t i = at; i < std::min(at + batch, pairs.size()); ++i) {
      sources.push_back(pairs[i].source);
      targets.push_back({pairs[i].target.begin(), pairs[i].target.end() - 1});
    }
    const PackedTokens source = packed(sources), target = packed(targets);
    arena.reset();
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const Variable logits =
        model.logits(context, model.decode(context, target, model.encode(context, source)));
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const Matrix rows = logits.value().rows_between(target.offsets[s], target.offsets[s + 1]);
      result.of.emplace_back(rows.data, rows.data + rows.rows * rows.cols);
    }
  }
  return result;
}

// Greedy decoding without caches: the whole prefix again at each step.
Sequence decode_slowly(const EncoderDecoder& model, const Sequence& source_ids,
                       const GenerationSettings& settings) {
  Arena arena;
  Sequence prefix{settings.start_id};
  const PackedTokens source = packed({source_ids});
  while (static_cast<Index>(prefix.size()) <= model.length()) {
    arena.reset();
    const PackedTokens target = packed({prefix});
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const Variable logits =
        model.logits(context, model.decode(context, target, model.encode(context, source)));
    const Real* const row = logits.value().row(logits.rows() - 1);
    std::int32_t best = -1;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(logits.cols()); ++id) {
      if (std::find(settings.suppress_tokens.begin(), settings.suppress_tokens.end(), id) !=
          settings.suppress_tokens.end())
        continue;
      if (best < 0 || row[id] > row[best]) best = id;
    }
    if (best == settings.end_id) break;
    prefix.push_back(best);
  }
  return {prefix.begin() + 1, prefix.end()};
}

}  // namespace

TEST_CASE("training gives the same bits on 1, 2, 3 and 8 threads") {
  for (const auto& [optimizer, shared] : {std::pair{"rmsprop", SharedEmbeddings::none},
                                          {"adam", SharedEmbeddings::none},
                                          {"adam", SharedEmbeddings::all},
                                          {"sgd", SharedEmbeddings::target_output}}) {
    Recipe recipe = wide_recipe(optimizer);
    recipe.model.as<EncoderDecoderSettings>().share_embeddings = shared;
    const Outcome one = train_on(1, recipe);
    for (const int threads : {2, 3, 8}) {
      INFO(optimizer, " on ", threads, " threads, shared: ", std::string(name_of(shared)));
      check_equal(train_on(threads, recipe), one);
    }
  }
}

TEST_CASE("training with neighbours alone gives the same bits on 1 and 3 threads") {
  for (const char* mixing : {"attention", "convolution"}) {
    Recipe recipe = wide_recipe("adam");
    EncoderDecoderSettings& settings = recipe.model.as<EncoderDecoderSettings>();
    settings.mixing = {.mixing = mixing, .kernel_size = 5};
    if (std::string(mixing) == "attention") settings.transformer.attention_window = 9;
    INFO(mixing);
    check_equal(train_on(3, recipe), train_on(1, recipe));
  }
}

TEST_CASE("training of recurrent translators gives the same bits on 1 and 3 threads, with every code path") {
  const kernels::Isa widest = kernels::active_isa();
  for (const bool has_attention : {false, true}) {
    Recipe recipe = recurrent_recipe(has_attention);
    recipe.training.batch_sequences = 64;
    INFO("attention ", has_attention);
    const Outcome expected = train_on(1, recipe);
    check_equal(train_on(3, recipe), expected);
    for (const kernels::Isa isa : {kernels::Isa::avx2, kernels::Isa::portable}) {
      if (!kernels::isa_available(isa) || isa == widest) continue;
      kernels::set_isa(isa);
      check_equal(train_on(2, recipe), expected);
      kernels::set_isa(widest);
    }
  }
}

TEST_CASE("another seed gives other bits") {
  Recipe recipe = wide_recipe("rmsprop");
  const Outcome one = train_on(2, recipe);
  recipe.seed += 1;
  CHECK(!same_bits(train_on(2, recipe).values, one.values));
}

TEST_CASE("training gives the same bits with every code path" * doctest::test_suite("native")) {
  const kernels::Isa widest = kernels::active_isa();
  for (const char* optimizer : {"rmsprop", "adam", "adamw", "sgd"}) {
    Recipe recipe = wide_recipe(optimizer);
    recipe.training.optimizer.momentum = 0.9;
    recipe.training.optimizer.weight_decay = 0.01;
    recipe.training.optimizer.global_clipnorm = 1;
    recipe.training.ema_decay = 0.9;  // of validation
    recipe.model.as<EncoderDecoderSettings>().transformer.activation =
        std::string(optimizer) == "adamw" ? ops::Activation::gelu : ops::Activation::relu;
    recipe.model.as<EncoderDecoderSettings>().share_embeddings =
        std::string(optimizer) == "adam" ? SharedEmbeddings::all : SharedEmbeddings::none;
    recipe.training.r_drop = std::string(optimizer) == "adam" ? 5 : 0;
    const Outcome expected = train_on(2, recipe);
    for (const kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
      if (!kernels::isa_available(isa)) {
        MESSAGE(std::string(name_of(isa)), " is not available: skipped");
        continue;
      }
      if (isa == widest) continue;
      kernels::set_isa(isa);
      INFO(optimizer, " with ", std::string(name_of(isa)));
      check_equal(train_on(2, recipe), expected);
      kernels::set_isa(widest);
    }
  }
}

TEST_CASE("a sentence has the same logits alone and among 64") {
  for (const Recipe& recipe : decoder_recipes()) {
    const Trained trained(recipe);
    const std::vector<Pair> pairs = copy_pairs(64, length_of(recipe) - 1, 41, 9);
    const Logits alone = logits_in_batches(trained.run.model, pairs, 1);
    for (const std::size_t batch : {std::size_t{64}, std::size_t{5}}) {
      const Logits together = logits_in_batches(trained.run.model, pairs, batch);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        INFO("sentence ", i, " in batches of ", batch);
        CHECK(same_bits(alone.of[i], together.of[i]));
      }
    }
  }
}

TEST_CASE("a decoder with caches sees the logits of the full decoder") {
  for (const Recipe& recipe : decoder_recipes()) {
    Trained trained(recipe);
    const EncoderDecoder& model = trained.run.model;
    const std::vector<Pair> pairs = copy_pairs(20, length_of(recipe) - 1, 41, 10);
    const Logits full = logits_in_batches(model, pairs, pairs.size());
    std::vector<Sequence> sources;
    for (const Pair& pair : pairs) sources.push_back(pair.source);
    const PackedTokens source = packed(sources);
    Tape tape(trained.arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    DecoderState state(model, context, start_prompts(source, kStart), {.capacity = model.length()});
    for (Index position = 0; position < model.length(); ++position) {
      std::vector<Index> active;
      std::vector<std::int32_t> ids;
      for (std::size_t s = 0; s < pairs.size(); ++s) {
        if (static_cast<std::size_t>(position) + 1 >= pairs[s].target.size()) continue;
        active.push_back(static_cast<Index>(s));
        ids.push_back(pairs[s].target[position]);
      }
      if (active.empty()) break;
      const Variable logits = model.logits(context, state.step(context, active, ids));
      const std::size_t vocabulary = logits.cols();
      for (std::size_t b = 0; b < active.size(); ++b) {
        INFO("sequence ", active[b], " at position ", position);
        CHECK(same_bits(std::span<const Real>(logits.value().row(static_cast<Index>(b)), vocabulary),
                        std::span(full.of[active[b]])
                            .subspan(static_cast<std::size_t>(position) * vocabulary, vocabulary)));
      }
    }
  }
}

// What the output layer reads after ids 0 to n - 1 of a target and its source, read at once: [D].
std::vector<Real> read_at_once(const EncoderDecoder& model, const Sequence& source, const Sequence& target) {
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  const PackedTokens sources = packed({source}), targets = packed({target});
  const Matrix hidden = model.decode(context, targets, model.encode(context, sources)).value();
  const Real* const last = hidden.row(hidden.rows - 1);
  return {last, last + hidden.cols};
}

TEST_CASE("slots that are reordered, copied and dropped go on with the bits of their own sequences") {
  for (const Recipe& recipe : decoder_recipes()) {
    Trained trained(recipe);
    const EncoderDecoder& model = trained.run.model;
    constexpr Index kSlotsPerPrompt = 2;
    std::vector<Sequence> sources;
    Prompts prompts;  // the second begins with two words
    prompts.clear();
    for (const Pair& pair : copy_pairs(3, length_of(recipe) - 1, 41, 12)) {
      sources.push_back(pair.source);
      prompts.add(pair.source, sources.size() == 2 ? Sequence{kStart, 7, 9} : Sequence{kStart});
    }
    prompts.finish();
    Tape tape(trained.arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    DecoderState state(model, context, prompts,
                       {.capacity = model.length(), .slots_per_prompt = kSlotsPerPrompt});
    struct Read {
      std::size_t source;
      Sequence target;  // next: what the next step reads last
    };
    std::vector<Read> slots;
    for (std::size_t s = 0; s < 3; ++s) {
      for (Index i = 0; i < kSlotsPerPrompt; ++i) {
        const auto ids = prompts.target.sequence(static_cast<Index>(s));
        slots.push_back({s, {ids.begin(), ids.end()}});
      }
    }
    const std::vector<std::vector<Index>> orders = {
        {5, 4, 3, 2, 1, 0}, {0, 0, 0, 3, 3, 5}, {1, 2, 0, 5, 5, 5}, {4, 0, 4, 0}, {2, 2, 2, 2, 1, 3}};
    std::int32_t word = kFirstWord;
    for (const std::vector<Index>& order : orders) {
      std::vector<Index> every;
      std::vector<std::int32_t> ids;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        every.push_back(static_cast<Index>(i));
        ids.push_back(slots[i].target.back());
      }
      const Matrix hidden = state.step(context, every, ids).value();
      for (std::size_t i = 0; i < slots.size(); ++i) {
        INFO("slot ", i, " after ", slots[i].target.size(), " ids");
        const std::size_t width = hidden.cols;
        CHECK(same_bits(std::span<const Real>(hidden.row(static_cast<Index>(i)), width),
                        read_at_once(model, sources[slots[i].source], slots[i].target)));
      }
      state.reorder(order);
      std::vector<Read> next;
      for (const Index from : order) {
        next.push_back(slots[from]);
        next.back().target.push_back(word++);
      }
      slots = next;
      REQUIRE(state.slots() == static_cast<Index>(slots.size()));
    }
  }
}

TEST_CASE("greedy decoding with caches, in any batch, is greedy decoding without them") {
  for (const Recipe& recipe : decoder_recipes()) {
    Trained trained(recipe);
    const GenerationSettings settings{.start_id = kStart, .end_id = kEnd, .suppress_tokens = {0, 1, 2}};
    std::vector<Sequence> sources, slowly;
    for (const Pair& pair : copy_pairs(33, length_of(recipe), 41, 11)) sources.push_back(pair.source);
    for (const Sequence& source : sources)
      slowly.push_back(decode_slowly(trained.run.model, source, settings));
    CHECK(decode_greedily(trained.run.model, start_prompts(packed(sources), kStart), settings) == slowly);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      INFO("sentence ", s, " alone");
      CHECK(decode_greedily(trained.run.model, start_prompts(packed({sources[s]}), kStart), settings) ==
            std::vector<Sequence>{slowly[s]});
    }
  }
}

TEST_CASE("classifiers: the same bits for 1, 2, 3 and 8 threads and on every code path") {
  for (Recipe recipe : class_recipes()) {
    recipe.training.epochs = 2;
    INFO(model_name(recipe));
    const auto train = [&](int threads) {
      ClassRun run(recipe, 120, 9);
      Outcome outcome;
      ThreadPool(threads).run([&] {
        Trainer trainer(run.recipe, run.objective, nullptr);
        trainer.warm_up();
        trainer.run({});
        outcome.validation = trainer.validate();
      });
      const std::span<const Real> values = std::as_const(*run.model).parameters().values();
      outcome.values.assign(values.begin(), values.end());
      return outcome;
    };
    const Outcome one = train(1);
    for (const int threads : {2, 3, 8}) check_equal(one, train(threads));
    const kernels::Isa before = kernels::active_isa();
    for (const kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
      if (!kernels::isa_available(isa)) continue;
      kernels::set_isa(isa);
      check_equal(one, train(2));
    }
    kernels::set_isa(before);
  }
}
