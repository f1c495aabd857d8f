#include "recipe/changes.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {
namespace {

void put_at(Node& node, int line) {
  node.place = {line, 1};
  for (Node& item : node.items) put_at(item, line);
  for (Node::Entry& entry : node.entries) {
    entry.place = {line, 1};
    put_at(entry.value, line);
  }
}

Node value_of(const std::string& text, const std::string& called) {
  Problems problems("", {called});
  if (text.find_first_of("\r\n") != std::string::npos)
    problems.stop({1, 1}, "a line end (write the value in one line)");
  Node root = parse_document("value: " + text, problems);
  problems.throw_if_any();
  return std::move(root.entries.front().value);
}

Node::Entry* entry_of(Node& map, const std::string& key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const Node::Entry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> names_of_changes(const std::vector<std::string>& changes) {
  std::vector<std::string> names;
  for (const std::string& change : changes) names.push_back("--set " + visible(change));
  return names;
}

Node parse_changes(const std::vector<std::string>& changes, Problems& problems) {
  const std::vector<std::string> names = names_of_changes(changes);
  Node root;
  root.kind = Node::Kind::map;
  root.place = {0, 1};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    const std::size_t equals = changes[i].find('=');
    if (equals == std::string::npos || equals == 0)
      problems.stop({line, 1}, "wanted KEY=VALUE (for instance --set training.epochs=3)");
    std::string path = changes[i].substr(0, equals);
    Node* map = &root;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
      Node::Entry* below = entry_of(*map, path.substr(0, dot));
      if (below == nullptr) {
        Node section;
        section.kind = Node::Kind::map;
        section.place = {line, 1};
        map->entries.push_back({path.substr(0, dot), {line, 1}, std::move(section)});
        below = &map->entries.back();
      }
      if (below->value.kind != Node::Kind::map)
        problems.stop({line, 1}, quote(path.substr(0, dot)) + " has a value already (remove one --set)");
      map = &below->value;
      path.erase(0, dot + 1);
    }
    if (entry_of(*map, path) != nullptr) {
      problems.add({line, 1}, quote(path) + " is set twice (remove one --set)");
      continue;
    }
    Node value = value_of(changes[i].substr(equals + 1), names[i]);
    put_at(value, line);
    map->entries.push_back({path, {line, 1}, std::move(value)});
  }
  return root;
}

}  // namespace headwater
