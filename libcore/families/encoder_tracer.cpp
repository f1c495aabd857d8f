#include "families/encoder_tracer.hpp"

#include <algorithm>
#include <utility>

#include "data/class_batch.hpp"
#include "support/error.hpp"

namespace headwater {

EncoderTracer::EncoderTracer(std::string name, const TextEncoder& encoder, const std::filesystem::path& files)
    : name_(std::move(name)), encoder_(encoder) {
  const std::string& mixing = encoder.settings().mixing.mixing;
  if (mixing == "attention") return;
  throw Error(files.string() + ": holds a " + name_ + " with mixing: " + mixing + ", which has no attention");
}

void EncoderTracer::check(const AttentionSelection& selection) const {
  if (selection.kind && *selection.kind != AttentionKind::encoder) {
    throw UsageError("--kind " + std::string(name_of(*selection.kind)) + ": a " + name_ +
                     " has encoder attention only");
  }
  if (selection.head) check_below("head", *selection.head, encoder_.settings().transformer.heads);
  if (selection.layer) check_below("layer", *selection.layer, encoder_.settings().encoder_layers);
}

void EncoderTracer::visit(Arena& arena, std::span<const AttentionExample> examples,
                          const AttentionSelection& selection, const UseHeads& use) const {
  const auto is_pair = [&](const AttentionExample& example) {
    return example.source_second > 0 && encoder_.settings().segments == 2;
  };
  const auto pairs = std::ranges::count_if(examples, is_pair);
  if (pairs > 0 && pairs < std::ssize(examples)) {  // a batch is of one kind
    for (std::size_t i = 0; i < examples.size(); ++i) {
      visit(arena, examples.subspan(i, 1), selection,
            [&](std::size_t, const AttentionHeads& heads) { use(i, heads); });
    }
    return;
  }
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  ClassBatch batch;
  batch.clear();
  for (const AttentionExample& example : examples) {
    const Index length = encoder_.padded_length(static_cast<Index>(example.source_ids.size()));
    if (pairs > 0) {
      batch.add_pair(example.source_ids, example.source_second, length);
    } else {
      batch.add(example.source_ids, length);
    }
  }
  batch.finish();
  std::vector<AttentionTrace> traces;
  encoder_({tape}, batch.source, batch.segment_of, batch.words, &traces);
  const Tokenizer& tokenizer = source_tokenizer();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    AttentionExample padded = examples[i];
    const Index length = batch.source.offsets[i + 1] - batch.source.offsets[i];
    padded.source_tokens.resize(static_cast<std::size_t>(length), tokenizer.surface(tokenizer.pad_id()));
    use(i, AttentionHeads(traces, encoder_.settings().transformer.heads, arena, padded, selection, {},
                          static_cast<Index>(i)));
  }
}

}  // namespace headwater
