// What is made of the data before training: lines, tokenizers, examples, ids.
#include <algorithm>

#include "pipeline/experiment.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// A byte-order mark at the start of a file and CR at the ends of lines are of other systems.
constexpr const char* kLines =
    R"(NR == 1 && substr($0, 1, 3) == "\357\273\277" { $0 = substr($0, 4) } { sub(/\r$/, ""); print })";
// So many lines, spread evenly over the file, which is read twice.
constexpr const char* kSpread =
    "NR == FNR { ++lines; next } wanted >= lines || int(FNR * wanted / lines) > int((FNR - 1) * wanted / "
    "lines)";
// The last column, a translation, stands in place of the target.
constexpr const char* kTaught =
    R"({ $target = $NF; text = $1; for (i = 2; i < NF; ++i) text = text "\t" $i; print text })";
// Keeps the lines of ids without a long side. How many are left out is said, and kept for the report.
constexpr const char* kShort =
    R"({ for (i = 1; i <= NF; ++i) if (split($i, id, " ") > most) { ++out; next } print } )"
    R"(END { if (out) text = part ": " out " of " NR " examples have a side of more than " most " tokens; they are left out"; )"
    R"(if (out) print "headwater: " text | "cat 1>&2"; )"
    R"(printf "{\"version\": 1, \"warnings\": [%s]}\n", out ? "\"" text "\"" : "" > (ENVIRON["HEADWATER_MESSAGES"] ".recipe.messages.json") })";

class PreparedStages : public StageWords {
 public:
  using StageWords::StageWords;
  std::vector<Stage> lines() const;
  Stage labels() const;
  std::vector<Stage> all() const;

 private:
  using StageWords::ids;
  std::vector<std::string> parts() const;
  std::vector<fs::path> labelled() const;
  void examples(std::vector<Stage>& all) const;
  void tokenizers(std::vector<Stage>& all) const;
  void ids(std::vector<Stage>& all) const;
};

std::vector<std::string> PreparedStages::parts() const {
  std::vector<std::string> names = {"train"};
  if (!e_.files.validation.empty()) names.emplace_back("validation");
  if (e_.has_test()) names.emplace_back("test");
  return names;
}

// --- Lines -------------------------------------------------------------------------------------------------

std::vector<Stage> PreparedStages::lines() const {
  std::vector<Stage> all;
  if (!e_.has_columns()) return all;
  for (const std::string& file : e_.files.all()) {
    const fs::path whole = e_.whole_lines(file), from = e_.data / file;
    if (e_.recipe.data.csv_columns.empty()) {
      all.push_back({{whole}, {}, {line("awk", kLines, sh("<"), from, written_to(whole))}});
    } else {
      all.push_back({{whole},
                     {},
                     {line(program("vectorize"), quiet_, "--csv", recipe_, from, written_to(whole))},
                     "to read it with other options make the lines yourself (vectorize --csv --recipe " +
                         e_.recipe_file.string() + " ... " + from.string() +
                         " > FILE.tsv), and name FILE.tsv in a recipe without data.csv_columns"});
    }
  }
  if (!e_.holds_out_test()) return all;
  const fs::path kept = e_.prepared / "split" / "train.tsv", held_out = e_.prepared / "split" / "test.tsv";
  Words by;
  if (e_.recipe.data.split_by == SplitBy::source) {
    by = line("--split-by", number("source"));
  } else if (e_.field("label")) {
    by = line("--column", number("label"));
  }
  const fs::path whole = e_.whole_lines(e_.files.train);
  all.push_back({{kept, held_out},
                 {whole},
                 {line(program("vectorize"), quiet_, "--split", held_out, by, "--validation-fraction",
                       format_number(e_.recipe.data.test_fraction), "-o", kept, whole)}});
  return all;
}

