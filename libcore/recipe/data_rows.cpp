// The rows of what an experiment reads: data, tokenizers, terms.
#include "recipe/rows.hpp"

namespace headwater::schema {

void rows(Visitor& v, DataSettings& s, const ModelSection& model) {
  const bool has_columns = !model || !model.kind().columns.empty();
  const When lines{has_columns, "", "models of texts"};
  const bool has_streams = !model || model.kind().reads("data.examples"),
             is_stream = s.examples != DataExamples::lines;
  const When streams{has_streams && is_stream, has_streams ? "examples: lines" : "",
                     "examples: blocks and random"};
  v.field("set", &s.set, Text::any,
          "a public data set, which data/prepare-SET.sh prepares; empty: the files are your own");
  v.field("split", &s.split, {"once for all", "anew for each seed, in the folder SET-seed-N"},
          "how the set was split into training, validation and test",
          When{!s.set.empty(), "data without a set", "public sets"});
  v.field("train", &s.train, PathInData{}, "examples to learn from: lines of columns separated by TABs");
  v.field("validation", &s.validation, PathInData{}, "examples that epochs are chosen by");
  v.field("test", &s.test, PathInData{}, "examples that the finished model is measured on");
  v.field(
      "tokenizer_text", &s.tokenizer_text, PathInData{},
      "the text that tokenizers are learned from. With training.init_from the model's tokenizers are used, "
      "unless this is another file than data.train; a recipe that sets other ones is refused",
      Follows{"data.train", s.train}, lines);
  v.field(
      "train_examples", &s.train_examples, Between{0, 1e9, "lines"},
      {"number of training lines (of images: of those that are not held out), spread evenly over the file; "
       "0: all",
       "make recipe; of images train"});
  v.field("validation_examples", &s.validation_examples, Between{0, 1e9, "lines"}, "the same for validation",
          lines);
  v.field("test_examples", &s.test_examples, Between{0, 1e9, "lines"}, "the same for the test", lines);
  v.field("max_tokens", &s.max_tokens, Between{0, 1e6, "ids"},
          "training and validation examples with a longer side, start and end token included, are left out; "
          "below model.length, to which texts are truncated; 0: no limit",
          When{has_columns && !is_stream, is_stream ? "data of one long text" : "", "models of texts"});
  v.field("columns", &s.columns,
          OneOf{{{"source", "the text that the model reads"},
                 {"target", "the text that a translator learns to write"},
                 {"label", "the name of the class that a classifier learns to tell"}}},
          {"what the columns of a line are, from left to right", "make recipe, train, inspect --data"},
          lines);
  v.field(
      "csv_columns", &s.csv_columns, Text::or_number,
      {"for CSV files with a header: the names or numbers of these columns, in the same order; empty: TABs "
       "separate columns",
       "make recipe, vectorize --csv"},
      lines);
  const bool has_targets = std::find(s.columns.begin(), s.columns.end(), "target") != s.columns.end();
  const bool translates = !model || measures_translations(model);
  v.field(
      "teacher", &s.teacher, Text::any,
      {"distillation: the directory of a translator; its translations of the training sources, by its own "
       "decoding, replace the targets (Kim and Rush 2016); a path from the current folder",
       kMake},
      When{translates && has_targets, "data without targets", "translators"});
  v.field("summaries", &s.summaries, Anything{},
          {"targets are summaries of their sources: the report scores them with ROUGE, beside the first "
           "sentences of the sources",
           kMake},
          When{has_columns && has_targets, "data without targets", "pairs of source and target"});
  v.field("examples", &s.examples,
          {"each line is one",
           "all lines together are one long text, cut into windows of model.length tokens and "
           "one more",
           "windows of that text at random places, new ones in every epoch; validation has the blocks"},
          {"what an example is", "make recipe, train, evaluate"}, When{has_streams, "", "language models"});
  v.field("stride", &s.stride, Between{0, 1e6, "tokens"},
          {"from the start of one block to that of the next, at most model.length; 0: model.length, so that "
           "every token but the first is predicted once",
           "train, evaluate"},
          streams);
  v.field("epoch_examples", &s.epoch_examples, Between{0, 4e9, "windows"},
          {"windows of an epoch, after which the model is measured; 0: as many as blocks", "train"},
          When{has_streams && s.examples == DataExamples::random,
               has_streams ? "examples: " + std::string(name_of(s.examples)) : "", "examples: random"});
  v.field("line_ends", &s.line_ends, Anything{},
          {"the end of a line is text, too, and becomes tokens; for tokenizers of bytes",
           "make recipe (tokenize), evaluate"},
          streams);
  v.field(
      "test_fraction", &s.test_fraction, Between{0, 0.9, kNoUnit},
      {"share of the lines of train that is held out as the test before anything is learned, the same share "
       "of each label, the same lines for every seed; 0: none",
       kMake},
      When{s.test.empty() && has_columns && !is_stream,
           !s.test.empty() ? "data with test examples"
           : is_stream     ? "data of one long text"
                           : "",
           "models of texts without test examples"});
  const bool has_orders = !model || model.kind().reads("data.test_orders");
  const bool has_test = !s.test.empty() || s.test_fraction > 0;
  v.field(
      "test_orders", &s.test_orders, Text::required,
      {"other orders in which the tokens of the truncated test texts are read, too: reversed, or shuffled "
       "(as by vectorize --order, the same for every seed). The report has loss and accuracy of each",
       kMake},
      When{has_orders && has_test && !has_targets,
           !has_orders ? ""
           : !has_test ? "data without test examples"
                       : "data of pairs",
           "classifiers of single texts with test examples"});
  const bool is_split = s.test_fraction > 0 || s.validation.empty();
  v.field("split_by", &s.split_by,
          {"equal lines, in the test; validation examples are drawn one by one",
           "examples of the same source, so that no source is both learned and held out"},
          {"what stays together if a share of the examples is held out", "make recipe, train"},
          When{has_columns && !is_stream && is_split,
               is_stream   ? "data of one long text"
               : !is_split ? "data of which nothing is held out"
                           : "",
               "models of texts of which a share is held out"});
  v.field("validation_fraction", &s.validation_fraction, Between{0, 0.9, kNoUnit},
          {"share of the training examples that is held out by seed, to validate on", "train"},
          When{s.validation.empty(), "data with validation examples", "data without validation examples"});
}

void rows(Visitor& v, TokenizerSettings& s) {
  v.field(
      "kind", &s.kind,
      OneOf{{{"word", "white space separates tokens"},
             {"character", "each code point is a token"},
             {"byte_bpe", "merges of bytes, as GPT-2 has them: no text is unknown (Radford et al. 2019)"},
             {"bpe", "merges of characters (Sennrich et al. 2016)"},
             {"wordpiece", "words and marks, cut from the left, ## inside a word (Devlin et al. 2019)"},
             {"unigram", "the likeliest segmentation into pieces with probabilities (Kudo 2018)"},
             {"subword_text_encoder", "the encoder of tensorflow-datasets: words, parts of words, bytes"}}},
      "what a token is");
  v.field("size", &s.size, Between{3, 1e7, "tokens"},
          {"size V of the vocabulary, special tokens included; the most frequent words of the text",
           "make recipe (tokenize), train"});
  v.field("standardize", &s.standardize,
          OneOf{{{"lower_and_strip_punctuation", "both of the next two"},
                 {"lower", "lower case"},
                 {"strip_punctuation", "ASCII punctuation is removed"},
                 {"none", "the text as it is"},
                 {"unicode_punctuation",
                  "lower case, and typographic quotes, dashes and the like are removed with those of ASCII, "
                  "but no decimal point"},
                 {"lower_and_set_off_punctuation",
                  "lower case, `<br />` becomes a space, and a space goes before each ASCII punctuation "
                  "mark, which so begins a word"}}},
          "how a text is changed before it is split, as by Keras' TextVectorization",
          Follows{"none of subwords, lower_and_strip_punctuation of words and characters",
                  default_standardization(s.kind)});
  v.field("lower", &s.lower,
          OneOf{{{"ascii", "A to Z, as Keras does"}, {"unicode", "the letters of every alphabet"}}},
          "which letters become lower case");
  v.field(
      "split_punctuation", &s.split_punctuation, Anything{},
      "punctuation characters and symbols are separate tokens, and joining tokens restores the text, with "
      "standardize: none its case, too",
      When{s.kind == "word", s.kind, "word"});
  v.field("min_frequency", &s.min_frequency, Between{1, 1e9, "occurrences"},
          "a pair is merged if it occurs at least this often",
          When{s.kind == "byte_bpe" || s.kind == "bpe" || s.kind == "wordpiece", s.kind,
               "byte_bpe, bpe and wordpiece"});
  v.field("character_coverage", &s.character_coverage, Between{0.5, 1, kNoUnit},
          "the share of the text's characters that have a piece; the others are unknown",
          When{s.kind == "unigram", s.kind, "unigram"});
  v.field(
      "end_of_word_suffix", &s.end_of_word_suffix, Text::any,
      "the end of the last token of a word, as `</w>`; empty: ▁ (U+2581) stands for the space before a word",
      When{s.kind == "bpe", s.kind, "bpe"});
  const std::string without = s.split_punctuation             ? "split_punctuation"
                              : !s.end_of_word_suffix.empty() ? "end_of_word_suffix"
                                                              : s.kind;
  v.field("user_defined_symbols", &s.user_defined_symbols, Text::required,
          "texts that always become one token each, as `<br>`, wherever a text has them, before it is "
          "standardized",
          When{without == s.kind && s.kind != "subword_text_encoder", without,
               "all kinds but subword_text_encoder"});
}

void rows(Visitor& v, TermSettings& s) {
  v.field("ngrams", &s.ngrams, Between{1, 10, "tokens"}, "maximum number of tokens in a term");
  v.field("size", &s.size, Between{2, 1e7, "terms"},
          {"number of terms: the most frequent ones, and [UNK] for all others",
           "make recipe (vectorize), train"});
  v.field(
      "output", &s.output,
      OneOf{{{"multi-hot", "1"},
             {"count", "how often it occurs"},
             {"tf-idf", "how often, weighted by inverse document frequency (Sparck Jones 1972)"},
             {"sublinear-tf-idf",
              "1 + ln(how often), weighted so, and each text's numbers divided by their Euclidean norm"}}},
      {"the value of a term that occurs", "make recipe (vectorize), train"});
}

void rows(Visitor& v, MaskingSettings& s) {
  v.field("examples", &s.examples,
          {"each line is a text, of which the first model.length tokens are read",
           "each line is a document, of which all is read, in pieces of model.length tokens",
           "each line is a sentence, with an empty line between documents, as tokenize --sentences "
           "writes them: two runs of sentences, of which the second follows the first or, half of "
           "the time, comes from another document (Devlin et al. 2019)"},
          {"what an example is", "make recipe, train"});
  v.field("share", &s.share, Between{1e-6, 1, kNoUnit},
          "largest share of a text's tokens that is hidden, special ones not counted; at least one token is");
  v.field("unit", &s.unit,
          {"single tokens (Devlin et al. 2019)", "all tokens of a word",
           "runs of whole words (SpanBERT, Joshi et al. 2020)"},
          "what is hidden together; drawn anew in every epoch");
  v.field("mask_share", &s.mask_share, kShare, "share of the hidden tokens (or spans) that become [MASK]");
  v.field(
      "random_share", &s.random_share, kShare,
      "share that becomes another token, drawn from all but special ones and [UNK]; the rest stays as it is");
  const When spans{s.unit == MaskingUnit::span, "unit: " + std::string(name_of(s.unit)), "unit: span"};
  v.field("span_probability", &s.span_probability, Between{1e-3, 1, kNoUnit},
          "p of the geometric distribution of a span's length in words: smaller values give longer spans",
          spans);
  v.field("longest_span", &s.longest_span, Between{1, 1000, "words"}, "the longest span", spans);
}

}  // namespace headwater::schema
