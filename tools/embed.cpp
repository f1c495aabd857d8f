// embed: a vector for each line of text or image. Manual: tools/embed.md.
#include "tools/embed/embed.hpp"

#include <array>
#include <string_view>

#include "cli/result_file.hpp"
#include "cli/tool.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"
#include "tools/search/options.hpp"

namespace headwater::embed {

namespace {
constexpr std::string_view kTexts = "a model of texts", kImages = "a model of images";
constexpr std::array<std::string_view, 3> kFormats = {"text", "npy", "safetensors"};
}  // namespace

VectorSettings settings_of(const Options& o) {
  return {.pooling = value_of<ops::Pooling>(o.pooling),
          .normalizes = o.normalizes,
          .has_tokens = o.has_tokens,
          .layer = o.layer,
          .compute_type = value_of<ComputeType>(o.compute_type).value()};
}

namespace {

void describe(cli::CommandLine& line, Options& o) {
  line.add_option("model", o.model, "model directory, of train or published, or a checkpoint")
      .required()
      .reads_model();
  line.add_option("text", o.inputs,
                  "text, one a line; of a model of images: image files, folders of them, and data sets; - or "
                  "none: standard input, of a model of images a path a line")
      .shown_as("[TEXT|IMAGE...]")
      .reads_lines("the text");
  line.group("Output");
  o.format_option = line.add_option("--format", o.format,
                                    "how it is written ([above](#output)); by default as the name of -o ends "
                                    "(`v.npy`, `v.safetensors`), or text")
                        .one_of({kFormats.begin(), kFormats.end()});
  line.add_option("-o,--output", o.output,
                  "where it goes instead of standard output; the name must not end as another format")
      .writes();
  line.add_option("--pooling", o.pooling,
                  "what of the tokens' states the vector is (what the model itself does, or mean)")
      .one_of({"mean", "first", "max"});
  line.add_flag("--normalize", o.normalizes, "give each vector the length 1");
  line.add_flag("--tokens", o.has_tokens, "a vector for each token")
      .goes_without("--pooling", "a token's vector is its state");
  line.add_option("--layer", o.layer, "the states after N blocks (all); 0: the embeddings").between(0, 1000);
  line.add_option("--nearest", o.nearest,
                  "write the lines of FILE nearest to each line, by cosine, instead of vectors")
      .reads()
      .is_of(kTexts, o.of_kinds);
  line.add_option("--top-k", o.top_k, "the number of nearest lines")
      .at_least(1)
      .with_default()
      .goes_with("--nearest");
  line.add_option("--nearest-column", o.nearest_column,
                  "compare column N of FILE, from 1, and write its whole lines")
      .at_least(1)
      .goes_with("--nearest");
  line.add_option("--duplicates", o.duplicates,
                  "write the pairs of input lines with a cosine of at least T instead of vectors")
      .shown_as("T")
      .between(-1, 1)
      .goes_without("--nearest", "it compares the lines of the input")
      .is_of(kTexts, o.of_kinds);
  line.goes_without("--nearest --duplicates", "--tokens --format=npy,safetensors", "it writes lines of text");
  line.add_option("--vectors", o.vectors,
                  "saved vectors of the searched lines (`embed -o FILE.npy`), which are not computed again")
      .reads_file()
      .goes_with("--nearest --duplicates");
  line.add_flag("--ids", o.has_ids, "numbers of lines and cosines in full, without the lines")
      .goes_with("--nearest --duplicates");
  line.group("Speed");
  line.add_option("--batch", o.batch,
                  "lines read at once, among which those of like length are computed together; the output is "
                  "the same for any")
      .between(1, 1000000)
      .with_default();
  search::add_compute_type_option(line, o.compute_type);
  line.group("Input");
  cli::add_replace_invalid_option(line, o.reader);
  cli::add_column_options(line, o.reader);
  cli::add_json_input_option(line, o.reader);
  line.is_of("--compute-type --replace-invalid --column --csv --json-input", kTexts, o.of_kinds);
  line.add_flag("--resize", o.is_resized,
                "resize each image of a file to the size that the model reads, as `classify --resize` does")
      .is_of(kImages, o.of_kinds);
  cli::add_isa_option(line, o.isa);
  cli::add_threads_option(line, o.threads);
  cli::add_quiet_option(line, o.is_quiet);
}

void check(const Options& o) {
  if (!o.output.empty()) cli::check_result_file(o.output);
  const bool is_search = !o.nearest.empty() || o.duplicates;
  if (is_search) {
    cli::check_ending(o.output, "-o", "text");
  } else {
    cli::check_format_ending(o.output, o.format, kFormats);
  }
}

void run(const Options& given) {
  Options o = given;
  if (!o.format_option.is_given() && o.nearest.empty() && !o.duplicates)
    o.format = cli::format_of_ending(o.output, kFormats, o.format);
  check(o);
  if (o.isa != "auto") kernels::set_isa(kernels::isa_of_name(o.isa));
  ThreadPool(o.threads).run([&] {
    ModelFolder folder = open_model(o.model);
    cli::note_skipped_checkpoints(folder.skipped);
    const bool reads_images = folder.family->task == Task::image_classification;
    o.of_kinds.check(o.model, {reads_images ? kImages : kTexts});
    o.compute_type = name_of(search::compute_type_of(folder, o.compute_type));
    (reads_images ? embed_images : embed_texts)(o, folder);
  });
}

}  // namespace
}  // namespace headwater::embed

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::embed;
  return cli::tool_main<Options>(
      argc, argv,
      {.name = "embed",
       .summary = "make a vector of each line of text, or of each image",
       .examples = "echo \"The cat sat on the mat.\" | embed all-MiniLM-L6-v2\n"
                   "embed all-MiniLM-L6-v2 -o vectors.npy sentences.txt\n"
                   "echo \"How do I get to the station?\" | embed all-MiniLM-L6-v2 --nearest sentences.txt\n"
                   "echo \"Where is the bank?\" | embed all-MiniLM-L6-v2 --nearest sentences.txt --vectors "
                   "vectors.npy\n"
                   "embed all-MiniLM-L6-v2 --duplicates 0.9 sentences.txt\n"
                   "embed models/imdb-encoder --tokens --layer 1 reviews.txt\n"
                   "find photos -name '*.png' | sort | embed models/cifar10-vit -o photos.npy"},
      describe, run);
}
