// A batch computed in 1, 2, 4 or 8 parts, by as many ranks or one, on any number of threads: the same
// parameters, optimizer state and log.
#include "layers/transformer_stack.hpp"
#include "property/model_runs.hpp"
#include "property/rank_runs.hpp"

using namespace headwater;
using namespace rank_runs;  // NOLINT: the tests' own helpers

TEST_CASE("padded positions of a batch's parts are those of its longest target") {
  std::vector<Pair> pairs = copy_pairs(6, 4, 20, 3);
  pairs[4] = copy_pairs(1, 9, 20, 5)[0];
  pairs[4].target.insert(pairs[4].target.begin() + 1, 9, kFirstWord);
  SmallRun run(small_recipe("adam"), pairs, pairs, 20);
  run.model.parameters().initialize(1);
  const std::vector<std::uint32_t> chosen{0, 1, 4, 5};
  Arena arena;
  const auto longest = static_cast<std::int64_t>(pairs[4].target.size()) - 1;
  std::int64_t positions = 0;
  for (const Index part : {0, 1}) {
    Tape tape(arena, Tape::Mode::inference);
    run.objective.prepare(Split::validation, chosen, {part, 2, 4}, BatchSlot::first);
    const LossTotals totals = run.objective.loss({tape}, Split::validation, BatchSlot::first);
    CHECK(totals.batch_positions == totals.sequences * longest);
    positions += totals.batch_positions;
  }
  CHECK(positions == 4 * longest);
}

namespace {

// A language model of one layer whose table embeds and predicts: the gradients of two uses meet, one of them
// dense.
class TiedObjective : public Objective {
 public:
  explicit TiedObjective(std::size_t count) : pairs_(copy_pairs(count, 9, kWords, 77)) {
    table_->is_table = true;
    parameters_.allocate(true);
  }
  Parameters& parameters() override { return parameters_; }
  std::int64_t width() const override { return 12; }
  std::size_t examples(Split split) const override { return split == Split::train ? pairs_.size() : 5; }
  std::int64_t tokens(Split, std::span<const std::uint32_t> chosen) const override {
    std::int64_t sum = 0;
    for (const std::uint32_t i : chosen) sum += static_cast<std::int64_t>(pairs_[i].source.size());
    return sum;
  }
  std::string data_hash() const override { return "made"; }
  void prepare(Split, std::span<const std::uint32_t> chosen, const BatchPart& part, BatchSlot slot) override {
    Packed& to = packed_[slot == BatchSlot::first ? 0 : 1];
    to.tokens.clear();
    Index predicted = 0;
    for (Index i = 0; i < part.sequences; ++i) {
      const Sequence& ids = pairs_[chosen[i]].source;
      predicted += static_cast<Index>(ids.size());
      if (i < part.begin()) to.tokens.skip(static_cast<Index>(ids.size()));
      if (i >= part.begin() && i < part.end()) to.tokens.add(ids);
    }
    to.tokens.finish(part);
    to.scale = Real(1) / static_cast<Real>(predicted);
  }
  LossTotals loss(const ForwardContext& context, Split, BatchSlot slot) override {
    const Packed& packed = packed_[slot == BatchSlot::first ? 0 : 1];
    Tape& tape = context.tape;
    const Variable x =
        ops::embed(tape, pack(tape, packed.tokens), packed.tokens.ids, *table_, 2, {}, ConstMatrix());
    const Variable twice = ops::linear(tape, ops::linear(tape, x, *weight_, nullptr), *weight_, nullptr);
    const Variable hidden = ops::dropout(tape, twice, Real(0.3), context.stream(Purpose::dropout, 1));
    const kernels::CrossEntropyTotals totals = ops::linear_transposed_cross_entropy(
        tape, hidden, *table_, bias_, packed.tokens.ids, Real(0.1), packed.scale);
    LossTotals result;
    result.loss = totals.loss;
    result.correct = totals.correct;
    result.predicted = result.useful = totals.tokens;
    return result;
  }

 private:
  static constexpr std::int64_t kWords = 40;
  struct Packed {
    PackedTokens tokens;
    Real scale = 0;
  };
  std::vector<Pair> pairs_;
  Parameters parameters_;
  Parameter* table_ = parameters_.declare("table", {kWords, 12}, kWords, 12, Initializer::embedding_uniform);
  Parameter* weight_ = parameters_.declare("weight", {12, 12}, 12, 12, Initializer::glorot_uniform, 12, 12);
  Parameter* bias_ = parameters_.declare("bias", {kWords}, 1, kWords, Initializer::zeros);
  Packed packed_[2];
};

struct TiedRun {
  TiedObjective objective{43};
};

}  // namespace

