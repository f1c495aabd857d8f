#include "recipe/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxDocumentBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 10000;
constexpr std::size_t kMaxProblems = 10;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What is checked before yaml-cpp sees the text.
class BeforeParsing {
 public:
  explicit BeforeParsing(Problems& problems) : problems_(problems) {}

  void check(std::string_view text) {
    if (text.size() > kMaxDocumentBytes)
      stop({}, std::to_string(text.size()) + " bytes, more than 1 MiB (is this a recipe?)");
    if (text.starts_with("\xEF\xBB\xBF")) stop({}, "a byte order mark (save as UTF-8 without it)");
    int number = 0;
    for (const std::string_view line : split_lines(text)) {
      ++number;
      check_bytes(line, number);
      check_start(line, number);
      check_depth(line, number);
    }
  }

 private:
  [[noreturn]] void stop(Place place, std::string what) { problems_.stop(place, std::move(what)); }

  static int column(std::string_view line, std::size_t byte) {
    return static_cast<int>(count_code_points(line.substr(0, byte))) + 1;
  }

  void check_bytes(std::string_view line, int number) {
    const std::size_t bad = find_invalid_utf8(line);
    if (bad != std::string_view::npos)
      stop({number, column(line, bad)}, "invalid UTF-8 (save the file as UTF-8)");
    for (std::size_t at = 0; at < line.size(); ++at) {
      const unsigned char byte = static_cast<unsigned char>(line[at]);
      if (byte == '\t' || (byte >= 0x20 && byte != 0x7F)) continue;
      const Place place{number, column(line, at)};
      if (byte == 0) stop(place, "a NUL byte (is this a text file?)");
      if (byte == '\r') stop(place, "a carriage return inside a line (end lines with LF or CR LF)");
      stop(place, "a control character (remove it)");
    }
  }

  void check_start(std::string_view line, int number) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    if (start < line.size() && line[start] == '\t' &&
        line.find_first_not_of(" \t") != std::string_view::npos) {
      stop({number, static_cast<int>(start) + 1}, "a tab in the indentation (use spaces)");
    }
    if (line.starts_with('%')) stop({number, 1}, "a YAML directive (remove the line)");
    if (line.substr(start).starts_with("? ") || line.substr(start) == "?") {
      stop({number, static_cast<int>(start) + 1}, "a complex key (write key: value)");
    }
    std::size_t nested = 0;
    for (std::size_t at = start; line.substr(at).starts_with("- "); ++nested) {
      at = std::min(line.find_first_not_of(' ', at + 1), line.size());
    }
    if (nested > kMaxDepth) too_deep({number, 1});
  }

  // A bound on brackets alone: the parser would queue them all before the first event.
  void check_depth(std::string_view line, int number) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '[' || line[at] == '{') ++open_brackets_;
      if ((line[at] == ']' || line[at] == '}') && open_brackets_ > 0) --open_brackets_;
      if (open_brackets_ > kMaxDepth) too_deep({number, column(line, at)});
    }
  }

  [[noreturn]] void too_deep(Place place) {
    stop(place, "nested deeper than 64 levels (a recipe needs five)");
  }

  Problems& problems_;
  std::size_t open_brackets_ = 0;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Problems& problems) : lines_(split_lines(text)), problems_(problems) {}

  Node take_root() { return std::move(root_); }
  int documents() const { return documents_; }
  bool ends_quoted() const { return ends_quoted_; }
  Place last_scalar_place() const { return last_scalar_place_; }
  const std::string& last_scalar() const { return last_scalar_; }

  // yaml-cpp counts lines and bytes from 0.
  Place place(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    Place place{mark.line + 1, mark.column + 1};
    if (mark.line >= 0 && static_cast<std::size_t>(mark.line) < lines_.size()) {
      const std::string_view line = lines_[mark.line];
      const std::size_t bytes = std::min(static_cast<std::size_t>(std::max(mark.column, 0)), line.size());
      place.column = static_cast<int>(count_code_points(line.substr(0, bytes))) + 1;
    }
    return place;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) problems_.stop(place(mark), "a second document (a recipe is one; remove the ---)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    attach(Node{.kind = Node::Kind::null, .place = place(mark), .text = {}, .items = {}, .entries = {}});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problems_.stop(place(mark), "an alias with * (write the value out; quote a text that begins with *)");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool is_plain = tag == "?" || tag.empty();
    check(mark, tag == "!" ? "" : tag, anchor);
    ends_quoted_ = !is_plain;
    last_scalar_place_ = place(mark);
    if (ends_quoted_) last_scalar_ = value;
    attach(Node{.kind = Node::Kind::scalar,
                .place = place(mark),
                .text = value,
                .is_plain = is_plain,
                .items = {},
                .entries = {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    bool has_key = false, is_key_plain = true;
    bool is_dropped = false;  // the value at hand belongs to a key that stood before
    std::string key;
    Place key_place;
  };

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (++nodes_ > kMaxNodes) problems_.stop(place(mark), "more than 10,000 values (is this a recipe?)");
    if (anchor != YAML::NullAnchor) {
      problems_.stop(place(mark), "an anchor with & (write the value out; quote a text that begins with &)");
    }
    if (!tag.empty() && tag != "?") {
      problems_.stop(place(mark), "a tag " + quote(tag) + " (remove it; quote a text that begins with !)");
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check(mark, tag, anchor);
    if (stack_.size() >= kMaxDepth) {
      problems_.stop(place(mark), "nested deeper than 64 levels (a recipe needs five)");
    }
    if (!stack_.empty() && stack_.back().node.kind == Node::Kind::map && !stack_.back().has_key) {
      problems_.stop(place(mark), "a key that is a list or map (write key: value)");
    }
    Frame frame;
    frame.node.kind = kind;
    frame.node.place = place(mark);
    stack_.push_back(std::move(frame));
  }

  void close() {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    attach(std::move(node));
  }

  void attach(Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& top = stack_.back();
    if (top.node.kind == Node::Kind::sequence) {
      top.node.items.push_back(std::move(node));
    } else if (!top.has_key) {
      set_key(top, node);
    } else {
      if (!top.is_dropped)
        top.node.entries.push_back({top.key, top.key_place, std::move(node), top.is_key_plain});
      top.has_key = false;
    }
  }

  void set_key(Frame& top, const Node& node) {
    if (node.kind != Node::Kind::scalar) problems_.stop(node.place, "an empty key (write key: value)");
    if (node.is_plain && node.text == "<<")
      problems_.stop(node.place, "a merge with << (write the keys out)");
    top.has_key = true;
    top.is_key_plain = node.is_plain;
    top.is_dropped = false;
    top.key = node.text;
    top.key_place = node.place;
    for (const Node::Entry& entry : top.node.entries) {
      if (entry.key != node.text) continue;
      problems_.add(node.place, "duplicate key " + quote(node.text) + ", first in line " +
                                    std::to_string(entry.place.line) + " (remove one)");
      top.is_dropped = true;
    }
  }

  std::vector<std::string_view> lines_;
  Problems& problems_;
  std::vector<Frame> stack_;
  Node root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  bool ends_quoted_ = false;
  std::string last_scalar_;
  Place last_scalar_place_;
};

void parse_events(const std::string& text, TreeBuilder& builder, Problems& problems) {
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    // Its mark for the end of the text, which a text has no other way to hold.
    if (error.msg.find('\x04') != std::string::npos)
      problems.stop(builder.place(error.mark), "a quote that is not closed (put the second one)");
    problems.stop(builder.place(error.mark), "not valid YAML: " + visible(error.msg) +
                                                 " (look at the indentation, colons, quotes and brackets)");
  }
}

// yaml-cpp 0.7 takes a quoted text that the end of the file cuts off. Then it also swallows a comment put
// after it.
bool is_last_quote_open(const std::string& text) {
  const std::string after = "# after the last quote";
  Problems problems("");
  const std::string longer = text + "\n" + after + "\n";
  TreeBuilder builder(longer, problems);
  parse_events(longer, builder, problems);
  return builder.ends_quoted() && builder.last_scalar().find(after) != std::string::npos;
}

// CR LF is LF; yaml-cpp's own treatment of CR depends on where it stands.
std::string with_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    out += text[at];
  }
  return out;
}

}  // namespace

