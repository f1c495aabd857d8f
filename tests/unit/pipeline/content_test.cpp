// What a run was made of, whatever the age of files; who makes it; what must be there before it.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "error_text.hpp"
#include "pipeline/children.hpp"
#include "pipeline/content.hpp"
#include "pipeline/prerequisites.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

TEST_CASE("a record reads back as it was written, names of any characters too") {
  const ScratchDirectory folder;
  CHECK(read_record(folder.path()).recipe.empty());
  RunRecord record;
  record.recipe = "../my \"r\"\n.yaml";
  record.prepared = "0123-4567";
  record.given = {"source.json"};
  record.weights = "89ab";
  record.key = "cdef";
  record.done = {{"plan.txt", "aa", "1:2"}, {"table.txt", "bb", "-"}};
  record.data = {{"t\t1.tsv", "00ff", "1:2:3"}, {":given.source.json", "11", "-"}};
  write_file(folder / kRecordFile, record.json());
  CHECK(read_record(folder.path()).json() == record.json());
  CHECK(find(read_record(folder.path()).data, "t\t1.tsv")->hash == "00ff");
  CHECK(find(read_record(folder.path()).data, "t") == nullptr);
  write_file(folder / kRecordFile, "{\"version\": 1}");
  CHECK(
      error_text([&] { (void)read_record(folder.path()); }).ends_with("(remove the file; the run goes on)"));
}

TEST_CASE("of a run that make has made the recipe is known, and nothing counts as done") {
  const ScratchDirectory folder;
  write_file(folder / "recipe.mk", "set := \n# recipe: ../../mine/r.yaml\n");
  CHECK(read_record(folder.path()).recipe == "../../mine/r.yaml");
  CHECK(read_record(folder.path()).done.empty());
  CHECK(read_record(folder.path()).key.empty());
}

TEST_CASE("a data file is known by its bytes; a file that keeps its state is not read again") {
  const ScratchDirectory folder;
  write_file(folder / "t.tsv", "a\n");
  const KnownFile fresh = look_at(folder / "t.tsv", "t.tsv", nullptr);
  CHECK(fresh.hash == hash_of_file(folder / "t.tsv"));
  CHECK(fresh.state == "-");  // it changed just now, and may again within the clock's tick
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  const KnownFile settled = look_at(folder / "t.tsv", "t.tsv", &fresh);
  CHECK(settled.state != "-");
  const KnownFile before = {"t.tsv", "of another time", settled.state};
  CHECK(look_at(folder / "t.tsv", "t.tsv", &before).hash == "of another time");
  write_file(folder / "t.tsv", "b\n");
  CHECK(look_at(folder / "t.tsv", "t.tsv", &before).hash == hash_of_file(folder / "t.tsv"));
  CHECK(error_text([&] { (void)look_at(folder / "none", "none", nullptr); }).find("none: cannot look at: ") !=
        std::string::npos);
}

