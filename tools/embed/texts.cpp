// Lines of text: vectors of them, of their tokens, or the nearest lines of a file.
#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/embed/embed.hpp"

namespace headwater::embed {
namespace {

void write_tokens(const LineVectors& found, const Tokenizer& tokenizer, VectorWriter& writer) {
  std::vector<std::string> surfaces;
  for (std::size_t line = 0; line + 1 < found.offsets.size(); ++line) {
    const Index begin = found.offsets[line], end = found.offsets[line + 1];
    const auto ids = found.ids.subspan(begin, static_cast<std::size_t>(end - begin));
    surfaces.clear();
    for (const std::int32_t id : ids) surfaces.push_back(tokenizer.token_label(tokenizer.surface(id)));
    writer.add_tokens({found.vectors.row(begin), end - begin, found.vectors.cols}, surfaces, ids);
  }
}

class Texts {
 public:
  Texts(const Options& o, const ModelFolder& folder)
      : o_(o), model_(folder.family->states(folder)), embeddings_(*model_, settings_of(o)) {}

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
    const SearchedLines searched(o_, embeddings_);
    if (!o_.is_quiet && o_.vectors.empty()) note_searched();
    embeddings_.restart_counts();
    cli::ResultOutput output(o_.output);
    std::int64_t line = 0;
    for_each_batch([&](const std::vector<std::string>& lines) {
      output.write(searched.nearest(embeddings_.vectors(lines).vectors, line));
      output.flush();
      line += std::ssize(lines);
    });
    output.finish();
  }

  void write_duplicates() {
    const SearchedLines searched(o_, embeddings_);
    cli::ResultOutput output(o_.output);
    searched.for_each_duplicates([&](std::string_view text) { output.write(text); });
    output.finish();
    if (!o_.is_quiet && o_.vectors.empty()) note_texts();
  }

 private:
  template <class F>
  void for_each_batch(const F& f) {
    cli::LineReader reader(o_.inputs, o_.reader);
    const bool is_late = o_.format != "text" || !o_.output.empty();
    reader.show_progress(o_.is_quiet,
                         is_late ? cli::LineReader::Writes::at_the_end : cli::LineReader::Writes::meanwhile);
    reader.for_each_batch(o_.batch, f);
    if (o_.is_quiet) return;
    reader.note_dropped();
    note_texts();
  }

  void note_texts() {
    cli::note_unknown_tokens(embeddings_.tokens());
    cli::note_truncated_lines(embeddings_.truncated_lines(), model_->length());
  }

  // Notes on the file of --nearest, which name it: notes without a name are of the input.
  void note_searched() {
    const std::string file = shown(o_.nearest) + ": ";
    const ColumnTokenCounts counts{"", embeddings_.tokens()};
    if (const std::string unknown = cli::unknown_tokens({&counts, 1}); !unknown.empty())
      cli::warn(file + unknown);
    const TruncatedLines& lines = embeddings_.truncated_lines();
    if (lines.count() == 0) return;
    cli::warn(file + counted(lines.count(), "line") + " had more than " + std::to_string(model_->length()) +
              " tokens; the rest was left out" + lines.numbers());
  }

  const Options& o_;
  std::unique_ptr<TextStates> model_;
  TextEmbeddings embeddings_;
};

}  // namespace

void embed_texts(const Options& o, const ModelFolder& folder) {
  Texts texts(o, folder);
  if (o.duplicates) {
    texts.write_duplicates();
  } else {
    o.nearest.empty() ? texts.write_vectors() : texts.write_nearest();
  }
}

}  // namespace headwater::embed
