#include "decoding/classify.hpp"

#include <algorithm>
#include <optional>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

// A batch goes through the model in parts of about so many tokens: memory depends on the longest line, and
// not on how many long ones come together.
constexpr Index kTokensAtOnce = 8192;

// The probability of each label by itself.
Matrix sigmoids(const Variable& logits) {
  kernels::activate(kernels::Activation::sigmoid, logits.value(), logits.value());
  return logits.value();
}

std::optional<std::size_t> not_finite_row(ConstMatrix rows) {
  const Index at = kernels::find_not_finite(rows.rows * rows.cols, rows.data);
  if (at < 0) return std::nullopt;
  return static_cast<std::size_t>(at / rows.cols);
}

}  // namespace

TextLabeller::TextLabeller(const LoadedClassifier& model, ComputeType compute_type) : model_(model) {
  if (compute_type == ComputeType::int8)
    packed_ = std::make_unique<PackedWeights>(model.model->parameters(), kEncoderBlocks, compute_type);
}

Matrix TextLabeller::probabilities(const std::vector<std::string>& lines) {
  if (model_.texts != Texts::one) {
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::string fault = fault_of_texts(model_.texts, lines[line]);
      if (!fault.empty()) throw LineError(line, fault);
    }
  }
  encode(lines);
  return probabilities_of_encoded(lines.size());
}

Matrix TextLabeller::probabilities_of_ids(const std::vector<std::span<const std::int32_t>>& texts) {
  sources_.resize(std::max(sources_.size(), texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (model_.around > 0) {
      add_template(model_.tokenizer, model_.around, texts[i], model_.length, sources_[i].ids,
                   model_.uncounted);
    } else {
      sources_[i].ids.assign(texts[i].begin(), texts[i].end());
    }
    sources_[i].is_empty = texts[i].empty();
    sources_[i].is_truncated = false;
    sources_[i].first = sources_[i].second = {};
  }
  return probabilities_of_encoded(texts.size());
}

Matrix TextLabeller::probabilities_of_encoded(std::size_t lines) {
  probabilities_.clear();
  batch_.clear();
  for (std::size_t line = 0; line < lines; ++line) {
    add_line(line);
    if (static_cast<Index>(batch_.source.ids.size()) >= kTokensAtOnce || line + 1 == lines) run_batch();
  }
  const Matrix rows(probabilities_.data(), static_cast<Index>(lines), model_.model->classes());
  if (const auto row = not_finite_row(rows)) throw LineError(*row, kOutputNotFinite);
  return rows;
}

void TextLabeller::run_batch() {
  batch_.finish();
  arena_.reset();
  Tape tape(arena_, Tape::Mode::inference);
  const ForwardContext context{.tape = tape, .packed = packed_.get()};
  const TextClassifier& model = *model_.model;
  const ConstMatrix rows = model_.gives_many_labels
                               ? sigmoids(model.head().logits(context, model.features(context, batch_)))
                               : model.probabilities(context, batch_);
  probabilities_.insert(probabilities_.end(), rows.data, rows.data + rows.rows * rows.cols);
  batch_.clear();
}

void TextLabeller::encode(const std::vector<std::string>& lines) {
  sources_.resize(std::max(sources_.size(), lines.size()));
  term_values_.resize(model_.terms ? sources_.size() : 0);
  counts_.resize(term_values_.size());
  parallel_for(static_cast<std::int64_t>(lines.size()), [&](std::int64_t i) {
    const std::size_t line = i;
    if (!model_.terms) {
      model_.source_ids(lines[line], sources_[line]);
      return;
    }
    TokenRow row;
    model_.tokenizer.for_each_token(lines[line], [&](std::string_view token) { row.add(token); });
    model_.terms->values(row, model_.terms->settings().output, term_values_[line]);
    counts_[line] = model_.terms->counts(row);
  });
}

void TextLabeller::add_line(std::size_t line) {
  ++lines_;
  if (model_.terms) {
    std::vector<std::int32_t>& ids = sources_[line].ids;
    ids.clear();
    for (const TermValue& value : term_values_[line]) {
      ids.push_back(value.term);
      batch_.values.push_back(value.value);
    }
    empty_lines_ += ids.empty() ? 1 : 0;
    batch_.add(ids);
    tokens_ += counts_[line];
    return;
  }
  const SourceIds& source = sources_[line];
  const std::vector<std::int32_t>& ids = source.ids;
  if (source.is_truncated) truncated_lines_.add(lines_);
  empty_lines_ += source.is_empty ? 1 : 0;
  tokens_.add(ids, model_.tokenizer.special_ids());
  const auto count = static_cast<Index>(ids.size()), length = model_.model->padded_length(count);
  if (model_.texts != Texts::one && model_.model->segments() == 2) {
    batch_.add_pair(ids, source.second.begin > 0 ? source.second.begin : count, length);
  } else {
    batch_.add(ids, length);
  }
}

std::vector<LabelProbability> TextLabeller::best(const float* probabilities, Index labels, Index count) {
  std::vector<LabelProbability> all(labels);
  for (Index label = 0; label < labels; ++label)
    all[label] = {static_cast<std::int32_t>(label), probabilities[label]};
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, labels));
  std::partial_sort(all.begin(), end, all.end(), [](const LabelProbability& a, const LabelProbability& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.label < b.label;
  });
  all.erase(end, all.end());
  return all;
}