// The lines of all parts, whose labels must be right.
std::vector<fs::path> PreparedStages::labelled() const {
  std::vector<fs::path> files;
  if (!e_.field("label")) return files;
  for (const std::string& file : {e_.files.train, e_.files.validation, e_.files.test}) {
    if (!file.empty()) files.push_back(e_.lines(file));
  }
  if (e_.holds_out_test() && e_.files.test.empty()) files.push_back(e_.prepared / "split" / "test.tsv");
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

// That each label of every part has examples to learn from, and as many labels as the model has classes.
Stage PreparedStages::labels() const {
  const std::vector<fs::path> files = labelled();
  if (files.empty()) return {};
  const fs::path train = e_.lines(e_.files.train);
  Words checks;
  for (const fs::path& file : files) checks = line(checks, "--check", file);
  const DataSettings& data = e_.recipe.data;
  return {{e_.run / "labels.checked"},
          {},
          {line(program("vectorize"), "-q", "--learn", "labels", recipe_, "--column", number("label"), checks,
                "-o", e_.run / "labels.checked", train)},
          "line N of " + e_.whole_lines("FILE").string() + " is " +
              (data.csv_columns.empty() ? "line" : "record") + " N of " + (e_.data / "FILE").string() +
              (e_.holds_out_test() ? "; " + train.string() + " has lines of it in the same order" : "")};
}

// The examples of a part: all lines, or so many.
void PreparedStages::examples(std::vector<Stage>& all) const {
  const DataSettings& data = e_.recipe.data;
  for (const std::string& name : parts()) {
    const std::int64_t wanted = name == "train"        ? data.train_examples
                                : name == "validation" ? data.validation_examples
                                                       : data.test_examples;
    const std::string& file = name == "train"        ? e_.files.train
                              : name == "validation" ? e_.files.validation
                                                     : e_.files.test;
    const fs::path from = file.empty() ? e_.prepared / "split" / "test.tsv" : e_.lines(file),
                   to = e_.chosen(name);
    Words command = line("rm", "-f", made(to), sh("&& { ln"), from, made(to), sh("2> /dev/null || cp"), from,
                         made(to), sh("; }"));
    if (wanted > 0)
      command = line("awk", "-v", "wanted=" + std::to_string(wanted), kSpread, from, from, written_to(to));
    all.push_back({{to}, {from}, {command}});
  }
  if (e_.teacher.empty()) return;
  const fs::path from = e_.chosen("train"), to = e_.part("train");
  all.push_back({{to},
                 {from},
                 {line(cut("source", from), pipe_to(), program("translate"), quiet_, e_.teacher,
                       e_.with_threads(), pipe_to(), "paste", from, "-", pipe_to(), "awk", "-F", "\\t", "-v",
                       "target=" + number("target"), kTaught, written_to(to))}});
}

// --- Tokenizers, terms, labels -----------------------------------------------------------------------------

void PreparedStages::tokenizers(std::vector<Stage>& all) const {
  const bool is_train = e_.files.learns_from_train();
  const fs::path text = e_.lines(is_train ? e_.files.train : e_.files.tokenizer_text);
  // A text of its own for this need not have columns; cut takes a line without them whole.
  const auto before = [&](std::string_view column) {
    return is_train ? Words{} : line(cut(column, text), pipe_to());
  };
  const auto after = [&](std::string_view column) {
    return is_train ? line("--column", number(column), text) : Words{};
  };
  const Words learn = line(program("tokenize"), quiet_, recipe_);
  if (e_.given.empty() && e_.has_shared_tokenizer()) {
    const fs::path to = e_.tokenizer("source");
    const std::string both = number("source") + "," + number("target");
    Words command = line(learn, "-o", to, "--columns", both, text);
    if (!is_train)
      command = line("cut", "-f" + both, text, pipe_to(), "tr", "\\t", "\\n", pipe_to(), learn, "-o", to);
    all.push_back({{to}, {text}, {command}});
  } else if (e_.given.empty()) {
    for (const std::string_view side : kTextColumns) {
      if (!e_.field(side)) continue;
      const fs::path to = e_.tokenizer(side);
      all.push_back(
          {{to}, {text}, {line(before(side), learn, "--side", std::string(side), "-o", to, after(side))}});
    }
  }
  if (e_.given.empty() && e_.reads_terms()) {
    const fs::path to = e_.prepared / "terms.tsv", tokenizer = e_.tokenizer("source");
    all.push_back(
        {{to},
         {tokenizer, text},
         {line(before("source"), program("tokenize"), quiet_, "--tokenizer", tokenizer, after("source"),
               pipe_to(), program("vectorize"), quiet_, "--learn", "ngrams", recipe_, "-o", to)}});
  }
  if (e_.field("label")) {
    const fs::path to = e_.prepared / "labels.txt", train = e_.lines(e_.files.train);
    all.push_back({{to},
                   {train},
                   {line(program("vectorize"), quiet_, "--learn", "labels", "--column", number("label"), "-o",
                         to, train)}});
  }
}

// --- Ids: a column of a part goes through a pipe -----------------------------------------------------------

void PreparedStages::ids(std::vector<Stage>& all) const {
  for (const std::string& name : parts()) {
    if (name == "test") continue;
    const fs::path examples = e_.part(name);
    if (e_.is_stream()) {  // all lines as one long text
      const fs::path to = e_.prepared / (name + ".safetensors");
      all.push_back({{to}, {examples}, {line(ids("source", examples), "--output", "dataset", "-o", to)}});
      continue;
    }
    std::vector<fs::path> columns;
    Words command = line("paste");
    for (const std::string& column : e_.recipe.data.columns) {
      const fs::path to = e_.prepared / (name + "." + column + ".ids");
      all.push_back({{to}, {examples}, {line(ids(column, examples), written_to(to))}});
      columns.push_back(to);
      command = line(command, to);
    }
    if (const std::int64_t most = e_.recipe.data.max_tokens; most > 0)
      command = line(command, pipe_to(), "awk", "-F", "\\t", "-v", "most=" + std::to_string(most), "-v",
                     "part=" + name, kShort);
    const fs::path to = e_.prepared / (name + ".ids");
    all.push_back({{to}, columns, {line(command, written_to(to))}});
  }
}

std::vector<Stage> PreparedStages::all() const {
  std::vector<Stage> all;
  if (!e_.has_columns()) return all;
  tokenizers(all);
  examples(all);
  ids(all);
  return all;
}

}  // namespace

