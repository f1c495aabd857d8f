#include "families/model_directory.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "checkpoint/directory.hpp"
#include "checkpoint/safetensors.hpp"
#include "error_text.hpp"
#include "families/label_names.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

using namespace headwater;

namespace {

void save_classifier(const fs::path& model, std::int64_t step, bool is_best) {
  CheckpointWriter writer(model, step);
  writer.add_file("config.json", "{\"model_type\": \"headwater_classifier\"}");
  writer.add_file("tokenizer.json", std::to_string(step));
  writer.add_file("model.safetensors", std::string(20000, static_cast<char>('a' + step % 20)));
  writer.finish({.is_best = is_best, .keep_newest = 2});
}

// Reads again and again, without an error, while another thread saves step after step from 2; the last step.
template <class Save, class Read>
std::int64_t read_while_saving(const Save& save, const Read& read) {
  std::atomic<bool> is_done{false};
  std::atomic<int> reads{0};
  std::int64_t last = 1;
  std::thread run([&] {  // as long as it takes a slow reader to come eleven times
    while (last < 150 || (reads <= 10 && last < 20000)) save(++last);
    is_done = true;
  });
  std::string said = "(no error)";
  while (!is_done && said == "(no error)") {
    said = error_text(read);
    ++reads;
  }
  if (said != "(no error)") reads = 11;  // the run may end
  run.join();
  CHECK(said == "(no error)");
  CHECK(reads > 10);
  return last;
}

}  // namespace

TEST_CASE("model files: a checkpoint that becomes the best while another is read does no harm") {
  const ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  const auto save = [&](std::int64_t step) { save_classifier(model, step, true); };
  save(1);
  const std::int64_t last = read_while_saving(save, [&] { (void)open_model(model); });
  CHECK(open_model(model).path == model / "checkpoints" / std::to_string(last));
}

TEST_CASE("the labels of a config.json are lines") {
  const auto labels = [](const std::string& second) {
    Json config = Json::Object{{"classes", 2}};
    config.set("id2label", Json::Object{{"0", "neg"}, {"1", second}});
    return labels_of_config(config, "config.json").labels();
  };
  CHECK(labels("pos tive") == std::vector<std::string>{"neg", "pos tive"});
  for (const std::string& bad :
       {std::string("a\nb"), std::string("a\r"), std::string("a\tb"), std::string(1, '\0')}) {
    const std::string said = error_text([&] { labels(bad); });
    CHECK(said.starts_with("config.json: \"id2label\": the label \""));
    CHECK(said.ends_with(" of id 1 holds a line end, TAB or NUL, which would break lines (remove it)"));
  }
}

TEST_CASE("model files: the link `latest` of a run that goes on is read once") {
  const ScratchDirectory scratch;
  const fs::path model = scratch / "model", latest = model / "checkpoints" / "latest";
  const auto save = [&](std::int64_t step) { save_classifier(model, step, step == 1); };
  save(1);
  const std::int64_t last = read_while_saving(save, [&] {
    const ModelFolder folder = open_model(latest, Compared::all);
    const std::string step = folder.read("tokenizer.json");
    CHECK(folder.manifest.value().files[1].xxh3_128 == hash128(step));
    CHECK(folder.path == model / "checkpoints" / step);
  });
  CHECK(open_model(latest).path == model / "checkpoints" / std::to_string(last));
  CHECK(open_model(model).path == model / "checkpoints" / "1");
}

TEST_CASE("model files: a link is followed, what it leads to may be damaged or missing") {
  const ScratchDirectory scratch;
  const fs::path model = scratch / "model", link = scratch / "link";
  CheckpointWriter writer(model, 7);
  writer.add_file("config.json", "{\"model_type\": \"headwater_classifier\"}");
  writer.add_file("tokenizer.json", "7");
  writer.add_file("model.safetensors", "weights");
  writer.finish({.is_best = true});
  fs::create_symlink("model", link);
  CHECK(open_model(link).path == scratch / "model" / "checkpoints" / "7");
  fs::remove(link);
  fs::create_symlink("model/checkpoints/latest", link);  // a link to a link
  CHECK(open_model(link).path == scratch / "model" / "checkpoints" / "7");
  CHECK(open_model(link / "").path == scratch / "model" / "checkpoints" / "7");
  write_file(model / "checkpoints" / "7" / "tokenizer.json", "8");
  CHECK(error_text([&] { (void)open_model(link); }).find("checkpoints/7/tokenizer.json: ") !=
        std::string::npos);
  fs::remove(link);
  fs::create_symlink("nowhere", link);
  CHECK(error_text([&] { (void)open_model(link); }).find("/link: a link that leads nowhere") !=
        std::string::npos);
  fs::remove(link);
  fs::create_symlink("link", link);  // to itself
  CHECK(error_text([&] { (void)open_model(link); }).find("too many levels of symbolic links") !=
        std::string::npos);
}

