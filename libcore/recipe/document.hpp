// A YAML document as a tree in which every value knows its place, and the list of what is wrong with it.
// Strict on purpose (libcore/FORMATS.md, recipes): no anchors, aliases, merges, tags, directives, second
// documents or duplicate keys.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

// Both from 1; the column counts code points.
struct Place {
  int line = 1, column = 1;
  auto operator<=>(const Place&) const = default;
};

// Errors of one document, gathered so that a user can mend several at once.
class Problems {
 public:
  explicit Problems(std::string_view where) : where_(where) {}
  // Collects those of several documents of one line each: a place's line is the number of a document, 0 means
  // all of them together, and an error is "what it is called: what".
  Problems(std::string_view where, std::vector<std::string> called)
      : where_(where), called_(std::move(called)) {}
  void add(Place place, std::string what) { found_.emplace_back(place, std::move(what)); }
  // Throws UsageError with one line "where:line:column: what" for each of the first ten, in the order of the
  // document.
  void throw_if_any();
  // For errors after which the rest cannot be understood.
  [[noreturn]] void stop(Place place, std::string what);
  bool any() const { return !found_.empty(); }

 private:
  std::string prefix(Place place) const;

  std::string where_;
  std::vector<std::string> called_;
  std::vector<std::pair<Place, std::string>> found_;
};

struct Node {
  enum class Kind { null, scalar, sequence, map };
  struct Entry;

  Kind kind = Kind::null;
  Place place;
  std::string text;       // of a scalar
  bool is_plain = false;  // the scalar stood without quotes
  std::vector<Node> items;
  std::vector<Entry> entries;
};

struct Node::Entry {
  std::string key;
  Place place;
  Node value;
  bool is_key_plain = true;  // the key stood without quotes
};

// The entry of a key in a map; null where it has none.
const Node::Entry* find_entry(const Node& map, std::string_view key);

// "a number", "a list", ...: for messages.
std::string_view describe(const Node& node);

// Parses `text`, which must be a map at the top. What can be gone past (a duplicate key) is added to
// `problems`, anything else thrown.
Node parse_document(std::string_view text, Problems& problems);

}  // namespace headwater