Words StageWords::text_lines() const {
  const ModelKind& kind = e_.recipe.model.kind();
  if (kind.reads("masking") && e_.recipe.masking.examples == MaskedExamples::sentence_pairs)
    return line("--sentences");
  return e_.is_stream() && e_.recipe.data.line_ends ? line("--line-ends") : Words{};
}

Words StageWords::ids(const std::string& column, const fs::path& file, const Words& of_tokens) const {
  if (column == "label")
    return line(program("vectorize"), quiet_, "--labels", e_.prepared / "labels.txt", "--column",
                number(column), file);
  const Words tokenizer = line("--tokenizer", e_.tokenizer(column));
  const bool reads_terms = e_.reads_terms();
  const Words tokenize = line(program("tokenize"), quiet_, tokenizer, reads_terms ? Words{} : text_lines(),
                              "--column", number(column), file, pipe_to(), program("vectorize"), quiet_);
  if (reads_terms) return line(tokenize, "--terms", e_.prepared / "terms.tsv", recipe_);
  return line(tokenize, tokenizer, recipe_, "--side", column, of_tokens);
}

std::vector<Stage> line_stages(const Experiment& e) { return PreparedStages(e).lines(); }

Stage label_stage(const Experiment& e) { return PreparedStages(e).labels(); }

std::vector<Stage> prepared_stages(const Experiment& e) { return PreparedStages(e).all(); }

}  // namespace headwater
