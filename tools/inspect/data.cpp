// Data sets.
#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

#include "cli/tool.hpp"
#include "data/id_columns.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "reports/data_summary.hpp"
#include "support/error.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// The tokenizers that a recipe learns, from the columns of these lines.
class RecipeTokenizers {
 public:
  RecipeTokenizers(const Recipe& recipe, const std::vector<std::string>& names) : recipe_(recipe) {
    const bool has_target = recipe.model.kind().reads("target_tokenizer") && !recipe.shared_tokenizer;
    for (const std::string& name : names) {
      const std::string side = name == "target" && has_target ? "target" : "source";
      const auto known =
          std::find_if(sides_.begin(), sides_.end(), [&](const Side& s) { return s.name == side; });
      columns_.push_back({name, static_cast<std::size_t>(known - sides_.begin())});
      if (name != "label" && known == sides_.end()) sides_.emplace_back(recipe, side);
    }
  }

  void add(std::string_view line) {
    constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
    for (const Column& column : columns_) {
      const std::size_t end = std::min(line.find('\t'), line.size());
      if (column.name != "label") {
        Side& side = sides_[column.side];
        side.block.append(line.substr(0, end)).push_back('\n');
        if (side.block.size() >= kBlockBytes) side.flush();
      }
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }

  void finish(DataSummary& summary) {
    for (Side& side : sides_) {
      side.flush();
      side.tokenizer = side.learner.finish();
    }
    for (const Column& column : columns_) {
      if (column.name == "label") continue;
      summary.count_tokens_of(*sides_[column.side].tokenizer, column.name,
                              max_text_tokens(recipe_, column.name));
    }
  }

 private:
  struct Side {
    Side(const Recipe& recipe, const std::string& side)
        : name(side), learner(learner_of(tokenizer_to_learn(recipe, side))) {}
    std::string name;
    TokenizerLearner learner;
    std::string block;
    std::optional<Tokenizer> tokenizer;
    void flush() {
      learner.add(block);
      block.clear();
    }
  };
  struct Column {
    std::string name;
    std::size_t side;
  };
  const Recipe& recipe_;
  std::deque<Side> sides_;  // which do not move
  std::vector<Column> columns_;
};

// Whether the model of the recipe reads a limited number of tokens of a text, of a tokenizer that the recipe
// learns from its training texts.
bool learns_tokens(const Recipe& recipe, const std::string& path) {
  if (family_of(recipe.model).max_line_ids(recipe) == 0) return false;
  const DataSettings& data = recipe.data;
  if (data.tokenizer_text == data.train) return true;
  cli::note(path + " learns its tokenizer from " + data.tokenizer_text +
            ", not from these data: --tokenizer FILE counts its tokens");
  return false;
}

// The data line by line, but for the header of vectorize --header, which is no sample.
enum class Pass { first, second };
void for_each_line(const Options& o, const DataSettings& recipe, Pass pass,
                   const std::function<void(std::string_view, const cli::LineReader&)>& use) {
  const bool is_csv = !recipe.csv_columns.empty() && recipe.columns.size() > 1;
  cli::LineReaderSettings columns = o.reader;
  columns.has_columns = true;
  cli::LineReader reader(o.data, columns);
  reader.show_progress(false, cli::LineReader::Writes::at_the_end);
  for (std::string_view line; reader.next(line);) {
    if (is_csv && line.find('\t') == line.npos) {
      throw Error(reader.place() + ": 1 column where " + std::to_string(recipe.columns.size()) +
                  " are wanted (" + o.recipe + " says the files are CSV: vectorize --csv --recipe " +
                  o.recipe + " FILE makes such lines)");
    }
    if (!line.starts_with("#ids v1 ")) use(line, reader);
  }
  if (pass == Pass::first) reader.note_dropped();
}

}  // namespace

void inspect_data(const Options& o) {
  const std::optional<Recipe> recipe =
      o.recipe.empty() ? std::nullopt : std::optional(read_recipe(o.recipe, o.scale));
  const DataSettings of_recipe = recipe ? recipe->data : DataSettings();
  const std::vector<std::string>& names = o.columns.empty() ? of_recipe.columns : o.columns;
  DataSummary summary(recipe ? names : o.columns);
  std::optional<Tokenizer> tokenizer;
  if (!o.tokenizer.empty()) summary.count_tokens_of(tokenizer.emplace(Tokenizer::load(o.tokenizer)));
  const fs::path from =
      recipe ? family_of(recipe->model).line_form(recipe->model).tokenizer_from : fs::path();
  if (!from.empty() && !tokenizer)
    summary.count_tokens_of(tokenizer.emplace(tokenizer_of(from)), "source",
                            max_text_tokens(*recipe, "source"));
  std::optional<RecipeTokenizers> learned;
  if (recipe && !tokenizer && learns_tokens(*recipe, o.recipe)) learned.emplace(*recipe, names);
  const bool is_held = learned && cli::reads_input(o.data);  // standard input is not read twice
  std::vector<std::string> held;
  for_each_line(o, of_recipe, Pass::first, [&](std::string_view line, const cli::LineReader& reader) {
    try {
      summary.add(line);
    } catch (const Error& error) {
      throw Error(reader.place() + ":" + error.what());
    }
    if (tokenizer) summary.add_tokens(line);
    if (learned) learned->add(line);
    if (is_held) held.emplace_back(line);
  });
  if (learned) {
    learned->finish(summary);
    for (const std::string& line : held) summary.add_tokens(line);
    if (!is_held) {
      for_each_line(o, of_recipe, Pass::second,
                    [&](std::string_view line, const cli::LineReader&) { summary.add_tokens(line); });
    }
  }
  cli::LineWriter out;
  if (o.is_json) {
    for (const Json& json : summary.json()) out.line(json.dump());
  } else {
    out.text(summary.text());
  }
  out.flush();
}

bool is_of_ids(const Options& o) {
  for (const std::string& path : o.data) {
    if (holds_id_columns(path))
      throw UsageError("--data: " + path + " is a file of columns of ids (inspect " + path +
                       " shows its tensors; the text that they are of says more)");
  }
  return std::any_of(o.data.begin(), o.data.end(), [](const std::string& path) {
    return begins_as_safetensors(path) && Safetensors(path).find("ids") != nullptr;
  });
}

void inspect_ids(const Options& o) {
  std::optional<Tokenizer> tokenizer;
  if (!o.tokenizer.empty()) tokenizer = Tokenizer::load(o.tokenizer);
  const StreamSummary summary(Safetensors(o.data.front()), tokenizer ? &*tokenizer : nullptr);
  cli::LineWriter out;
  out.text(o.is_json ? summary.json().dump() + "\n" : summary.text());
  out.flush();
}

}  // namespace headwater::inspect
