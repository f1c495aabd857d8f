#include "data/id_lists.hpp"

#include <limits>
#include <string>

#include "support/error.hpp"

namespace headwater {

namespace {

constexpr std::size_t kReserve = std::size_t{1} << 37;  // bytes of addresses; pages come with their ids
constexpr int kParts = 16;                              // a run may have four of these lists
constexpr std::int64_t kPiece = std::int64_t{1} << 16;  // ids

}  // namespace

IdLists::IdLists()
    : arena_(std::make_unique<Arena>(kReserve, kParts)),
      growing_(arena_->allocate_array<std::int32_t>(0)),
      ids_(growing_) {}

IdLists::IdLists(std::span<const std::int32_t> ids, std::span<const std::int64_t> ends)
    : ids_(ids.data()),
      ends_(ends.data()),
      total_ids_(static_cast<std::int64_t>(ids.size())),
      size_(static_cast<std::int64_t>(ends.size())) {}

std::span<const std::int32_t> IdLists::list_of_ends(std::int64_t list) const {
  const std::int64_t begin = list == 0 ? 0 : ends_[list - 1], end = ends_[list];
  if (begin < 0 || begin > end || end > total_ids_)
    throw Error("list " + std::to_string(list) + " (from 0) begins at " + std::to_string(begin) +
                " and ends at " + std::to_string(end) + ", of " + std::to_string(total_ids_) + " ids");
  return {ids_ + begin, static_cast<std::size_t>(end - begin)};
}

void IdLists::push(std::int32_t id) {
  if (total_ids_ == capacity_) {
    arena_->allocate_array<std::int32_t>(kPiece);  // follows the one before without a gap
    capacity_ += kPiece;
  }
  growing_[total_ids_++] = id;
}

void IdLists::close() {
  const std::int64_t at = size_ % kBlock;
  if (at == 0) blocks_.emplace_back(new Block)->first_id = closed_ids_;
  Block& block = *blocks_.back();
  const std::int64_t end = total_ids_ - block.first_id;
  if (end > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("more than 4,294,967,295 ids in " + std::to_string(kBlock) +
                " lines (cut the lines: vectorize --length)");
  }
  block.ends[at] = static_cast<std::uint32_t>(end);
  closed_ids_ = total_ids_;
  ++size_;
}

std::int64_t IdLists::bytes_beyond_ids() const {
  return static_cast<std::int64_t>(sizeof *this + blocks_.size() * sizeof(Block) +
                                   blocks_.capacity() * sizeof blocks_[0]);
}

}  // namespace headwater
