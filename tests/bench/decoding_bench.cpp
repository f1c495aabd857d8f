// Decoding of a random translation model, for tests/bench/decoding.sh: width 128, 8 heads, 4 + 4 layers,
// feed-forward 512, 10,000 words; 20 source tokens and exactly 24 target tokens a sentence. Prints batch,
// beams, tokens a second, tokens a second of processor time.
//
//   decoding_bench [BATCH [BEAMS [THREADS [SECONDS [COMPUTE_TYPE]]]]]    1, 1, 2, 3, float32 (or int8)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "decoding/decoder.hpp"
#include "families/translator/model.hpp"
#include "start_prompts.hpp"
#include "support/parallel.hpp"

using namespace headwater;

namespace {

constexpr Index kWords = 10'000, kSourceTokens = 20, kTargetTokens = 24;

EncoderDecoderSettings model_settings() {
  EncoderDecoderSettings s;
  s.transformer.width = 128;
  s.transformer.heads = 8;
  s.transformer.feed_forward_width = 512;
  s.encoder_layers = s.decoder_layers = 4;
  s.transformer.length = 64;
  return s;
}

PackedTokens sources(Index batch) {
  PackedTokens packed;
  packed.clear();
  std::vector<std::int32_t> ids(kSourceTokens);
  std::uint64_t element = 0;
  for (Index s = 0; s < batch; ++s) {
    for (std::int32_t& id : ids)
      id = 4 + static_cast<std::int32_t>(random_uniform({.seed = 5}, element++) * (kWords - 4));
    packed.add(ids);
  }
  packed.finish();
  return packed;
}

struct Speed {
  double tokens, seconds, processor_seconds;
};

Speed measure(const EncoderDecoder& model, Index batch, Index beams, double seconds, ComputeType type) {
  using Clock = std::chrono::steady_clock;
  const Prompts prompts = start_prompts(sources(batch), 2);
  GenerationSettings settings;
  settings.end_id = -1;  // none: every sentence is as long as it may be
  settings.suppress_tokens = {0, 1, 2};
  settings.search.max_new_tokens = kTargetTokens;
  settings.search.num_beams = beams;
  Decoder decoder(model, type);
  decoder.decode(prompts, settings);  // pages and caches
  const auto begin = Clock::now();
  const std::clock_t begin_processor = std::clock();
  double tokens = 0, passed = 0;
  while (passed < seconds) {
    for (const Hypotheses& made : decoder.decode(prompts, settings))
      tokens += static_cast<double>(made.front().ids.size());
    passed = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return {tokens, passed, static_cast<double>(std::clock() - begin_processor) / CLOCKS_PER_SEC};
}

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int i, double otherwise) { return count > i ? std::atof(words[i]) : otherwise; };
  const auto batch = static_cast<Index>(number(1, 1));
  EncoderDecoder model(model_settings(), kWords, kWords);
  model.parameters().allocate(false);
  model.parameters().initialize(1);
  const auto beams = static_cast<Index>(number(2, 1));
  const ComputeType type =
      count > 5 && std::string_view(words[5]) == "int8" ? ComputeType::int8 : ComputeType::float32;
  ThreadPool pool(static_cast<int>(number(3, 2)));
  pool.run([&] {
    const Speed speed = measure(model, batch, beams, number(4, 3), type);
    std::printf("%lld\t%lld\t%.1f\t%.1f\n", static_cast<long long>(batch), static_cast<long long>(beams),
                speed.tokens / speed.seconds, speed.tokens / speed.processor_seconds);
  });
  return 0;
}
