// Lists of ids one after the other: four bytes an id and four a list.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/arena.hpp"

namespace headwater {

// Ids grow in place in an address range of their own, so that nothing is copied or held twice. Lists are
// found by 32-bit ends, counted from the beginning of their block.
class IdLists {
 public:
  IdLists();
  // Lists that lie in somebody else's memory, where nothing is added: each ends at a number of `ends`, the
  // first begins at 0. What the numbers say is not looked at before it is used.
  IdLists(std::span<const std::int32_t> ids, std::span<const std::int64_t> ends);

  // The list that is being made: after the last that was closed.
  void push(std::int32_t id);
  std::span<const std::int32_t> open() const {
    return {growing_ + closed_ids_, static_cast<std::size_t>(total_ids_ - closed_ids_)};
  }
  void shorten_open(std::int64_t count) { total_ids_ = closed_ids_ + count; }
  // Throws Error where a block would hold more than 2^32 - 1 ids.
  void close();

  std::int64_t size() const { return size_; }  // closed lists
  std::int64_t total_ids() const { return total_ids_; }
  // Throws Error where somebody else's ends are no ends of lists.
  std::span<const std::int32_t> operator[](std::int64_t list) const {
    if (ends_ != nullptr) return list_of_ends(list);
    const Block& block = *blocks_[list / kBlock];
    const std::size_t at = list % kBlock;
    const std::uint32_t begin = at == 0 ? 0 : block.ends[at - 1];
    return {ids_ + block.first_id + begin, block.ends[at] - begin};
  }
  // Places of a list's first id, and after its last, among all ids.
  std::int64_t begin_of(std::int64_t list) const { return (*this)[list].data() - ids_; }
  std::int64_t end_of(std::int64_t list) const {
    return begin_of(list) + static_cast<std::int64_t>((*this)[list].size());
  }
  const std::int32_t* ids() const { return ids_; }

  // Memory used for anything but the ids.
  std::int64_t bytes_beyond_ids() const;

 private:
  static constexpr std::int64_t kBlock = 4096;
  struct Block {
    std::int64_t first_id;
    std::array<std::uint32_t, kBlock> ends;
  };
  std::span<const std::int32_t> list_of_ends(std::int64_t list) const;

  std::unique_ptr<Arena> arena_;
  std::int32_t* growing_ = nullptr;
  const std::int32_t* ids_;
  const std::int64_t* ends_ = nullptr;
  std::int64_t capacity_ = 0, total_ids_ = 0, closed_ids_ = 0, size_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace headwater