void Problems::throw_if_any() {
  if (found_.empty()) return;
  std::stable_sort(found_.begin(), found_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(found_.size(), kMaxProblems); ++i)
    lines.push_back(prefix(found_[i].first) + found_[i].second);
  throw SeveralErrors(std::move(lines));
}

std::string Problems::prefix(Place place) const {
  if (called_.empty())
    return where_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
  // The parser may see the end of a document in the line after it.
  const std::size_t number = std::min(static_cast<std::size_t>(place.line), called_.size());
  return (number == 0 ? where_ : called_[number - 1]) + ": ";
}

void Problems::stop(Place place, std::string what) {
  add(place, std::move(what));
  throw_if_any();
  throw UsageError(where_);  // not reached: there is at least one
}

const Node::Entry* find_entry(const Node& map, std::string_view key) {
  for (const Node::Entry& entry : map.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string_view describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  if (!node.is_plain) return "a quoted text";
  if (node.text == "true" || node.text == "false") return "true or false";
  const bool is_number = node.text.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                         node.text.find_first_of("0123456789") != std::string::npos;
  return is_number ? "a number" : "a text";
}

Node parse_document(std::string_view raw, Problems& problems) {
  if (raw.size() > kMaxDocumentBytes) BeforeParsing(problems).check(raw);
  const std::string text = with_lf(raw);
  BeforeParsing(problems).check(text);
  TreeBuilder builder(text, problems);
  parse_events(text, builder, problems);
  if (builder.ends_quoted() && is_last_quote_open(text)) {
    problems.stop(builder.last_scalar_place(), "a quote that is not closed (put the second one)");
  }
  Node root = builder.take_root();
  if (builder.documents() == 0 || root.kind == Node::Kind::null) {
    problems.stop({}, "an empty recipe (is it the right file?)");
  }
  if (root.kind != Node::Kind::map) {
    problems.stop(root.place,
                  "wanted a map at the top, not " + std::string(describe(root)) + " (write key: value)");
  }
  return root;
}

}  // namespace headwater
