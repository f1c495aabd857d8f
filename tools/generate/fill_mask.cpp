#include "tools/generate/generate.hpp"

#include <span>

#include "cli/tool.hpp"
#include "decoding/fill_mask.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tools/search/options.hpp"

namespace headwater::generate {

namespace {

constexpr int kProbabilityDigits = 6;

// A column a mask: words as the tokenizer writes them, each with its probability after it, by spaces.
std::string columns_of(std::span<const MaskCandidates> masks, const Tokenizer& tokenizer) {
  std::string line;
  for (const MaskCandidates& mask : masks) {
    if (&mask != &masks.front()) line += '\t';
    for (const MaskCandidate& word : mask) {
      if (&word != &mask.front()) line += ' ';
      std::string label = tokenizer.token_label(tokenizer.surface(word.id));
      for (char& c : label) c = c == ' ' || c == '\t' ? '_' : c;
      line += label + ' ' + format_fixed(static_cast<double>(word.probability), kProbabilityDigits);
    }
  }
  return line;
}

// The line with the likeliest word of each mask in its place. A space that the word has in its token is left
// out where the text has one.
std::string filled(std::string_view text, std::span<const MaskCandidates> masks,
                   const LoadedMaskedLm& model) {
  std::string out;
  for (const MaskCandidates& mask : masks) {
    const std::size_t at = text.find(model.mask());
    out += text.substr(0, at);
    text.remove_prefix(at + model.mask().size());
    if (mask.empty()) continue;
    std::string word = model.tokenizer.token_text(model.tokenizer.surface(mask.front().id));
    if (word.starts_with(' ') && (out.empty() || out.ends_with(' '))) word.erase(0, 1);
    if (word.ends_with(' ') && (text.empty() || text.starts_with(' '))) word.pop_back();
    out += word;
  }
  return out += text;
}

std::string json_of(std::uint64_t number, const std::string& line, std::span<const MaskCandidates> masks,
                    const LoadedMaskedLm& model, bool is_truncated) {
  Json::Array of_masks;
  for (const MaskCandidates& mask : masks) {
    Json::Array words;
    for (const MaskCandidate& word : mask) {
      const std::string& surface = model.tokenizer.surface(word.id);
      words.push_back(Json()
                          .set("token", surface)
                          .set("text", model.tokenizer.token_text(surface))
                          .set("id", std::int64_t{word.id})
                          .set("probability", static_cast<double>(word.probability)));
    }
    of_masks.push_back(Json().set("words", std::move(words)));
  }
  Json json;
  json.set("version", 1).set("line", number).set("text", line);
  if (is_truncated) json.set("truncated", true);
  json.set("filled", filled(line, masks, model)).set("masks", std::move(of_masks));
  return json.dump();
}

}  // namespace

void fill_masks(ModelFolder folder, const std::vector<std::string>& text,
                const cli::LineReaderSettings& lines, const FillSettings& settings) {
  if (folder.family->task == Task::language_modeling)
    throw Error(folder.path.string() +
                ": holds a language model, which continues texts (leave out --fill-mask)");
  const ComputeType compute_type = search::compute_type_of(folder, settings.compute_type);
  const LoadedMaskedLm model = load_masked_lm(folder);
  MaskFiller filler(
      model,
      {.top_k = settings.top_k, .allows_unknown = settings.allows_unknown, .compute_type = compute_type});
  cli::LineReader reader(text, lines);
  reader.show_progress(settings.is_quiet);
  cli::LineWriter writer;
  std::uint64_t read = 0;
  reader.for_each_batch(settings.batch, [&](const std::vector<std::string>& batch) {
    const auto write = [&](std::size_t line, std::span<const MaskCandidates> masks) {
      writer.line(settings.is_json
                      ? json_of(read + line + 1, batch[line], masks, model, filler.is_truncated(line))
                      : columns_of(masks, model.tokenizer));
    };
    try {
      filler.fill(batch, write);
    } catch (const LineError&) {
      writer.flush();  // the lines before it
      throw;
    }
    read += batch.size();
    writer.flush();
  });
  if (settings.is_quiet) return;
  reader.note_dropped();
  cli::note_unknown_tokens(filler.tokens());
  cli::note_truncated_lines(filler.truncated_lines(), model.length);
}

}  // namespace headwater::generate
