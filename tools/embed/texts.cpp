// Lines of text: vectors of them, of their tokens, or the nearest lines of a file.
#include <algorithm>
#include <numeric>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tools/embed/embed.hpp"

namespace headwater::embed {
namespace {

void write_tokens(const LineVectors& found, const Tokenizer& tokenizer, VectorWriter& writer) {
  std::vector<std::string> surfaces;
  for (std::size_t line = 0; line + 1 < found.offsets.size(); ++line) {
    const Index begin = found.offsets[line], end = found.offsets[line + 1];
    const auto ids =
        found.ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    surfaces.clear();
    for (const std::int32_t id : ids) surfaces.push_back(tokenizer.token_label(tokenizer.surface(id)));
    writer.add_tokens({found.vectors.row(begin), end - begin, found.vectors.cols}, surfaces, ids);
  }
}

// The lines of the file of --nearest with their vectors, each of the length 1.
class Neighbours {
 public:
  Neighbours(const Options& o, TextEmbeddings& embeddings) : width_(embeddings.width()) {
    cli::LineReader reader({o.nearest.string()}, cli::beside(o.reader, "turn TABs into spaces"));
    reader.for_each_batch(static_cast<std::size_t>(o.batch), [&](const std::vector<std::string>& lines) {
      const ConstMatrix found = embeddings.vectors(lines).vectors;
      values_.insert(values_.end(), found.data, found.data + found.rows * found.cols);
      lines_.insert(lines_.end(), lines.begin(), lines.end());
    });
    if (lines_.empty()) throw Error(shown(o.nearest) + ": has no lines (give one at least)");
    normalize_rows({values_.data(), std::ssize(lines_), width_});
    top_k_ = std::min<std::size_t>(static_cast<std::size_t>(o.top_k), lines_.size());
  }

  // Appends a line for each of the nearest, of line number `line` of the input.
  void append(std::string& out, std::int64_t line, std::span<const Real> vector) const {
    std::vector<double> cosines(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) cosines[i] = cosine(vector, row(i));
    std::vector<std::size_t> order(lines_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(top_k_);
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
      return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
    });
    for (const std::size_t i : std::span(order).first(top_k_)) {
      out += std::to_string(line) + "\t" + format_fixed(cosines[i], 4) + "\t" + std::to_string(i + 1) + "\t" +
             lines_[i] + "\n";
    }
  }

 private:
  std::span<const Real> row(std::size_t i) const {
    const auto width = static_cast<std::size_t>(width_);
    return {values_.data() + i * width, width};
  }

  Index width_;
  std::vector<std::string> lines_;
  std::vector<Real> values_;
  std::size_t top_k_ = 0;
};

class Texts {
 public:
  Texts(const Options& o, const ModelFolder& folder)
      : o_(o), model_(folder.kind->text_states(folder)), embeddings_(*model_, settings_of(o)) {}

  void write_vectors() {
    VectorWriter writer(o_, embeddings_.width());
    for_each_batch([&](const std::vector<std::string>& lines) {
      const LineVectors found = embeddings_.vectors(lines);
      if (o_.has_tokens) {
        write_tokens(found, model_->tokenizer(), writer);
      } else {
        writer.add(found.vectors);
      }
      writer.flush();
    });
    writer.finish();
  }

  void write_nearest() {
    const Neighbours neighbours(o_, embeddings_);
    cli::ResultOutput output(o_.output);
    std::int64_t line = 0;
    for_each_batch([&](const std::vector<std::string>& lines) {
      const ConstMatrix found = embeddings_.vectors(lines).vectors;
      std::vector<std::string> texts(lines.size());
      parallel_for(found.rows, [&](Index i) {
        const std::span<const Real> vector(found.row(i), static_cast<std::size_t>(found.cols));
        neighbours.append(texts[static_cast<std::size_t>(i)], line + i + 1, vector);
      });
      for (const std::string& text : texts) output.write(text);
      output.flush();
      line += found.rows;
    });
    output.finish();
  }

 private:
  template <class F>
  void for_each_batch(const F& f) {
    cli::LineReader reader(o_.inputs, o_.reader);
    const bool is_late = o_.format != "text" || !o_.output.empty();
    reader.show_progress(o_.is_quiet,
                         is_late ? cli::LineReader::Writes::at_the_end : cli::LineReader::Writes::meanwhile);
    reader.for_each_batch(static_cast<std::size_t>(o_.batch), f);
    if (o_.is_quiet) return;
    reader.note_dropped();
    cli::note_unknown_tokens(embeddings_.tokens());
    cli::note_truncated_lines(embeddings_.truncated_lines(), model_->length());
  }

  const Options& o_;
  std::unique_ptr<TextStates> model_;
  TextEmbeddings embeddings_;
};

}  // namespace

void embed_texts(const Options& o, const ModelFolder& folder) {
  if (o.is_resized) throw UsageError("--resize is for images, " + o.model + " reads texts");
  Texts texts(o, folder);
  o.nearest.empty() ? texts.write_vectors() : texts.write_nearest();
}

}  // namespace headwater::embed
