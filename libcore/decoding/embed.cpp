#include "decoding/embed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "layers/transformer_stack.hpp"
#include "models/settings.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tensor/arena.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// Tokens that one thread computes together: their states stay in its caches from block to block.
constexpr std::size_t kBatchTokens = 512;

double dot(std::span<const Real> a, std::span<const Real> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

double cosine(std::span<const Real> a, std::span<const Real> b) {
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));  // of equal vectors the square itself: they have 1
  return lengths == 0 ? 0 : std::clamp(dot(a, b) / lengths, -1.0, 1.0);
}

void check_layer(const VectorSettings& settings, Index layers) {
  if (settings.layer.value_or(0) <= layers) return;
  throw UsageError("--layer " + std::to_string(*settings.layer) + ": the model has " +
                   counted(layers, "layer") + " (0: its embeddings)");
}

TextEmbeddings::TextEmbeddings(const TextStates& model, const VectorSettings& settings)
    : model_(model), settings_(settings) {
  check_layer(settings, model.layers());
  settings_.normalizes = settings.normalizes || (model.normalizes() && !settings.has_tokens);
  if (settings.compute_type == ComputeType::int8)
    packed_ = std::make_unique<PackedWeights>(model.parameters(), model.blocks(), ComputeType::int8);
}

LineVectors TextEmbeddings::vectors(std::span<const std::string> lines) {
  lines_ = lines.size();
  encode(lines);
  place_rows();
  cut_batches();
  const ArenaScope all(arena_);
  Arenas arenas(arena_, static_cast<std::size_t>(parallel_threads()));
  parallel_for(static_cast<std::int64_t>(batch_ends_.size()), [&](std::int64_t task) {
    const std::size_t batch = task;
    Arena& own = arenas.acquire();
    isolate([&] { run(own, batch == 0 ? 0 : batch_ends_[batch - 1], batch_ends_[batch]); });
    arenas.release(own);
  });
  const Index at = kernels::find_not_finite(static_cast<Index>(values_.size()), values_.data());
  if (at >= 0) {
    const auto line = std::ranges::upper_bound(offsets_, at / width()) - offsets_.begin() - 1;
    throw LineError(static_cast<std::size_t>(line), kOutputNotFinite);
  }
  return {{values_.data(), offsets_.back(), width()}, offsets_, ids_};
}

void TextEmbeddings::encode(std::span<const std::string> lines) {
  sources_.resize(std::max(sources_.size(), lines.size()));
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    const std::size_t line = i;
    model_.source_ids(lines[line], sources_[line]);
  });
  for (const SourceIds& source : std::span(sources_).first(lines.size())) {
    ++lines_so_far_;
    if (source.is_truncated) truncated_lines_.add(lines_so_far_);
    tokens_.add(source.ids, model_.tokenizer().special_ids());
  }
}

void TextEmbeddings::restart_counts() {
  lines_so_far_ = 0;
  truncated_lines_ = {};
  tokens_ = {};
}

void TextEmbeddings::place_rows() {
  offsets_.assign(1, 0);
  ids_.clear();
  for (const SourceIds& source : std::span(sources_).first(lines_)) {
    offsets_.push_back(offsets_.back() + (settings_.has_tokens ? std::ssize(source.ids) : 1));
    if (settings_.has_tokens) ids_.insert(ids_.end(), source.ids.begin(), source.ids.end());
  }
  values_.resize(offsets_.back() * width());
}

void TextEmbeddings::cut_batches() {
  order_.resize(lines_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, std::greater(),
                           [&](std::size_t line) { return sources_[line].ids.size(); });
  batch_ends_.clear();
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < lines_; ++i) {
    const std::size_t words = sources_[order_[i]].ids.size();
    tokens += std::max(words, static_cast<std::size_t>(model_.padded_length(static_cast<Index>(words))));
    if (tokens < kBatchTokens && i + 1 < lines_) continue;
    batch_ends_.push_back(i + 1);
    tokens = 0;
  }
}

void TextEmbeddings::run(Arena& arena, std::size_t begin, std::size_t end) {
  ClassBatch batch;
  batch.clear();
  const auto lines = std::span(order_).subspan(begin, end - begin);
  for (const std::size_t line : lines) {
    const std::vector<std::int32_t>& ids = sources_[line].ids;
    batch.add(ids, model_.padded_length(static_cast<Index>(ids.size())));
  }
  batch.finish();
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const Variable states = model_.states({.tape = tape, .packed = packed_.get()}, batch,
                                        settings_.layer.value_or(model_.layers()));
  const Matrix rows = rows_of({tape}, states, batch);
  if (settings_.normalizes) normalize_rows(rows);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Index from = settings_.has_tokens ? batch.source.offsets[i] : static_cast<Index>(i),
                to = offsets_[lines[i]], count = offsets_[lines[i] + 1] - to;
    std::copy_n(rows.row(from), count * width(), values_.data() + to * width());
  }
}

Matrix TextEmbeddings::rows_of(const ForwardContext& context, const Variable& states,
                               const ClassBatch& batch) const {
  if (settings_.has_tokens) return states.value();
  const ops::Pooling pooling = settings_.pooling.value_or(model_.pooling());
  const Variable pooled = ops::pool(context.tape, states, pooling, pack(context.tape, batch.rows));
  const bool is_own = !settings_.pooling && !settings_.layer;
  return (is_own ? model_.head(context, pooled) : pooled).value();
}

ImageEmbeddings::ImageEmbeddings(const LoadedVisionModel& model, const VectorSettings& settings)
    : model_(model), settings_(settings) {
  check_layer(settings, model.model->settings().layers);
  batch_.clear();
}

const ImagePipeline& ImageEmbeddings::pipeline_of(std::string_view where, const ImageShape& shape) {
  if (pipeline_ && pipeline_shape_ == shape) return *pipeline_;
  const VisionSettings& settings = model_.model->settings();
  try {
    pipeline_.emplace(settings.images, model_.statistics, shape, settings.image_shape());
  } catch (const Error& error) {
    throw Error(std::string(where) + ": " + error.what());
  }
  pipeline_shape_ = shape;
  return *pipeline_;
}

void ImageEmbeddings::add(std::string_view where, const ImageShape& shape,
                          std::span<const std::uint8_t> pixels) {
  const ImagePipeline& pipeline = pipeline_of(where, shape);
  batch_.add(pipeline.apply(pixels, nullptr, scratch_), model_.model->settings().grid());
  ++images_;
}

ConstMatrix ImageEmbeddings::vectors() {
  const VisionModel& model = *model_.model;
  const VisionSettings& settings = model.settings();
  batch_.finish(settings.grid(), settings.has_class_token());
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const ForwardContext context{tape};
  const Variable states = model.encoder().states(context, model.embed(context, batch_),
                                                 settings_.layer.value_or(settings.layers));
  const ops::Pooling own = settings.has_class_token() ? ops::Pooling::first : ops::Pooling::mean;
  const Matrix rows =
      settings_.has_tokens
          ? states.value()
          : ops::pool(tape, states, settings_.pooling.value_or(own), pack(tape, batch_.rows)).value();
  if (settings_.normalizes) normalize_rows(rows);
  const Index at = kernels::find_not_finite(rows.rows * rows.cols, rows.data);
  if (at >= 0)
    throw LineError(static_cast<std::size_t>(at / (rows.rows / images_ * rows.cols)), kOutputNotFinite);
  batch_.clear();
  images_ = 0;
  return rows;
}

}  // namespace headwater