ImageLabeller::ImageLabeller(const LoadedVisionModel& model, bool resizes_files)
    : model_(model), resizes_files_(resizes_files), reader_(model.reading) {}

ImagePipeline ImageLabeller::fitted(DecodedImage& image) const {
  const VisionSettings& settings = model_.model->settings();
  const bool is_published = settings.images.published.has_value();  // the pipeline resizes
  const auto has_other_sides_now = [&] {
    return image.shape.height != settings.image_height || image.shape.width != settings.image_width;
  };
  if (has_other_sides_now() && (resizes_files_ || is_published)) reader_.count_resized();
  if (resizes_files_ && !is_published) resize_image(image, settings.image_height, settings.image_width);
  convert_channels(image, settings.channels, "the image");
  const ImageShape& own = image.shape;
  const bool has_other_sides = has_other_sides_now();
  if (has_other_sides && !settings.images.takes_other_sizes()) {
    throw Error("an image of " + std::to_string(own.height) + "x" + std::to_string(own.width) +
                " pixels, the model reads " + std::to_string(settings.image_height) + "x" +
                std::to_string(settings.image_width) + " (give --resize)");
  }
  return {settings.images, model_.statistics, own, settings.image_shape()};
}

void ImageLabeller::prepare_file(const std::filesystem::path& path, std::span<Real> out) const {
  reader_.read(path, [&](DecodedImage& image) {
    try {
      ImagePipeline::Scratch scratch;
      std::ranges::copy(fitted(image).apply(image.pixels, nullptr, scratch), out.begin());
    } catch (const Error& error) {
      throw Error(shown(path) + ": " + error.what());
    }
  });
}

Matrix ImageLabeller::of_files(std::span<const std::filesystem::path> files) {
  const auto count = static_cast<std::int64_t>(files.size());
  const Matrix rows = label(count, [&](std::int64_t i, std::span<Real> out) { prepare_file(files[i], out); });
  if (const auto row = not_finite_row(rows))
    throw LineError(*row, shown(files[*row]) + ": " + kOutputNotFinite);
  return rows;
}

Matrix ImageLabeller::of_images(const ImageDataset& images, const ImagePipeline& pipeline, std::int64_t begin,
                                std::int64_t end) {
  const Matrix rows = label(end - begin, [&](std::int64_t i, std::span<Real> out) {
    ImagePipeline::Scratch scratch;
    std::ranges::copy(pipeline.apply(images.pixels(begin + i), nullptr, scratch), out.begin());
  });
  if (const auto row = not_finite_row(rows)) throw LineError(*row, kOutputNotFinite);
  return rows;
}

Matrix ImageLabeller::label(std::int64_t images, const Prepare& prepare) {
  const VisionSettings& settings = model_.model->settings();
  const Index at_once = std::max<Index>(1, kTokensAtOnce / settings.grid().patches());
  probabilities_.clear();
  for (Index begin = 0; begin < images; begin += at_once)
    run(begin, std::min(images, begin + at_once), prepare);
  return {probabilities_.data(), images, settings.classes};
}

void ImageLabeller::run(std::int64_t begin, std::int64_t end, const Prepare& prepare) {
  const VisionSettings& settings = model_.model->settings();
  const std::size_t count = end - begin;
  const std::size_t size = settings.image_shape().bytes();
  numbers_.resize(count * size);
  const auto numbers = [&](std::size_t i) { return std::span(numbers_).subspan(i * size, size); };
  std::vector<std::optional<std::string>> faults(count);
  parallel_for(end - begin, [&](std::int64_t task) {
    const std::size_t i = task;
    try {
      prepare(begin + task, numbers(i));
    } catch (const Error& error) {
      faults[i] = error.what();
    }
  });
  batch_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (faults[i].has_value()) throw LineError(static_cast<std::size_t>(begin) + i, *faults[i]);
    batch_.add(numbers(i), settings.grid());
  }
  batch_.finish(settings.grid(), settings.has_class_token(), BatchPart::whole(end - begin));
  const ArenaScope scope(arena_);
  Tape tape(arena_, Tape::Mode::inference);
  const ForwardContext context{tape};
  const VisionModel& model = *model_.model;
  const ConstMatrix rows = model_.gives_many_labels
                               ? sigmoids(model.logits(context, model.features(context, batch_)))
                               : model.probabilities(context, batch_);
  probabilities_.insert(probabilities_.end(), rows.data, rows.data + rows.rows * rows.cols);
}

}  // namespace headwater
