#include "training/run_directory.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/files.hpp"
#include "tasks/classification.hpp"
#include "tasks/encoder_decoder.hpp"

using namespace headwater;

namespace {

void ignore(const std::string&) {}

// A run that has one parameter.
struct Toy {
  Recipe recipe;
  Parameters parameters;
  ScratchDirectory scratch;
  TrainingState state;
  std::span<const std::string_view> figure_names;
  std::unique_ptr<Optimizer> optimizer;

  Toy() {
    recipe.name = "toy";
    recipe.model = model_section(EncoderDecoderSettings());
    parameters.declare("weight", {2, 3}, 2, 3, Initializer::glorot_uniform, 2, 3);
    parameters.allocate(true);
    parameters.initialize(1);
    optimizer = std::make_unique<Optimizer>(recipe.training.optimizer, parameters);
    state.data_hash = "data";
  }

  std::unique_ptr<RunDirectory> open(ExistingRun existing = ExistingRun::resume) {
    return std::make_unique<RunDirectory>(scratch.path(), recipe, std::vector<DirectoryFile>{}, figure_names,
                                          existing, ignore);
  }
  bool resume(RunDirectory& directory) { return directory.resume(state, parameters, optimizer->states()); }
  std::string log() const { return read_file(scratch / "log.csv"); }
};

const std::string kHeader = log_header({}) + "\n";

}  // namespace

TEST_CASE_FIXTURE(Toy, "a new run begins with the log's header") {
  const auto directory = open();
  CHECK_FALSE(resume(*directory));
  CHECK(log() == kHeader);
  directory->append_log("2,1,x");
  CHECK(log() == kHeader + "2,1,x\n");
}

TEST_CASE_FIXTURE(Toy, "resuming cuts the log back to the checkpoint's step") {
  const auto begin = [&] {
    const auto directory = open();
    resume(*directory);
    directory->append_log("2,1,a");
    directory->append_log("4,1,b");
    state.step = 4;
    directory->save(state, parameters, optimizer->states(), true);
    directory->append_log("6,1,c");
  };
  begin();
  SUBCASE("whole rows") {}
  SUBCASE("a torn row") { std::ofstream(scratch / "log.csv", std::ios::app) << "8,2,to"; }
  SUBCASE("a torn row that looks like an early one") {
    std::ofstream(scratch / "log.csv", std::ios::app) << "3";
  }
  SUBCASE("rows that are no rows") { std::ofstream(scratch / "log.csv", std::ios::app) << "\n,,\nx\n-1,2\n"; }
  const auto directory = open();
  state = {};
  state.data_hash = "data";
  CHECK(resume(*directory));
  CHECK(state.step == 4);
  CHECK(log() == kHeader + "2,1,a\n4,1,b\n");
}

TEST_CASE_FIXTURE(Toy, "rows of an older version are moved under the columns of this one") {
  figure_names = LabelMeasure::figure_names();
  {
    const auto directory = open();
    resume(*directory);
    state.step = 4;
    directory->save(state, parameters, optimizer->states(), true);
  }
  std::ofstream(scratch / "log.csv") << "step,epoch,gone,loss,seconds,tokens_per_second\n"
                                        "2,1,x,0.5,7,8\n"
                                        "4,1,x,0.25,9\n"
                                        "6,1,x,0.125,9,9\n";
  const auto directory = open();
  CHECK(resume(*directory));
  CHECK(log() == log_header(figure_names) + "\n2,1,,0.5,,,,,,,,,,7,8\n4,1,,0.25,,,,,,,,,,9,\n");
}

TEST_CASE_FIXTURE(Toy, "a log that was lost starts anew") {
  {
    const auto directory = open();
    resume(*directory);
    state.step = 4;
    directory->save(state, parameters, optimizer->states(), false);
  }
  fs::remove(scratch / "log.csv");
  const auto directory = open();
  CHECK(resume(*directory));
  CHECK(log() == kHeader);
}

TEST_CASE_FIXTURE(Toy, "parameters and optimizer state come back to the bit") {
  {
    const auto directory = open();
    resume(*directory);
    optimizer->states()[0].values[4] = 0.125f;
    parameters.values()[1] = -7.5f;
    state.step = 9;
    directory->save(state, parameters, optimizer->states(), false);
  }
  optimizer->states()[0].values[4] = 0;
  parameters.values()[1] = 0;
  state.step = 0;
  const auto directory = open();
  CHECK(resume(*directory));
  CHECK(state.step == 9);
  CHECK(optimizer->states()[0].values[4] == 0.125f);
  CHECK(parameters.values()[1] == -7.5f);
}

TEST_CASE_FIXTURE(Toy, "links that the last run had no time for are made on resuming") {
  {
    const auto directory = open();
    resume(*directory);
    state.step = 3;
    directory->save(state, parameters, optimizer->states(), true);
  }
  fs::remove(scratch / "model.safetensors");
  const auto directory = open();
  CHECK(resume(*directory));
  CHECK(fs::read_symlink(scratch / "model.safetensors") == "checkpoints/best/model.safetensors");
}

TEST_CASE_FIXTURE(Toy, "other data are refused") {
  {
    const auto directory = open();
    resume(*directory);
    state.step = 1;
    directory->save(state, parameters, optimizer->states(), false);
  }
  const auto directory = open();
  state.data_hash = "others";
  CHECK(error_text([&] { resume(*directory); }) ==
        scratch.path().string() +
            ": its examples have the hash data, these others (give the same data, or --overwrite)");
}

TEST_CASE_FIXTURE(Toy, "a directory that cannot be written says so") {
  const auto directory = open();
  resume(*directory);
  fs::remove(scratch / "log.csv");
  fs::create_directory(scratch / "log.csv");
  CHECK(error_text([&] {
          directory->append_log("1");
        }).starts_with((scratch / "log.csv").string() + ": cannot open: "));
}