TEST_CASE("of what stages have made only what nobody has changed or removed counts") {
  const ScratchDirectory folder;
  KnownFiles made;
  for (const char* name : {"whole", "cut", "gone", "linked", "touched"}) {
    write_file(folder / name, std::string(name) + "\n");
    made.push_back(look_at_made(folder / name, name, nullptr));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  made = unchanged(folder.path(), made);
  REQUIRE(made.size() == 5);
  write_file(folder / "cut", "c");
  fs::remove(folder / "gone");
  fs::create_hard_link(folder / "linked", folder / "another");
  fs::last_write_time(folder / "touched", fs::file_time_type::clock::now());
  const KnownFiles now = unchanged(folder.path(), made);
  REQUIRE(now.size() == 3);
  CHECK((now[0].name == "whole" && now[0].state == made[0].state));
  CHECK((now[1].name == "linked" && now[1].state == made[3].state));  // not read again
  CHECK((now[2].name == "touched" && now[2].state == "-"));           // read again
}

TEST_CASE("one has a claim, and the others learn who") {
  const ScratchDirectory folder;
  const fs::path file = folder / ".lock";
  {
    const std::optional<Claim> mine = Claim::of(file, "models/r (process 7)");
    REQUIRE(mine);
    CHECK(read_file(file) == "models/r (process 7)");
    CHECK_FALSE(Claim::of(file, "another"));
  }
  std::optional<Claim> first = Claim::of(file, "the first");
  std::string told;
  std::thread other([&] {
    const Claim claim = Claim::wait_for(file, "the second", [&](const std::string& who) { told = who; });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  fs::remove(file);  // with all that it was for
  first.reset();
  other.join();
  CHECK(told == "the first");
  CHECK(read_file(file) == "the second");  // not the file that is gone
}

TEST_CASE("programs beside this one: their status, their signal, their log") {
  const ScratchDirectory folder;
  const Children children;
  CHECK(Children::run({"true"}).is_good());
  CHECK(Children::run({"sh", "-c", "exit 7"}).status == 7);
  CHECK(Children::run({"sh", "-c", "kill -9 $$"}).signal == 9);
  const fs::path log = folder / "log";
  CHECK(Children::run({"sh", "-c", "cat; echo out; echo err >&2"}, log).is_good());
  CHECK(read_file(log) == "out\nerr\n");
  CHECK(Children::run({"no-such-program"}, log).status == 127);
  CHECK(read_file(log).find("no-such-program: cannot be started: ") != std::string::npos);
  Children::start([] { return 5; });
  CHECK(Children::wait().second.status == 5);
  CHECK_FALSE(Children::is_told());
}

TEST_CASE("recipes stand behind those whose models they read") {
  CHECK(in_order({{"a", {"c", "e"}}, {"b", {}}, {"c", {"d"}}, {"d", {}}, {"e", {}}}) ==
        std::vector<std::string>{"d", "c", "e", "a", "b"});
  CHECK(in_order({{"a", {"elsewhere"}}}) == std::vector<std::string>{"elsewhere", "a"});
}

TEST_CASE("a model is of a recipe of ours where its path says so and the recipe is there") {
  const ScratchDirectory house;
  fs::create_directories(house / "recipes");
  write_file(house / "recipes/bert.yaml", "# Takes:  2.5 hours on two cores\n");
  write_file(house / "recipes/quick.yaml", "# Takes:    90 seconds\n");
  CHECK(maker_of(house.path(), "models/recipes/bert/model") == "bert");
  CHECK(maker_of(house.path(), "models/recipes/other/model").empty());
  CHECK(maker_of(house.path(), "/x/models/recipes/bert/model").empty());
  CHECK(maker_of(house.path(), "").empty());
  fs::create_symlink("lost.yaml", house / "recipes/lost.yaml");  // what cannot be read is not absent
  CHECK(error_text([&] {
          maker_of(house.path(), "models/recipes/lost/model");
        }).find("recipes/lost.yaml: a link that leads nowhere") != std::string::npos);
  CHECK(minutes_of(house / "recipes/bert.yaml") == 150);
  CHECK(minutes_of(house / "recipes/quick.yaml") == 1.5);
}

TEST_CASE("why data cannot be had is known beforehand") {
  const ScratchDirectory house, mirror, data;
  fs::create_directories(house / "data");
  write_file(house / "data/prepare-reviews.sh", "set -eu\n\"$here/fetch.sh\" imdb \"$data\"\n");
  write_file(house / "data/sets.txt", "imdb|train.tsv|imdb/train.tsv.xz|https://x|y|z\n");
  const auto why = [&](const fs::path& of) { return missing_data(house.path(), "reviews", data.path(), of); };
  CHECK(why("").empty());  // a server may have them
  CHECK(why(mirror.path()) == (mirror / "imdb/train.tsv.xz").string() + ": no such file");
  fs::create_directories(mirror / "imdb");
  write_file(mirror / "imdb/train.tsv.xz", "");
  CHECK(why(mirror.path()).empty());
  fs::remove(mirror / "imdb/train.tsv.xz");
  fs::create_directories(data / "reviews");
  write_file(data / "reviews/train.tsv", "");
  CHECK(why(mirror.path()).empty());  // prepared before
}
