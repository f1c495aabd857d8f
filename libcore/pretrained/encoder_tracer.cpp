#include "pretrained/encoder_tracer.hpp"

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

std::vector<AttentionRecord> EncoderTracer::trace(Arena& arena, const AttentionExample& example,
                                                  const AttentionSelection& selection) const {
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  ClassBatch batch;
  batch.clear();
  const Index length = encoder_.padded_length(static_cast<Index>(example.source_ids.size()));
  if (example.source_second > 0 && encoder_.settings().segments == 2) {
    batch.add_pair(example.source_ids, example.source_second, length);
  } else {
    batch.add(example.source_ids, length);
  }
  batch.finish();
  AttentionExample padded = example;
  const Tokenizer& tokenizer = source_tokenizer();
  padded.source_tokens.resize(batch.source.ids.size(), tokenizer.surface(tokenizer.pad_id()));
  std::vector<AttentionTrace> traces;
  encoder_({tape}, batch.source, batch.segment_of, batch.words, &traces);
  return attention_records(traces, encoder_.settings().transformer.heads, arena, padded, selection, {});
}

}  // namespace headwater
