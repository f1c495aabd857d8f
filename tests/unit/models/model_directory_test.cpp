#include "tasks/model_directory.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "checkpoint/directory.hpp"
#include "error_text.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

TEST_CASE("model files: a checkpoint that becomes the best while another is read does no harm") {
  const ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  const auto save = [&](std::int64_t step) {
    CheckpointWriter writer(model, step);
    writer.add_file("config.json", "{\"model_type\": \"headwater_classifier\"}");
    writer.add_file("tokenizer.json", std::to_string(step));
    writer.add_file("model.safetensors", std::string(20000, static_cast<char>('a' + step % 20)));
    writer.finish({.is_best = true, .keep_newest = 2});
  };
  save(1);
  std::atomic<bool> is_done{false};
  std::thread run([&] {
    for (std::int64_t step = 2; step <= 150; ++step) save(step);
    is_done = true;
  });
  int reads = 0;
  std::string said = "(no error)";
  while (!is_done && said == "(no error)") {
    said = error_text([&] { (void)model_files(model); });
    ++reads;
  }
  run.join();
  CHECK(said == "(no error)");
  CHECK(reads > 10);
  CHECK(model_files(model) == model / "checkpoints" / "150");
}
