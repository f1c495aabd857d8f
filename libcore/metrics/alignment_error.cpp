#include "metrics/alignment_error.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "metrics/score_version.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

// The number at the front of `text`, which it is taken off.
bool take_word_number(std::string_view& text, std::int32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
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
