// The processes of a data-parallel run, one of them a rank: what they send each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headwater {

// A power of two of ranks, numbered from 0. All of them make the same calls in the same order; each waits for
// the others. A rank that ends with an error ends the run: nobody is left waiting for it.
class ProcessGroup {
 public:
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Sends `out` to another rank, which sends `in`, both at once. Each side knows both sizes; either may be 0.
  virtual void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) = 0;

 private:
  int rank_, size_;
};

// What rank 0 has in `bytes` is there on all ranks. Along a binomial tree.
void broadcast(ProcessGroup& group, std::span<std::byte> bytes);

template <class T>
void broadcast_values(ProcessGroup& group, std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  broadcast(group, std::as_writable_bytes(values));
}

// Values of any number, which the other ranks need not know.
template <class Container>
void broadcast_all(ProcessGroup& group, Container& values) {
  std::uint64_t count = values.size();
  broadcast_values(group, std::span(&count, 1));
  values.resize(count);
  broadcast_values(group, std::span(values));
}

// `all` is cut into size() pieces that end at `ends`; this rank's piece is there, and then the others' are.
// By recursive doubling.
void all_gather(ProcessGroup& group, std::span<std::byte> all, std::span<const std::size_t> ends);

// One value of each rank, in their order.
template <class T>
void all_gather_value(ProcessGroup& group, const T& value, std::vector<T>& all) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t size = group.size();
  all.resize(size);
  all[group.rank()] = value;
  std::vector<std::size_t> ends(size);
  for (std::size_t rank = 0; rank < size; ++rank) ends[rank] = (rank + 1) * sizeof(T);
  all_gather(group, std::as_writable_bytes(std::span(all)), ends);
}

// Any number of values of each rank, in their order; rank r's end at ends[r].
template <class T>
struct Gathered {
  std::vector<T> all;
  std::vector<std::size_t> ends;

  std::span<const T> of(std::size_t rank) const {
    const std::size_t begin = rank == 0 ? 0 : ends[rank - 1];
    return std::span(all).subspan(begin, ends[rank] - begin);
  }
  void gather(ProcessGroup& group, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    all_gather_value(group, values.size(), ends);
    std::size_t end = 0;
    for (std::size_t& entry : ends) entry = end += entry;
    all.resize(end);
    const std::size_t rank = group.rank();
    std::copy(values.begin(), values.end(),
              all.begin() + static_cast<std::ptrdiff_t>(ends[rank] - values.size()));
    bytes_.clear();
    for (const std::size_t entry : ends) bytes_.push_back(entry * sizeof(T));
    all_gather(group, std::as_writable_bytes(std::span(all)), bytes_);
  }

 private:
  std::vector<std::size_t> bytes_;
};

// Whether any rank says so.
bool any_of_ranks(ProcessGroup& group, bool says);

// Throws Error on all ranks where one has another text than rank 0: "rank 2 has another recipe than rank 0".
// `what`: what a text stands for, "another recipe".
void compare_ranks(ProcessGroup& group, std::string_view what, std::string_view text);

}  // namespace headwater
