#include "metrics/word_alignment.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

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
    const auto source = static_cast<std::size_t>(source_of[t]);
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

}  // namespace headwater
