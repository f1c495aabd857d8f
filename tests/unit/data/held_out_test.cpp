#include "data/held_out.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

namespace headwater {

TEST_CASE("the split is a share of the examples, the same for the same seed") {
  const auto split = split_by_seed(1000, 0.15, 1);
  CHECK(split.size() == 150);
  CHECK(std::set<std::uint32_t>(split.begin(), split.end()).size() == 150);
  for (std::size_t i = 1; i < split.size(); ++i) CHECK(split[i - 1] < split[i]);
  CHECK(split.back() < 1000);
  CHECK(split_by_seed(1000, 0.15, 1) == split);
  CHECK(split_by_seed(1000, 0.15, 2) != split);
  CHECK(split_by_seed(1000, 0, 1).empty());
  CHECK(split_by_seed(2, 0.01, 1).size() == 1);
  CHECK(split_by_seed(3, 0.999, 1).size() == 2);
  CHECK(split_by_seed(1, 0.5, 1).empty());
  CHECK(split_by_seed(0, 0.5, 1).empty());
}

namespace {

struct Texts {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> groups;
  void add(const std::string& text, std::uint32_t group, std::uint64_t seed = 1) {
    keys.push_back(split_key(text, seed));
    groups.push_back(group);
  }
  std::vector<std::uint32_t> held_out(double fraction) const { return split_by_text(keys, groups, fraction); }
};

Texts of_two_labels(std::uint32_t count, std::uint64_t seed = 1) {
  Texts texts;
  for (std::uint32_t i = 0; i < count; ++i) texts.add("text " + std::to_string(i), i % 10 == 0 ? 1 : 0, seed);
  return texts;
}

}  // namespace

TEST_CASE("a share of each group is held out, never a group's only example") {
  Texts texts = of_two_labels(100);
  texts.add("alone", 2);
  texts.add("one", 4);  // 3 has none
  texts.add("other", 4);
  const std::vector<std::uint32_t> held_out = texts.held_out(0.2);
  CHECK(std::is_sorted(held_out.begin(), held_out.end()));
  CHECK(std::adjacent_find(held_out.begin(), held_out.end()) == held_out.end());
  std::vector<int> counts(5);
  for (const std::uint32_t i : held_out) ++counts[texts.groups[i]];
  CHECK(counts == std::vector<int>{18, 2, 0, 0, 1});
  CHECK(of_two_labels(100).held_out(0.2) != of_two_labels(100, 2).held_out(0.2));
  CHECK(Texts().held_out(0.2).empty());
  CHECK(texts.held_out(0).empty());
}

TEST_CASE(
    "the same texts are held out whatever their order, and nearly all of them from a file that has grown") {
  const Texts few = of_two_labels(1000), many = of_two_labels(3000);
  Texts turned;
  for (std::size_t i = few.keys.size(); i-- > 0;) {
    turned.keys.push_back(few.keys[i]);
    turned.groups.push_back(few.groups[i]);
  }
  const auto keys = [](const Texts& texts) {
    std::set<std::uint64_t> all;
    for (const std::uint32_t i : texts.held_out(0.1)) all.insert(texts.keys[i]);
    return all;
  };
  CHECK(keys(turned) == keys(few));
  // A draw by place would take a tenth of the old held-out texts again, and nine of ten from what was
  // learned.
  const std::set<std::uint64_t> later = keys(many);
  std::size_t learned = 0, old = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    if (!later.contains(few.keys[i])) continue;
    ++old;
    learned += keys(few).contains(few.keys[i]) ? 0 : 1;
  }
  CHECK(old > 80);
  CHECK(learned <= 20);
}

TEST_CASE("a text that stands twice stands on one side") {
  Texts texts;
  for (std::uint32_t i = 0; i < 300; ++i) texts.add("text " + std::to_string(i % 60), 0);
  const std::vector<std::uint32_t> held_out = texts.held_out(0.11);
  CHECK(held_out.size() == 35);  // of the share, 33, the nearest multiple of 5
  std::set<std::uint64_t> there;
  for (const std::uint32_t i : held_out) there.insert(texts.keys[i]);
  CHECK(there.size() == 7);
  CHECK(texts.held_out(0.106).size() == 30);
  // Where all that is left is one text, less is held out; where there is but one, it must stand on both.
  Texts two;
  two.add(split_key("a", 1) < split_key("b", 1) ? "a" : "b", 0);
  for (int i = 0; i < 9; ++i) two.add(split_key("a", 1) < split_key("b", 1) ? "b" : "a", 0);
  CHECK(two.held_out(0.5) == std::vector<std::uint32_t>{0});
  Texts one;
  for (int i = 0; i < 4; ++i) one.add("a", 0);
  CHECK(one.held_out(0.5).size() == 2);
}

}  // namespace headwater
