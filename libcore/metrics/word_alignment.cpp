#include "metrics/word_alignment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>

#include "metrics/parallel_text.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

// A set of links, and which words have one.
class GrowingLinks {
 public:
  void add(const AlignmentLink& link) {
    links_.insert(link);
    sources_.insert(link.first);
    targets_.insert(link.second);
  }
  bool has(const AlignmentLink& link) const { return links_.contains(link); }
  bool has_source(const AlignmentLink& link) const { return sources_.contains(link.first); }
  bool has_target(const AlignmentLink& link) const { return targets_.contains(link.second); }
  AlignmentLinks links() const { return {links_.begin(), links_.end()}; }

 private:
  std::set<AlignmentLink> links_;
  std::set<std::int32_t> sources_, targets_;
};

}  // namespace

AlignmentLinks each_once(AlignmentLinks links) {
  std::ranges::sort(links);
  links.erase(std::ranges::unique(links).begin(), links.end());
  return links;
}

AlignmentLinks inverted(const AlignmentLinks& links) {
  AlignmentLinks other;
  for (const auto& [source, target] : links) other.emplace_back(target, source);
  return each_once(std::move(other));
}

AlignmentLinks links_of_words(std::span<const std::int64_t> source_of,
                              std::span<const std::int32_t> source_words,
                              std::span<const std::int32_t> target_words) {
  AlignmentLinks links;
  for (std::size_t t = 0; t < std::min(source_of.size(), target_words.size()); ++t) {
    const std::size_t source = source_of[t];
    if (source >= source_words.size())
      throw Error("alignment: source token " + std::to_string(source) + " of " +
                  std::to_string(source_words.size()));
    if (source_words[source] >= 0 && target_words[t] >= 0)
      links.emplace_back(source_words[source], target_words[t]);
  }
  return each_once(std::move(links));
}

AlignmentLinks grow_diag_final_and(const AlignmentLinks& forward, const AlignmentLinks& inverse) {
  constexpr std::array<AlignmentLink, 8> kNeighbours = {
      {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};
  std::set<AlignmentLink> either(forward.begin(), forward.end());
  either.insert(inverse.begin(), inverse.end());
  GrowingLinks grown;
  AlignmentLinks both;
  std::ranges::set_intersection(forward, inverse, std::back_inserter(both));
  for (const AlignmentLink& link : both) grown.add(link);
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (const AlignmentLink& link : grown.links()) {
      for (const AlignmentLink& step : kNeighbours) {
        const AlignmentLink beside(link.first + step.first, link.second + step.second);
        if (!either.contains(beside) || grown.has(beside)) continue;
        if (grown.has_source(beside) && grown.has_target(beside)) continue;
        grown.add(beside);
        is_growing = true;
      }
    }
  }
  for (const AlignmentLinks* const links : {&forward, &inverse}) {
    for (const AlignmentLink& link : *links) {
      if (!grown.has_source(link) && !grown.has_target(link)) grown.add(link);
    }
  }
  return grown.links();
}

std::string pharaoh_line(const AlignmentLinks& links) {
  std::string line;
  for (const auto& [source, target] : links)
    line += (line.empty() ? "" : " ") + std::to_string(source) + '-' + std::to_string(target);
  return line;
}

namespace {

// The number at the front of `text`, which it is taken off.
bool take_word_number(std::string_view& text, std::int32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(end - text.data());
  return true;
}

// Whether the link is sure.
bool read_link(std::string_view word, AlignmentLink& link) {
  std::string_view rest = word;
  const bool is_begun = take_word_number(rest, link.first) && !rest.empty();
  const char sign = is_begun ? rest.front() : ' ';
  if (is_begun) rest.remove_prefix(1);
  const bool is_known = sign == '-' || sign == '?' || sign == 'p';
  if (!is_known || !take_word_number(rest, link.second) || !rest.empty())
    throw Error(quote(word) + " is no link of words (0-0, or 0?0 where it is possible only)");
  return sign == '-';
}

std::int64_t in_both(const AlignmentLinks& a, const AlignmentLinks& b) {
  AlignmentLinks both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return std::ssize(both);
}

double link_share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Alignment read_alignment(std::string_view line) {
  Alignment alignment;
  AlignmentLinks possible;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    AlignmentLink link;
    if (end > 0) (read_link(line.substr(0, end), link) ? alignment.sure : possible).push_back(link);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  alignment.sure = each_once(std::move(alignment.sure));
  possible = each_once(std::move(possible));
  std::ranges::set_difference(possible, alignment.sure, std::back_inserter(alignment.possible));
  return alignment;
}

void AlignmentCounts::add(const Alignment& found, const Alignment& right) {
  const std::int64_t in_sure = in_both(found.sure, right.sure);
  links += std::ssize(found.sure);
  sure += std::ssize(right.sure);
  right_sure += in_sure;
  right_possible += in_sure + in_both(found.sure, right.possible);
}

void AlignmentCounts::add(const AlignmentCounts& other) {
  links += other.links;
  sure += other.sure;
  right_sure += other.right_sure;
  right_possible += other.right_possible;
}

double AlignmentCounts::error_rate() const {
  return links + sure == 0 ? 0 : 1 - link_share(right_sure + right_possible, links + sure);
}
double AlignmentCounts::precision() const { return link_share(right_possible, links); }
double AlignmentCounts::recall() const { return link_share(right_sure, sure); }

std::string alignment_signature() {
  return "links:possible_and_sure|lines:together|version:" + std::string(kScoreVersion);
}

}  // namespace headwater
