#include "families/source_ids.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "support/error.hpp"

namespace headwater {

std::size_t tokens_around(const Tokenizer& tokenizer, Index length, const std::string& where) {
  const std::size_t around = tokenizer.with_special_tokens({}).size();
  if (around == 0) {
    throw Error(where +
                ": its tokenizer puts no special tokens around a text, which the model reads "
                "(learn one with tokenize --learn ... --template bert)");
  }
  if (length > 0 && static_cast<Index>(around) >= length)
    throw Error(where + ": model.length is " + std::to_string(length) + ", and " + std::to_string(around) +
                " special tokens stand around a text (make it longer)");
  return around;
}

// How many ids of both texts are read.
static PairLengths kept_lengths(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                                std::size_t around, Index length, const Uncounted& uncounted) {
  const PairLengths whole{first.size(), second.size()};
  if (length == 0) return whole;
  const std::size_t room = static_cast<std::size_t>(length) - around;
  std::size_t most = whole.first + whole.second;
  if (uncounted.most > 0) most = std::min(most, static_cast<std::size_t>(uncounted.most) - around);
  if (uncounted.id < 0 || most <= room) return cut_longest_first(whole, room);
  const auto fits = [&](std::size_t size) {
    const PairLengths kept = cut_longest_first(whole, size);
    const auto free = std::ranges::count(first.first(kept.first), uncounted.id) +
                      std::ranges::count(second.first(kept.second), uncounted.id);
    return size - static_cast<std::size_t>(free) <= room;
  };
  const auto sizes = std::views::iota(room, most + 1);
  return cut_longest_first(whole, *(std::ranges::partition_point(sizes, fits) - 1));
}

bool add_template(const Tokenizer& tokenizer, std::size_t around, std::span<const std::int32_t> ids,
                  Index length, std::vector<std::int32_t>& all, const Uncounted& uncounted) {
  const std::size_t kept = kept_lengths(ids, {}, around, length, uncounted).first;
  all.clear();
  tokenizer.with_special_tokens(ids.first(kept), all);
  return kept < ids.size();
}

std::string fault_of_texts(Texts texts, std::string_view line) {
  const auto columns = 1 + std::count(line.begin(), line.end(), '\t');
  if (columns == 2 || (columns == 1 && texts != Texts::pair)) return {};
  return "no pair: " + std::to_string(columns) + (columns == 1 ? " column" : " columns") +
         " where 2 are wanted: first text, second text (separate them by one TAB, as paste does)";
}

PairTemplate pair_template(const Tokenizer& tokenizer, Index length, const std::string& where) {
  tokens_around(tokenizer, length, where);
  constexpr std::int32_t kFirst[] = {-1}, kSecond[] = {-2};  // no ids
  const std::vector<std::int32_t> all = tokenizer.with_special_tokens(kFirst, kSecond);
  const auto second = std::find(all.begin(), all.end(), kSecond[0]);
  if (second == all.end() || std::find(all.begin(), second, kFirst[0]) == second)
    throw Error(where + ": its tokenizer's template of a pair does not have its texts one after the other");
  const PairTemplate pair{.around = all.size() - 2,
                          .before_second = static_cast<std::size_t>(second - all.begin()) - 1};
  if (length > 0 && static_cast<Index>(pair.around) >= length)
    throw Error(where + ": model.length is " + std::to_string(length) + ", and " +
                std::to_string(pair.around) + " special tokens stand around a pair (make it longer)");
  return pair;
}

PairLengths cut_longest_first(PairLengths lengths, std::size_t room) {
  if (lengths.first + lengths.second <= room) return lengths;
  const std::size_t half = room / 2;
  const bool is_first_longer = lengths.first > lengths.second;
  std::size_t& longer = is_first_longer ? lengths.first : lengths.second;
  std::size_t& shorter = is_first_longer ? lengths.second : lengths.first;
  shorter = std::min(shorter, half);
  longer = room - shorter;
  return lengths;
}

Index add_pair_template(const Tokenizer& tokenizer, const PairTemplate& pair,
                        std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                        Index length, std::vector<std::int32_t>& all) {
  if (length > 0) {
    const PairLengths kept =
        cut_longest_first({first.size(), second.size()}, static_cast<std::size_t>(length) - pair.around);
    first = first.first(kept.first);
    second = second.first(kept.second);
  }
  all.clear();
  tokenizer.with_special_tokens(first, second, all);
  return static_cast<Index>(pair.before_second + first.size());
}

// Ids of a text never have special tokens: the first place is theirs.
static TokenRange place_of(std::span<const std::int32_t> text, std::span<const std::int32_t> all) {
  const auto found = std::ranges::search(all, text);
  return {found.begin() - all.begin(), found.end() - all.begin()};
}

void find_pair_ids(const Tokenizer& tokenizer, const PairTemplate& pair, Index length, std::string_view line,
                   SourceIds& found, const Uncounted& uncounted) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  std::vector<std::int32_t> first = tokenizer.encode(line.substr(0, tab)),
                            second = tokenizer.encode(line.substr(std::min(tab + 1, line.size())));
  found.is_empty = first.empty() || second.empty();
  const PairLengths whole{first.size(), second.size()};
  const PairLengths kept = kept_lengths(first, second, pair.around, length, uncounted);
  found.is_truncated = kept != whole;
  first.resize(kept.first);
  second.resize(kept.second);
  const Index second_begin = add_pair_template(tokenizer, pair, first, second, 0, found.ids);
  found.first = place_of(first, std::span(found.ids).first(second_begin));
  found.second = {second_begin, second_begin + std::ssize(second)};
}

void find_source_ids(const Tokenizer& tokenizer, std::size_t around, Index length, std::string_view text,
                     SourceIds& found, const Uncounted& uncounted) {
  tokenizer.encode(text, found.ids);
  found.second = {};
  found.is_empty = found.ids.empty();
  const std::size_t kept = kept_lengths(found.ids, {}, around, length, uncounted).first;
  found.is_truncated = kept < found.ids.size();
  found.ids.resize(kept);
  found.first = {0, std::ssize(found.ids)};
  if (around == 0) return;
  const std::vector<std::int32_t> plain = std::move(found.ids);
  add_template(tokenizer, around, plain, 0, found.ids);
  found.first = place_of(plain, found.ids);
}

}  // namespace headwater
