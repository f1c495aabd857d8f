// What generation_config.json and config.json say of generation, against transformers' generate
// (reference/generation): greedy, with beams and drawn from one token.
#include "decoding/generate.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/translate.hpp"

#include <doctest/doctest.h>

#include "reference_folder.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

using Ids = std::vector<std::int32_t>;

Ids all_ids(const Hypothesis& hypothesis) {
  Ids ids = hypothesis.ids;
  if (hypothesis.is_ended) ids.push_back(hypothesis.end_id);
  return ids;
}

// Calls use(folder, lines, expected ids) for each case of the model of this name, in a copy whose file says
// the members.
template <class Use>
void for_each_case(const std::string& name, const Use& use) {
  const fs::path folder = path_made_here("generation/expected.json").parent_path();
  const Json expected = Json::parse(read_file(folder / "expected.json"), "expected.json");
  std::vector<std::string> lines;
  for (const Json& line : expected.at("lines").as_array()) lines.push_back(line.as_string());
  for (const Json& one : expected.at(name).as_array()) {
    INFO(name, ": ", one.at("name").as_string());
    const ScratchDirectory scratch;
    const fs::path copy = scratch.path() / "model";
    fs::copy(folder / name, copy);
    const fs::path file = copy / one.at("file").as_string();
    Json text = Json(Json::Object{});
    if (fs::exists(file)) text = Json::parse(read_file(file), "file");
    for (const auto& [member, value] : one.at("members").as_object()) text.set(member, value);
    write_file(file, text.dump());
    std::vector<Ids> wanted;
    for (const Json& row : one.at("ids").as_array()) {
      Ids& ids = wanted.emplace_back();
      for (const Json& id : row.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_integer()));
    }
    use(open_model(copy), lines, wanted);
  }
}

}  // namespace

TEST_CASE("a translator of Marian's layout generates what its files say") {
  for_each_case("marian", [](const ModelFolder& folder, const auto& lines, const auto& wanted) {
    const LoadedTranslator model = load_translator(folder);
    Translator translator(model, {.search = model.generation.decoding,
                                  .allows_unknown = true,
                                  .wants_scores = true,
                                  .sampling = sampling_of_files(model.generation)});
    const std::vector<Translations> found = translator.translations(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      CHECK(all_ids(found[i].front().hypothesis) == wanted[i]);
    }
  });
}

TEST_CASE("a language model of GPT-2's layout generates what its files say") {
  for_each_case("gpt2", [](const ModelFolder& folder, const auto& lines, const auto& wanted) {
    LoadedLanguageModel model = load_language_model(folder);
    model.generation = read_generation_config(folder);
    TextGenerator generator(model, {.generation = {.search = decoding_of_files(model.generation),
                                                   .allows_unknown = true,
                                                   .sampling = sampling_of_files(model.generation)}});
    ContinuationListener listener;
    generator.continue_lines(lines, lines.size(), listener, [&](const Continuation& made) {
      INFO(lines[made.line]);
      CHECK(all_ids(made.hypothesis) == wanted[made.line]);
    });
  });
}
