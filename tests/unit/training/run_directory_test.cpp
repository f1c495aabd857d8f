#include "training/run_directory.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "error_text.hpp"
#include "families/translator/directory.hpp"
#include "scratch_directory.hpp"
#include "support/bits_version.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

void ignore(const std::string&) {}

constexpr const char* kHeaderLine = "step,epoch,loss,seconds";

// A run that has one parameter.
struct Toy {
  Recipe recipe;
  Parameters parameters;
  ScratchDirectory scratch;
  TrainingState state;
  std::string header = kHeaderLine;
  std::vector<DirectoryFile> files;
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
    return std::make_unique<RunDirectory>(scratch.path(), recipe, files, header, existing, ignore);
  }
  bool resume(RunDirectory& directory) { return directory.resume(state, parameters, optimizer->states()); }
  std::string log() const { return read_file(scratch / "log.csv"); }
};

const std::string kHeader = std::string(kHeaderLine) + "\n";

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
  header = "step,epoch,tokens,loss,new,seconds,tokens_per_second,newer";
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
  CHECK(log() == header + "\n2,1,,0.5,,7,8,\n4,1,,0.25,,9,,\n");
}

TEST_CASE_FIXTURE(Toy, "a log without rows that the checkpoint promises ends the run before it begins") {
  recipe.training.log_every = 2;
  {
    const auto directory = open();
    resume(*directory);
    for (const char* row : {"2,1,a", "3,1,end", "4,2,b", "5,2,c"}) directory->append_log(row);
    state.step = 5;
    state.epoch = 1;
    state.position = 7;
    directory->save(state, parameters, optimizer->states(), false);
  }
  const fs::path path = scratch / "log.csv";
  const std::string whole = log(), there = ", but the checkpoint of step 5 is there";
  const auto said = [&](const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
    const std::string message = error_text([&] { resume(*open()); });
    if (message != "(no error)") CHECK(log() == text);  // left as it was
    return message;
  };
  const auto refused = [&](const std::string& why) {
    return path.string() + ": " + why + " (bring it back, or start anew with --overwrite)";
  };
  CHECK(said(whole) == "(no error)");
  CHECK(said("") == refused("is not the log of a run"));
  CHECK(said("garbage\n\1\2\n") == refused("is not the log of a run"));
  CHECK(said(kHeader) == refused("has no row of step 2" + there));
  CHECK(said(kHeader + "2,1,a\n3,1,end\n4,2,") == refused("has no row of step 4" + there));
  CHECK(said(kHeader + "3,1,end\n4,2,b\n5,2,c\n") == refused("has no row of step 2" + there));
  CHECK(said(kHeader + "2,x\n4,2,b\n") == refused("has no row of the end of epoch 1" + there));
  fs::remove(path);
  CHECK(error_text([&] { resume(*open()); }) == refused("is gone" + there));
  fs::create_symlink("elsewhere", path);
  CHECK(error_text([&] { resume(*open()); }) == refused("is no regular file"));
}

TEST_CASE_FIXTURE(Toy, "a run does not go on where its best checkpoint is damaged") {
  {
    const auto directory = open();
    resume(*directory);
    for (state.step = 1; state.step < 3; ++state.step)
      directory->save(state, parameters, optimizer->states(), state.step == 1);
  }
  CHECK(error_text([&] { open(); }) == "(no error)");
  std::ofstream(scratch / "checkpoints/1/state.json", std::ios::app) << "x";
  const std::string message = error_text([&] { open(); });
  CHECK(message.find("checkpoints/1/state.json: has ") != std::string::npos);
  CHECK(message.ends_with("; it is the best of the run (bring it back, or start anew with --overwrite)"));
}

TEST_CASE_FIXTURE(Toy, "where every checkpoint is damaged nothing starts anew by itself") {
  {
    const auto directory = open();
    CHECK_FALSE(directory->starts_anew());
    resume(*directory);
    CHECK_FALSE(directory->has_checkpoint());
  }
  CHECK(open()->starts_anew());
  {
    const auto directory = open();
    resume(*directory);
    for (state.step = 1; state.step < 3; ++state.step)
      directory->save(state, parameters, optimizer->states(), false);
    CHECK(directory->has_checkpoint());
  }
  CHECK_FALSE(open()->starts_anew());
  for (const char* step : {"1", "2"})
    std::ofstream(scratch / "checkpoints" / step / "state.json", std::ios::app) << "x";
  CHECK(error_text([&] { open(); }) ==
        scratch.path().string() +
            ": every checkpoint is damaged (bring one back, or start anew with --overwrite)");
  {
    const auto directory = open(ExistingRun::overwrite);
    CHECK(fs::exists(scratch / "checkpoints" / "2"));  // until the run begins
    resume(*directory);
    CHECK_FALSE(fs::exists(scratch / "checkpoints" / "2"));
  }
  CHECK_FALSE(open()->has_checkpoint());
}

TEST_CASE_FIXTURE(Toy, "what stands where the run will write is found before the run") {
  const auto said = [&](const fs::path& name, bool is_folder) {
    const fs::path path = scratch / name;
    if (is_folder) {
      fs::create_directories(path);
    } else {
      fs::create_directories(path.parent_path());
      std::ofstream(path) << "mine\n";
    }
    std::string messages;
    for (const ExistingRun existing : {ExistingRun::resume, ExistingRun::overwrite}) {
      const std::string message = error_text([&] { open(existing); });
      CHECK(message.starts_with(path.string() + ": is no "));
      CHECK(message.ends_with(" (move it away, or train into another directory)"));
      messages +=
          message.substr(path.string().size() + 5, message.find(" (") - path.string().size() - 5) + ";";
    }
    fs::remove_all(path);
    return messages;
  };
  const std::string no_link = "no link to the best checkpoint;no link to the best checkpoint;";
  for (const char* name : {"model.safetensors", "recipe.yaml"}) {
    CHECK(said(name, false) == no_link);
    CHECK(said(name, true) == no_link);
  }
  for (const char* name : {"checkpoints/latest", "checkpoints/best"}) CHECK(said(name, false) == no_link);
  fs::remove_all(scratch / "checkpoints");
  CHECK(said("log.csv", true) == "no regular file;no regular file;");
  CHECK(said("checkpoints/12", false) == "no folder;no folder;");
  fs::remove_all(scratch / "checkpoints");
  CHECK(said("checkpoints", false) == "no folder;no folder;");
  CHECK(error_text([&] { open(); }) == "(no error)");
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
            ": its examples have the hash data, these others (give the same data, or start anew with "
            "--overwrite)");
}

TEST_CASE_FIXTURE(Toy, "the bits version of the newest checkpoint, where it is another one") {
  const auto noticed = [&](const std::string& config) {
    files = {{"config.json", config}};
    {
      const auto directory = open(ExistingRun::overwrite);
      CHECK_FALSE(directory->other_bits_version());
      resume(*directory);
      directory->save(state, parameters, optimizer->states(), true);
    }
    return open()->other_bits_version();
  };
  CHECK(noticed(R"({"bits_version": )" + std::to_string(kBitsVersion) + "}") == std::nullopt);
  CHECK(noticed(R"({"bits_version": 77})") == 77);
  CHECK(noticed("{}") == std::nullopt);  // as before there were any
  const std::string where = (scratch / "checkpoints/0/config.json").string() + ": ";
  CHECK(error_text([&] { noticed(R"({"bits_version": 0})"); }) ==
        where + R"("bits_version" is 0, expected 1 to 2147483647)");
  CHECK(error_text([&] { noticed(R"({"bits_version": "x"})"); }) ==
        where + R"("bits_version": expected an integer, found a string)");
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
