// Remembers what words became, for words that come again and again. Threads share it without locks: a place
// is written once and never changes, so its size is bounded and an answer is the same whether it was there or
// not.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace headwater {

class WordMemory {
 public:
  static constexpr std::size_t kMaxBytes = 23, kMaxIds = 8;

  // A word as numbers, and where its places begin.
  struct Key {
    std::uint64_t parts[3] = {};  // the bytes, zeros, in the last byte the length and what the caller added
    std::size_t first = 0;
  };

  // One line of the cache.
  struct alignas(64) Place {
    std::uint64_t parts[3];
    std::int32_t ids[kMaxIds];
    float note;          // the caller's
    std::uint8_t state;  // 0 free, 1 being written, 2 readable
    std::uint8_t count;
    std::span<const std::int32_t> all() const { return {ids, count}; }
  };

  // Zeros of the system, which take no memory until they are written.
  WordMemory() : bytes_(std::calloc(kPlaces + 1, sizeof(Place))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
    void* begin = bytes_.get();
    std::size_t room = (kPlaces + 1) * sizeof(Place);
    places_ = static_cast<Place*>(std::align(alignof(Place), kPlaces * sizeof(Place), begin, room));
  }

  // The key of a word of at most kMaxBytes; words of two kinds, 0 and 1, differ.
  static Key key_of(std::string_view word, std::uint64_t kind = 0) {
    Key key;
    std::memcpy(key.parts, word.data(), word.size());
    return finish(key, word.size(), kind);
  }
  // The same where 24 bytes from the word's first on may be read.
  static Key key_of_readable(const char* word, std::size_t length, std::uint64_t kind) {
    Key key;
    std::memcpy(key.parts, word, sizeof key.parts);
    for (std::size_t i = 0; i < 3; ++i) key.parts[i] &= kMasks[length][i];
    return finish(key, length, kind);
  }

  void prefetch(const Key& key) const { __builtin_prefetch(&places_[key.first]); }

  // nullptr where it is not known.
  const Place* find(const Key& key) const {
    for (std::size_t i = 0; i < kTries; ++i) {
      Place& place = places_[key.first + i];
      if (std::atomic_ref(place.state).load(std::memory_order_acquire) != 2) return nullptr;
      if (place.parts[0] == key.parts[0] && place.parts[1] == key.parts[1] && place.parts[2] == key.parts[2])
        return &place;
    }
    return nullptr;
  }

  // Whether keep() of a word that is not known would find a place.
  bool has_room(const Key& key) const {
    for (std::size_t i = 0; i < kTries; ++i) {
      if (std::atomic_ref(places_[key.first + i].state).load(std::memory_order_relaxed) == 0) return true;
    }
    return false;
  }

  void keep(const Key& key, std::span<const std::int32_t> ids, float note = 0) const {
    if (ids.size() > kMaxIds) return;
    for (std::size_t i = 0; i < kTries; ++i) {
      Place& place = places_[key.first + i];
      const std::atomic_ref state(place.state);
      std::uint8_t expected = 0;
      if (!state.compare_exchange_strong(expected, 1, std::memory_order_relaxed)) continue;
      std::memcpy(place.parts, key.parts, sizeof key.parts);
      std::memcpy(place.ids, ids.data(), ids.size_bytes());
      place.count = static_cast<std::uint8_t>(ids.size());
      place.note = note;
      state.store(2, std::memory_order_release);
      return;
    }
  }

 private:
  // Tries go beyond the last place that a hash gives.
  static constexpr std::size_t kHashes = std::size_t{1} << 17, kTries = 4, kPlaces = kHashes + kTries;

  // What of each part belongs to a word of so many bytes.
  static constexpr auto kMasks = [] {
    std::array<std::array<std::uint64_t, 3>, kMaxBytes + 1> masks{};
    for (std::size_t length = 0; length <= kMaxBytes; ++length) {
      for (std::size_t byte = 0; byte < length; ++byte)
        masks[length][byte / 8] |= std::uint64_t{0xFF} << (byte % 8 * 8);
    }
    return masks;
  }();

  static Key finish(Key key, std::size_t length, std::uint64_t kind) {
    key.parts[2] |= (std::uint64_t{length} | kind << 7) << 56;
    std::uint64_t state = key.parts[0] * 0x9E3779B97F4A7C15u ^ key.parts[1] * 0xD6E8FEB86659FD93u;
    state = (state ^ state >> 32 ^ key.parts[2]) * 0xC2B2AE3D27D4EB4Fu;
    key.first = static_cast<std::size_t>((state ^ state >> 29) * 0x9E3779B97F4A7C15u >> 47);
    return key;
  }

  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<void, Free> bytes_;
  Place* places_ = nullptr;
};

}  // namespace headwater
