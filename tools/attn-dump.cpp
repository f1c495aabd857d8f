// attn-dump: the attention weights of a model as a table, an array or a picture. Manual:
// tools/attn-dump.md.
#include <algorithm>
#include <array>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "families/model_directory.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"
#include "tools/attn-dump/attn_dump.hpp"

namespace headwater::attn_dump {
namespace {

constexpr std::string_view kTexts = "a model of texts", kImages = "a model of images",
                           kTranslator = "a translator";

// The formats of a view for models of texts and of images; none: it is not for these. A row for each view, in
// the order of View.
struct ViewFormats {
  std::vector<Format> of_texts, of_images;
};

const ViewFormats& formats_of(View view) {
  using enum Format;
  static const std::array<ViewFormats, value_names<View>.size()> kFormats = {
      {{{csv, json, matrix, npy, svg, html}, {csv, json, matrix, npy, svg, html, png}},
       {{csv, json, svg}, {csv, json, svg}},
       {{svg}, {}},
       {{csv}, {}},
       {{csv, json, svg}, {csv, svg, png}},
       {{}, {csv, svg}}}};
  return kFormats[static_cast<std::size_t>(view)];
}

std::vector<std::string_view> names_of(const std::vector<Format>& formats) {
  std::vector<std::string_view> names;
  for (const Format format : formats) names.push_back(name_of(format));
  return names;
}

// Those of the view, whatever the model.
std::vector<Format> all_formats(View view) {
  std::vector<Format> all = formats_of(view).of_texts;
  for (const Format format : formats_of(view).of_images) {
    if (std::ranges::count(all, format) == 0) all.push_back(format);
  }
  return all;
}

// By what the name of -o ends in, where there is a choice. An alignment may have any name.
std::vector<std::string_view> endings_of(View view) {
  return names_of(view == View::alignments ? std::vector<Format>() : all_formats(view));
}

Format format_of(const Options& o) {
  if (o.typed_format) return *o.typed_format;
  const std::string_view first = name_of(all_formats(o.view).front());
  return value_of<Format>(cli::format_of_ending(o.output, endings_of(o.view), first)).value();
}

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory or checkpoint").required().reads_model();
  line.add_option(
          "text", o.texts,
          "text files, one text a line; of a model of images images, folders and data sets; - or none: "
          "standard input (texts, or paths of images)")
      .shown_as("[TEXT...|IMAGE...]")
      .reads_lines("the text");
  line.group("Output");
  line.add_option("--layer", o.layer, "only this layer, from 0").at_least(0);
  line.add_option("--head", o.head, "only this head, from 0").at_least(0);
  line.add_option("--kind", o.kind,
                  "only `encoder` (source looks at source), `decoder` (target at target, a language model's "
                  "text at itself) or `cross` (target at source)");
  line.group("Input");
  line.add_option("--target", o.target,
                  "what the decoder reads instead of its own translation (forced decoding): a file, line for "
                  "line, or else the text itself")
      .shown_as("TARGET")
      .reads()
      .is_of(kTranslator, o.of_kinds);
  line.group("Output");
  line.add_option("--view", o.view,
                  "`weights`; `heads`: [what each head looks at](#what-heads-look-at), over all texts or "
                  "images; `rollout` over all layers, of [texts](#rollout-of-a-text) or "
                  "[images](#where-a-model-of-images-looks); of texts `lines` between the tokens; of "
                  "translations `alignments`: [links between words](#alignments); of images `distance`: [how "
                  "far each head looks](#where-a-model-of-images-looks)")
      .with_default();
  line.add_option("--format", o.typed_format,
                  "how it is written ([below](#other-formats)); by default as the name of -o ends (`a.svg`; "
                  "`a.dat` is a matrix), or csv, of lines svg");
  line.condition(
      "svg", [&o] { return format_of(o) == Format::svg; }, "--format svg");
  line.add_flag("--mean", o.is_mean_over_heads, "one panel a layer, the mean over its heads")
      .goes_with("--view=weights,lines")
      .goes_with("svg");
  line.add_option("--min-weight", o.min_weight, "draw no weight below W (0.1)")
      .shown_as("W")
      .between(0, 1)
      .goes_with("--view=lines");
  line.add_option("-o,--output", o.output,
                  "where it goes instead of standard output; the name must not end as another format. Of svg "
                  "and npy also FOLDER/, a new folder with a picture, or arrays, of each text or image "
                  "([below](#other-formats))")
      .writes();
  line.group("Input");
  line.add_option("--first", o.first, "only the first N images").at_least(1).is_of(kImages, o.of_kinds);
  line.add_flag("--resize", o.is_resized,
                "resize the images of files to the size that the model reads, as `classify --resize` does")
      .is_of(kImages, o.of_kinds);
  line.group("Alignments");
  line.add_option(
          "--inverse", o.inverse,
          "a model that translates the other way, whose links are combined with these (grow-diag-final-and)")
      .reads_model();
  line.add_option("--inverse-layer", o.inverse_layer, "its layer, from 0 (the last)").at_least(0);
  line.add_option("--inverse-head", o.inverse_head, "its head, from 0 (the mean of all)").at_least(0);
  line.add_option("--gold", o.gold,
                  "links that people made, a line for each pair: print a table of how well every head agrees "
                  "with them, the best first")
      .reads();
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  line.is_of("--csv --column", kTexts, o.of_kinds);
  line.goes_without("--layer --head", "--view=rollout", "it goes through all of them");
  line.goes_without("--kind", "--view=alignments", "these link words");
  line.goes_with("--inverse --gold", "--view=alignments");
  line.goes_without("--view=rollout", "--kind=cross", "it follows a text through its layers");
  line.goes_with("--inverse-layer --inverse-head", "--inverse");
  line.goes_without("--gold", "--layer --head --inverse-layer --inverse-head", "it tries every one");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

AttentionSelection selection_of(const Options& o) {
  return {.layer = o.layer, .head = o.head, .kind = o.kind};
}

void check_options(const Options& o) {
  const bool has_parts = o.view != View::distance && o.view != View::heads &&
                         (o.format == Format::svg || (o.format == Format::npy && o.view == View::weights));
  if (writes_folder(o) && !has_parts)
    throw UsageError("-o FOLDER/ is for --format svg or npy, files for each text or image (name a file)");
  if (writes_folder(o)) return;
  const bool is_links = o.view == View::alignments && o.gold.empty();
  cli::check_format_ending(o.output, is_links ? "text" : name_of(o.format), endings_of(o.view));
}

// Once it is known what the model reads.
void check_model(const Options& o, Task task) {
  const bool is_of_images = task == Task::image_classification;
  o.of_kinds.check(o.model, {is_of_images ? kImages : kTexts, task == Task::translation ? kTranslator : ""});
  const ViewFormats& of_view = formats_of(o.view);
  const std::vector<Format>& formats = is_of_images ? of_view.of_images : of_view.of_texts;
  const std::string view = "--view " + std::string(name_of(o.view));
  const bool is_links = o.view == View::alignments;
  if (formats.empty() || (is_links && task != Task::translation))
    throw UsageError(view + " is for " +
                     std::string(is_links       ? kTranslator
                                 : is_of_images ? kTexts
                                                : kImages) +
                     ", " + o.model + " is none");
  if (std::ranges::count(formats, o.format) == 0)
    throw UsageError("--format " + std::string(name_of(o.format)) + " is not of " + view + " (" +
                     alternatives(names_of(formats)) + ")");
  if (is_links && o.target.empty())
    throw UsageError(view + " needs --target (the translations whose words are linked)");
}

}  // namespace

void note_large_picture(const Options& o, std::size_t bytes, std::int64_t pictures, std::string_view what) {
  constexpr std::size_t kMegabyte = 1000000, kLarge = 4 * kMegabyte;
  if (o.is_quiet || pictures < 2 || bytes < kLarge) return;
  const std::string place = o.output.empty() ? "" : cli::output_name(o.output) + ": ";
  cli::note(place + format_count(static_cast<std::int64_t>(bytes / kMegabyte)) + " MB, the picture of " +
            counted(pictures, what) + " (-o FOLDER/ writes one for each)");
}

namespace {

void run(const Options& given) {
  Options o = given;
  o.format = format_of(o);
  check_options(o);
  const AttentionSelection selection = selection_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool(o.threads).run([&] {
    const ModelFolder folder = open_model(o.model);
    cli::note_skipped_checkpoints(folder.skipped);
    check_model(o, folder.family->task);
    if (o.view == View::alignments) return dump_alignments(o, folder);
    const bool is_of_images = folder.family->task == Task::image_classification;
    (is_of_images ? dump_images : dump_texts)(o, selection, folder);
  });
}

}  // namespace
}  // namespace headwater::attn_dump

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::attn_dump;
  const cli::ToolDescription tool{
      "attn-dump",
      "write the attention weights of a translator, a classifier, a language model or a model of images",
      "echo \"Where is the station?\" | attn-dump models/spa-eng --layer 0 --kind cross > attention.csv\n"
      "echo \"Where is the station?\" | attn-dump models/spa-eng --kind cross -o attention.svg\n"
      "attn-dump models/spa-eng test.en --target test.es --kind cross > forced.csv\n"
      "attn-dump models/bert-imdb -o page.html reviews.txt\n"
      "attn-dump models/bert-imdb --view heads -o heads.svg reviews.txt\n"
      "find digits -name '*.png' | attn-dump models/mnist-vit --layer 0 > patches.csv\n"
      "attn-dump models/mnist-vit digits --view rollout -o overlays.svg\n"
      "attn-dump models/mnist-vit test.safetensors --first 128 --view distance -o distance.svg"};
  return cli::tool_main<Options>(argc, argv, tool, describe, run);
}
