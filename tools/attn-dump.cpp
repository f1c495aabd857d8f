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
constexpr std::array<std::string_view, 7> kFormats = {"csv", "json", "matrix", "npy", "svg", "html", "png"};

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
                  "text at itself) or `cross` (target at source)")
      .one_of({"encoder", "decoder", "cross"});
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
      .one_of({"weights", "heads", "lines", "alignments", "rollout", "distance"})
      .with_default();
  o.format_option = line.add_option("--format", o.format,
                                    "how it is written ([below](#other-formats)); by default as the name of "
                                    "-o ends (`a.svg`; `a.dat` is a matrix), or csv")
                        .one_of({kFormats.begin(), kFormats.end()});
  line.add_flag("--mean", o.is_mean_over_heads, "of svg: one panel a layer, the mean over its heads")
      .goes_with("--view=weights,lines");
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
  line.needs("--view=alignments", "--target", "the translations whose words are linked");
  line.goes_without("--view=rollout", "--kind=cross", "it follows a text through its layers");
  line.goes_with("--inverse-layer --inverse-head", "--inverse");
  line.goes_without("--gold", "--layer --head --inverse-layer --inverse-head", "it tries every one");
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

AttentionSelection selection_of(const Options& o) {
  return {.layer = o.layer, .head = o.head, .kind = value_of<AttentionKind>(o.kind)};
}

// A view, and its formats for models of texts and of images; none: it is not for these.
struct View {
  std::string_view name;
  std::vector<std::string_view> of_texts, of_images;
};

const View& view_of(const Options& o) {
  static const View kViews[] = {
      {"weights", {"csv", "json", "matrix", "npy", "svg", "html"}, {kFormats.begin(), kFormats.end()}},
      {"heads", {"csv", "json", "svg"}, {"csv", "json", "svg"}},
      {"lines", {"svg"}, {}},
      {"rollout", {"csv", "json", "svg"}, {"csv", "svg", "png"}},
      {"distance", {}, {"csv", "svg"}},
      {"alignments", {"csv"}, {}}};
  return *std::ranges::find(kViews, std::string_view(o.view), &View::name);
}

void check_format(const Options& o, const std::vector<std::string_view>& formats) {
  if (std::ranges::count(formats, std::string_view(o.format)) == 0)
    throw UsageError("--format " + o.format + " is not of --view " + o.view + " (" + alternatives(formats) +
                     ")");
}

// Those of the view, whatever the model; by what -o ends in, where there is a choice.
std::vector<std::string_view> formats_of(const Options& o) {
  std::vector<std::string_view> formats;
  for (const std::string_view format : kFormats) {
    const View& view = view_of(o);
    if (std::ranges::count(view.of_texts, format) + std::ranges::count(view.of_images, format) > 0)
      formats.push_back(format);
  }
  return formats;
}

void check_options(const Options& o) {
  check_format(o, formats_of(o));
  if (o.is_mean_over_heads && o.format != "svg") throw UsageError("--mean is for --format svg");
  const bool has_parts = o.view != "distance" && o.view != "heads" &&
                         (o.format == "svg" || (o.format == "npy" && o.view == "weights"));
  if (writes_folder(o) && !has_parts)
    throw UsageError("-o FOLDER/ is for --format svg or npy, files for each text or image (name a file)");
  if (writes_folder(o)) return;
  const bool is_links = o.view == "alignments";
  cli::check_format_ending(o.output, is_links && o.gold.empty() ? "text" : o.format,
                           is_links ? std::vector<std::string_view>() : formats_of(o));
}

// Once it is known what the model reads.
void check_model(const Options& o, Task task) {
  const bool is_of_images = task == Task::image_classification;
  o.of_kinds.check(o.model, {is_of_images ? kImages : kTexts, task == Task::translation ? kTranslator : ""});
  const std::vector<std::string_view>& formats = is_of_images ? view_of(o).of_images : view_of(o).of_texts;
  const bool is_links = o.view == "alignments";
  if (formats.empty() || (is_links && task != Task::translation))
    throw UsageError("--view " + o.view + " is for " +
                     std::string(is_links       ? kTranslator
                                 : is_of_images ? kTexts
                                                : kImages) +
                     ", " + o.model + " is none");
  check_format(o, formats);
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
  if (!o.format_option.is_given())
    o.format = cli::format_of_ending(
        o.output, o.view == "alignments" ? std::vector<std::string_view>() : formats_of(o), o.format);
  check_options(o);
  const AttentionSelection selection = selection_of(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool(o.threads).run([&] {
    const ModelFolder folder = open_model(o.model);
    cli::note_skipped_checkpoints(folder.skipped);
    check_model(o, folder.family->task);
    if (o.view == "alignments") return dump_alignments(o, folder);
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