TEST_CASE("an encoder-decoder trained in parts has the bits of whole batches") {
  struct Variant {
    const char* optimizer;
    SharedEmbeddings shared;
    double r_drop = 0;
  };
  for (const auto& [optimizer, shared, r_drop] : {Variant{"rmsprop", SharedEmbeddings::none},
                                                  {"adam", SharedEmbeddings::none},
                                                  {"adam", SharedEmbeddings::all},
                                                  {"adam", SharedEmbeddings::none, 5},
                                                  {"adam", SharedEmbeddings::all, 5}}) {
    Recipe recipe = small_recipe(optimizer);
    recipe.training.r_drop = r_drop;
    recipe.model.as<EncoderDecoderSettings>().share_embeddings = shared;
    recipe.training.optimizer.global_clipnorm = 1;
    recipe.training.ema_decay = 0.9;
    // 21: parts of unlike size. 3: fewer sequences than shards, so that parts are empty.
    for (const std::int64_t batch : {21, 3}) {
      recipe.training.batch_sequences = batch;
      recipe.training.max_steps = 12;
      INFO(std::string(optimizer), ", batches of ", batch, ", shared: ", std::string(name_of(shared)),
           ", r_drop ", r_drop);
      check_parts(recipe, [&] {
        return std::make_unique<SmallRun>(recipe, copy_pairs(100, 8, 61, 41), copy_pairs(23, 8, 61, 42), 61);
      });
    }
  }
}

TEST_CASE("batches of so many tokens trained in parts") {
  Recipe recipe = small_recipe("adam");
  recipe.training.batch_sequences = 64;
  recipe.training.batch_tokens = 150;
  recipe.training.average_last = 2;
  check_parts(recipe, [&] {
    return std::make_unique<SmallRun>(recipe, copy_pairs(100, 8, 61, 41), copy_pairs(23, 8, 61, 42), 61);
  });
}

TEST_CASE("a wide encoder-decoder, whose tokens fill several chunks, trained in parts") {
  Recipe recipe = wide_recipe("rmsprop");
  recipe.training.log_every = 1;
  check_parts(recipe, [&] {
    return std::make_unique<SmallRun>(recipe, copy_pairs(128, 39, 337, 51), copy_pairs(20, 39, 337, 52), 337);
  });
}

TEST_CASE("classifiers of every mixing and head, and a bag of words, trained in parts") {
  for (Recipe recipe : class_recipes()) {
    recipe.training.epochs = 1;
    recipe.training.batch_sequences = 19;
    recipe.training.log_every = 1;
    INFO(model_name(recipe));
    check_parts(recipe, [&] { return std::make_unique<ClassRun>(recipe, 120, 9); });
  }
}

TEST_CASE("a language model trained in parts") {
  Recipe recipe = small_recipe("adam");
  LanguageModelSettings settings = small_language_model();
  recipe.model = model_section(settings);
  recipe.training.batch_sequences = 17;
  check_parts(recipe, [&] { return std::make_unique<LanguageModelRun>(recipe); });
  settings.padding = TrainingPadding::predicted;
  recipe.model = model_section(settings);
  check_parts(recipe, [&] { return std::make_unique<LanguageModelRun>(recipe); });
  settings.padding = TrainingPadding::none;
  settings.delimiter = "[SEP]";  // the loss of targets alone, which may leave parts without any
  recipe.model = model_section(settings);
  for (const std::int64_t batch : {17, 3}) {
    recipe.training.batch_sequences = batch;
    check_parts(recipe, [&] { return std::make_unique<LanguageModelRun>(recipe); });
  }
}

