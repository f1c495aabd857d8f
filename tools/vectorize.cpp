// vectorize: tokens to ids or bags of words; labels to ids; images to a data set; a mode a file
// (tools/vectorize/modes.hpp). Manual: tools/vectorize.md.
#include "tools/vectorize/vectorize.hpp"
#include "cli/tool.hpp"
#include "support/parallel.hpp"

namespace headwater {
namespace {

struct Command {
  vectorize::Options options;
  vectorize::ModeOptions typed;
};

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
        const vectorize::ModeRow& mode = vectorize::resolve_mode(options, c.typed);
        ThreadPool(options.threads).run([&] { mode.run(options); });
      });
}
