// A hash table from words to a number each (a count, an id), for tables that are filled once and asked often.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace headwater {

class WordTable {
 public:
  struct Entry {
    const char* data = nullptr;
    std::uint32_t length = 0;
    std::uint32_t hash = 0;
    std::uint64_t value = 0;
    std::string_view word() const { return {data, length}; }
  };

  WordTable() : slots_(kFewestSlots) {}

  // The word's number; a new word is added with 0. The reference is valid until the next new word.
  std::uint64_t& value(std::string_view word) {
    const std::uint32_t hash = hash_of(word);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].entry != 0) {
      if (slots_[at].hash == hash) {
        Entry& entry = entries_[slots_[at].entry - 1];
        if (entry.length == word.size() && std::memcmp(entry.data, word.data(), word.size()) == 0) {
          return entry.value;
        }
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    return add(word, hash, at);
  }

  // The word's entry, or nullptr.
  const Entry* find(std::string_view word) const {
    const std::uint32_t hash = hash_of(word);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].entry != 0) {
      if (slots_[at].hash == hash) {
        const Entry& entry = entries_[slots_[at].entry - 1];
        if (entry.length == word.size() && std::memcmp(entry.data, word.data(), word.size()) == 0) {
          return &entry;
        }
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    return nullptr;
  }

  // In the order in which the words came.
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // index + 1; 0: free
  };
  static constexpr std::size_t kFewestSlots = 1024;

  // Multiply and fold, eight bytes at a time; the last eight overlap.
  static std::uint32_t hash_of(std::string_view word) {
    constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u, kSecond = 0xD6E8FEB86659FD93u;
    const char* data = word.data();
    const std::size_t length = word.size();
    std::uint64_t state = kFirst ^ length;
    if (length >= 8) {
      for (std::size_t at = 0; at + 8 < length; at += 8) {
        state = fold(state ^ load<std::uint64_t>(data + at), kSecond);
      }
      state ^= load<std::uint64_t>(data + length - 8);
    } else if (length >= 4) {
      state ^= load<std::uint32_t>(data) | std::uint64_t{load<std::uint32_t>(data + length - 4)} << 32;
    } else if (length > 0) {
      const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(data[i])}; };
      state ^= (byte(0) << 8 | byte(length / 2) << 16 | byte(length - 1) << 24);
    }
    state = fold(state, kSecond);
    state = fold(state, kFirst);
    return static_cast<std::uint32_t>(state ^ state >> 32);
  }
  static std::uint64_t fold(std::uint64_t x, std::uint64_t multiplier) {
    x *= multiplier;
    return x ^ x >> 32;
  }
  template <class T>
  static T load(const char* data) {
    T value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }

  std::uint64_t& add(std::string_view word, std::uint32_t hash, std::size_t slot);
  const char* keep(std::string_view word);

  std::vector<Slot> slots_;  // a power of two, at most two thirds used
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // the words' bytes
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
};

}  // namespace headwater
