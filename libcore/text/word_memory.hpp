// Remembers what words became, for words that come again and again. Threads share it without locks: a place
// is written once and never changes, so its size is bounded and an answer is the same whether it was there or
// not.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace headwater {

class WordMemory {
 public:
  static constexpr std::size_t kMaxBytes = 20, kMaxIds = 8;

  // One line of the cache.
  struct alignas(64) Place {
    std::atomic<std::uint8_t> state = 0;  // 0 free, 1 being written, 2 readable
    std::uint8_t length = 0, count = 0;
    float note = 0;  // the caller's
    char word[kMaxBytes] = {};
    std::int32_t ids[kMaxIds] = {};
    std::span<const std::int32_t> all() const { return {ids, count}; }
  };

  WordMemory() : places_(std::make_unique<Place[]>(kPlaces)) {}

  // nullptr where it is not known.
  const Place* find(std::string_view word) const {
    if (word.size() > kMaxBytes) return nullptr;
    const std::size_t first = hash_of(word);
    for (std::size_t i = 0; i < kTries; ++i) {
      const Place& place = places_[(first + i) % kPlaces];
      if (place.state.load(std::memory_order_acquire) != 2) return nullptr;
      if (place.length == word.size() && std::memcmp(place.word, word.data(), word.size()) == 0)
        return &place;
    }
    return nullptr;
  }

  // Whether keep() of a word that is not known would find a place.
  bool has_room(std::string_view word) const {
    if (word.size() > kMaxBytes) return false;
    const std::size_t first = hash_of(word);
    for (std::size_t i = 0; i < kTries; ++i) {
      if (places_[(first + i) % kPlaces].state.load(std::memory_order_relaxed) == 0) return true;
    }
    return false;
  }

  void keep(std::string_view word, std::span<const std::int32_t> ids, float note = 0) const {
    if (word.size() > kMaxBytes || ids.size() > kMaxIds) return;
    const std::size_t first = hash_of(word);
    for (std::size_t i = 0; i < kTries; ++i) {
      Place& place = places_[(first + i) % kPlaces];
      std::uint8_t expected = 0;
      if (!place.state.compare_exchange_strong(expected, 1, std::memory_order_relaxed)) continue;
      place.length = static_cast<std::uint8_t>(word.size());
      place.count = static_cast<std::uint8_t>(ids.size());
      place.note = note;
      std::memcpy(place.word, word.data(), word.size());
      std::memcpy(place.ids, ids.data(), ids.size_bytes());
      place.state.store(2, std::memory_order_release);
      return;
    }
  }

 private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 16, kTries = 4;

  static std::size_t hash_of(std::string_view word) {
    std::uint64_t parts[3] = {};
    std::memcpy(parts, word.data(), word.size());
    std::uint64_t state = word.size();
    for (const std::uint64_t part : parts) {
      state = (state ^ part) * 0x9E3779B97F4A7C15u;
      state ^= state >> 32;
    }
    return static_cast<std::size_t>(state * 0xD6E8FEB86659FD93u >> 40);
  }

  std::unique_ptr<Place[]> places_;
};

}  // namespace headwater