TEST_CASE("padding is predicted in training alone, and is no useful token") {
  Recipe recipe = small_recipe("adam");
  LanguageModelSettings settings = small_language_model();
  settings.padding = TrainingPadding::predicted;
  recipe.model = model_section(settings);
  LanguageModelRun run(recipe);
  run.model.parameters().initialize(1);
  const std::vector<std::uint32_t> chosen{0, 1, 2, 3, 4, 5, 6};
  for (const Split split : {Split::train, Split::validation}) {
    run.objective.prepare(split, chosen, BatchPart::whole(7), BatchSlot::first);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const LossTotals totals = run.objective.loss({tape, 1, 1}, split, BatchSlot::first);
    CHECK(totals.positions == 7 * 12);
    CHECK(totals.useful == run.objective.tokens(split, chosen));
    CHECK(totals.useful < totals.positions);
    CHECK(totals.predicted == (split == Split::train ? totals.positions : totals.useful));
    CHECK(totals.padded == (split == Split::train ? 0 : 7));
  }
}

TEST_CASE("models of images trained in parts") {
  for (const ImagePooling pooling : {ImagePooling::class_token, ImagePooling::flatten}) {
    Recipe recipe = small_recipe("adam");
    VisionSettings settings = small_vision();
    settings.pooling = pooling;
    recipe.model = model_section(settings);
    recipe.training.batch_sequences = 19;
    INFO(std::string(name_of(pooling)));
    check_parts(recipe, [&] { return std::make_unique<VisionRun>(recipe); });
  }
}

TEST_CASE("a model with shared parameters trained in parts") {
  for (const char* optimizer : {"rmsprop", "adam", "sgd"}) {
    Recipe recipe = small_recipe(optimizer);
    recipe.training.batch_sequences = 13;
    INFO(std::string(optimizer));
    check_parts(recipe, [] { return std::make_unique<TiedRun>(); });
  }
}

TEST_CASE("a run that was stopped goes on with another number of ranks") {
  Recipe recipe = small_recipe("rmsprop");
  recipe.training.ema_decay = 0.9;
  const auto make_run = [&] {
    return std::make_unique<SmallRun>(recipe, copy_pairs(100, 8, 61, 41), copy_pairs(23, 8, 61, 42), 61);
  };
  const Results whole = train(recipe, make_run()->objective, 1, 2);
  const ScratchDirectory scratch;
  train_on_ranks(scratch.path(), recipe, make_run, 4, 1, 5);
  train_on_ranks(scratch.path(), recipe, make_run, 1, 2, 12);
  train_on_ranks(scratch.path(), recipe, make_run, 8, 1, 20);
  train_on_ranks(scratch.path(), recipe, make_run, 2, 1);
  check_same(results_of(scratch.path()), whole);
}

TEST_CASE("ranks with other data or another recipe do not begin") {
  const Recipe recipe = small_recipe("adam");
  const auto error_of = [&](std::uint64_t data_seed, std::uint64_t seed, double rate) {
    try {
      on_ranks(2, [&](ProcessGroup& group) {
        const bool is_second = group.rank() == 1;
        Recipe own = recipe;
        own.training.optimizer.learning_rate = is_second ? rate : 2e-3;
        SmallRun run(own, copy_pairs(30, 8, 61, is_second ? data_seed : 41), copy_pairs(5, 8, 61, 42), 61);
        Recipe drawn = own;
        drawn.seed = is_second ? seed : recipe.seed;
        Trainer trainer(own, run.objective, nullptr, [&] { run.model.parameters().initialize(drawn.seed); },
                        {.group = &group, .rank = group.rank(), .size = 2});
        trainer.run({});
      });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(error_of(41, recipe.seed, 2e-3) == "nothing");
  CHECK(error_of(40, recipe.seed, 2e-3) ==
        "rank 1 has other examples than rank 0 (give all ranks the same command and the same files)");
  CHECK(error_of(41, 3, 2e-3) ==
        "rank 1 has other first weights than rank 0 (give all ranks the same command and the same files)");
  CHECK(error_of(41, recipe.seed, 3e-3) ==
        "rank 1 has another recipe than rank 0 (give all ranks the same command and the same files)");
}

TEST_CASE("the parts of a batch need less memory than the batch") {
  const auto arena_of = [](std::int64_t accumulate) {
    Recipe recipe = wide_recipe("rmsprop");
    recipe.training.accumulate = accumulate;
    SmallRun run(recipe, copy_pairs(200, 39, 337, 5), copy_pairs(4, 39, 337, 6), 337);
    return Trainer(run.recipe, run.objective, nullptr).warm_up();
  };
  const std::size_t whole = arena_of(1);
  CHECK(arena_of(2) < whole * 6 / 10);
  CHECK(arena_of(8) < whole / 4);
}
