// Sets of labels, names that are numbers among them: one spelling has one meaning, or none.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "data/labels.hpp"
#include "data/token_dataset.hpp"

using namespace headwater;

namespace {

// Names as data have them; each as often another's id as its own.
const std::vector<std::string> kNames = {"0",   "1",   "2",  "3",  "4",   "5",   "6",    "7",  "8",
                                         "10",  "-1",  "01", "00", "1.0", "+1",  "1e0",  "0x", "100",
                                         "neg", "pos", " 1", "٣",  "1 2", "# 1", "#ids", "a b"};

LabelSet drawn_set(std::mt19937_64& random) {
  std::vector<std::string> names = kNames;
  std::shuffle(names.begin(), names.end(), random);
  names.resize(2 + random() % 7);
  if (random() % 2 == 0) std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return LabelSet::parse(text, "drawn");
}

TokenDataset column_of(const LabelSet& labels, LabelsAs as) {
  return TokenDataset({{.name = "source", .vocabulary = 10},
                       {.name = "label",
                        .vocabulary = labels.size(),
                        .vocabulary_hash = labels.hash(),
                        .labels = &labels,
                        .labels_as = as}});
}

// The ids that are read of all labels of the set in this order; none where the column is refused.
std::vector<std::int32_t> read(const LabelSet& labels, const std::vector<std::int32_t>& order,
                               LabelsAs written, LabelsAs said, bool has_header = false) {
  TokenDataset columns = column_of(labels, said);
  std::vector<std::int32_t> ids;
  try {
    if (has_header) {
      columns.add_line("#ids v1 size=10 pad=0\t#ids v1 vocab=" + labels.hash().substr(0, 16) +
                           " size=" + std::to_string(labels.size()) + " pad=-1",
                       "t:1");
    }
    for (const std::int32_t id : order) {
      columns.add_line("1\t" + (written == LabelsAs::ids ? std::to_string(id) : labels.labels()[id]), "t:2");
    }
  } catch (const Error&) {
    return {};
  }
  for (std::int64_t i = 0; i < columns.examples(); ++i) ids.push_back(columns.ids(1, i)[0]);
  return ids;
}

}  // namespace

TEST_CASE("labels: of any set a column is read as it was written, or refused") {
  std::mt19937_64 random(1);
  int refused = 0, taken = 0;
  for (int round = 0; round < 3000; ++round) {
    const LabelSet labels = drawn_set(random);
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < 12; ++i)
      order.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(labels.size())));
    INFO(labels.shown());
    CHECK(read(labels, order, LabelsAs::names, LabelsAs::names) == order);
    CHECK(read(labels, order, LabelsAs::ids, LabelsAs::ids) == order);
    CHECK(read(labels, order, LabelsAs::ids, LabelsAs::unsaid, true) == order);
    for (const LabelsAs written : {LabelsAs::names, LabelsAs::ids}) {
      const std::vector<std::int32_t> ids = read(labels, order, written, LabelsAs::unsaid);
      // Refused are these sets and no others, whatever the lines are.
      CHECK(ids.empty() == (labels.name_of_other_id() != nullptr));
      CHECK((ids.empty() || ids == order));
      ++(ids.empty() ? refused : taken);
    }
  }
  CHECK(refused > 500);
  CHECK(taken > 500);
}
