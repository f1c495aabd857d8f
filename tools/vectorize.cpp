// vectorize: tokens to ids or bags of words; labels to ids; images to a data set. Manual: tools/vectorize.md.
#include "tools/vectorize/vectorize.hpp"
#include "cli/tool.hpp"
#include "support/parallel.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater {
namespace {

struct Command {
  vectorize::Options options;
  vectorize::TypedOptions typed;
};

void run(const vectorize::Options& o) {
  if (o.reader.is_csv) {
    vectorize::write_csv_columns(o);
  } else if (!o.split.empty()) {
    vectorize::split_lines(o);
  } else if (!o.images.empty()) {
    std::vector<fs::path> images{o.images};
    images.insert(images.end(), o.tokens.begin(), o.tokens.end());
    const auto [height, width] = vectorize::image_sides(o.resize);
    vectorize::write_images({.images = std::move(images),
                             .labels = o.image_labels,
                             .label_names = o.labels,
                             .output = o.output,
                             .validation = o.validation,
                             .height = height,
                             .width = width,
                             .validation_fraction = o.validation_fraction,
                             .seed = o.seed,
                             .background = o.background,
                             .applies_orientation = o.applies_orientation,
                             .chooses_reading = o.chooses_reading,
                             .is_quiet = o.is_quiet});
  } else if (o.learn == "labels") {
    vectorize::learn_labels(o);
  } else if (!o.learn.empty()) {
    vectorize::learn_terms(o);
  } else if (!o.labels.empty()) {
    vectorize::write_label_ids(o);
  } else if (!o.terms.empty()) {
    vectorize::write_terms(o);
  } else if (o.block > 0 || o.form == "dataset") {
    vectorize::write_id_stream(o);
  } else {
    vectorize::write_ids(o);
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  using namespace headwater;
  return cli::tool_main<Command>(
      argc, argv,
      {"vectorize",
       "turn token lines into id lines or bags of words, labels into ids, images into a data set",
       "cut -f1 train.tsv | tokenize --tokenizer en.json | vectorize --tokenizer en.json --length 20 > "
       "en.ids\n"
       "cut -f2 train.tsv | tokenize --tokenizer es.json | vectorize --tokenizer es.json --length 20 --start "
       "--end > es.ids\n"
       "cut -f2 reviews.tsv | vectorize --learn labels -o labels.txt\n"
       "cut -f1 reviews.tsv | tokenize --tokenizer en.json | vectorize --learn tf-idf --ngrams 2 -o "
       "terms.tsv\n"
       "cut -f1 reviews.tsv | tokenize --tokenizer en.json | vectorize --terms terms.tsv > reviews.bags\n"
       "vectorize --csv --column text --column label reviews.csv > reviews.tsv\n"
       "vectorize --images train-images.idx --image-labels train-labels.idx -o train.safetensors\n"
       "vectorize --images photos --resize 64x64 -o train.safetensors --validation validation.safetensors\n"
       "vectorize --images data_batch_*.bin --labels batches.meta.txt -o train.safetensors --validation "
       "validation.safetensors"},
      [](cli::CommandLine& line, Command& c) { vectorize::describe(line, c.options, c.typed); },
      [](const Command& c) {
        vectorize::Options options = c.options;
        vectorize::resolve(options, c.typed);
        ThreadPool(options.threads).run([&] { run(options); });
      });
}