TEST_CASE("a file of parameters has all tensors, no others, and their shapes") {
  Parameters parameters;
  parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
  parameters.declare("b", {3}, 1, 3, Initializer::zeros);
  parameters.allocate(false);
  const ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "model.safetensors";
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7};
  const TensorView a = float_tensor("a", {2, 2}, numbers), b = float_tensor("b", {3}, numbers + 4),
                   c = float_tensor("c", {1}, numbers);
  const auto read = [&](std::vector<TensorView> tensors) {
    write_file(file, to_safetensors(std::move(tensors)));
    return error_text([&] { read_parameters(file, parameters); });
  };
  CHECK(read({a, b}) == "(no error)");
  CHECK(std::vector<Real>(parameters.values().begin(), parameters.values().end()) ==
        std::vector<Real>{1, 2, 3, 4, 5, 6, 7});
  for (const auto& [tensors, name] : {std::pair{std::vector{a}, "\"b\""},
                                      {std::vector{a, b, c}, "\"c\""},
                                      {std::vector{b, float_tensor("a", {4, 1}, numbers)}, "\"a\""}}) {
    const std::string text = read(tensors);
    INFO(text);
    CHECK(text.starts_with(file.string()));
    CHECK(text.find(name) != std::string::npos);
  }
}

TEST_CASE("parameters for inference are the file's own bytes, where these are floats in the right order") {
  const ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "model.safetensors";
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7};
  const double wide[] = {5, 6, 7};
  TensorView b_wide;
  b_wide.name = "b";
  b_wide.dtype = Dtype::f64;
  b_wide.shape = {3};
  b_wide.bytes = {reinterpret_cast<const char*>(wide), sizeof wide};
  const std::vector<TensorView> flat{float_tensor("a", {2, 2}, numbers), float_tensor("b", {3}, numbers + 4)};
  for (const bool is_flat : {true, false}) {
    write_file(file, to_safetensors(is_flat ? flat : std::vector{flat[0], b_wide}));
    Parameters parameters;
    parameters.declare("b", {3}, 1, 3, Initializer::zeros);
    parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
    map_parameters(Safetensors(file), parameters);
    std::filesystem::remove(file);  // a mapping lives on
    const std::span<Real> values = parameters.values();
    CHECK(std::vector<Real>(values.begin(), values.end()) == std::vector<Real>{1, 2, 3, 4, 5, 6, 7});
    CHECK(parameters.find("a")->value.row(1)[0] == 3);
    CHECK(parameters.find("b")->value.row(0)[2] == 7);
    values[6] = 8;  // stays here
    CHECK(parameters.find("b")->value.row(0)[2] == 8);
  }
  write_file(file, to_safetensors(flat));
  const std::string before = read_file(file);
  Parameters parameters;
  parameters.declare("a", {2, 2}, 2, 2, Initializer::zeros);
  parameters.declare("b", {3}, 1, 3, Initializer::zeros);
  map_parameters(Safetensors(file), parameters);
  for (Real& value : parameters.values()) value = 0;
  CHECK(read_file(file) == before);
}

TEST_CASE("a model is called by its folder, or by the one above a folder that is called model") {
  CHECK(name_of_model("models/recipes/imdb-encoder/model") == "imdb-encoder");
  CHECK(name_of_model("models/recipes/imdb-encoder/model/") == "imdb-encoder");
  CHECK(name_of_model("models/./spa-eng") == "spa-eng");
  CHECK(name_of_model("/a/b/..") == "a");
}
