// Marian's files, written naively for tests: its binary form, npz archives and shortlists.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/npy.hpp"
#include "naive_crc.hpp"

namespace marian_bytes {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string floats(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

inline constexpr std::uint64_t kText = 0x101, kFloats = 0x404, kBrowserBytes = 0x4101, kBytes = 0x10001;

struct Item {
  std::string name;
  std::uint64_t type;
  std::vector<std::int32_t> shape;
  std::string data;
};

inline Item text_item(std::string name, const std::string& text) {
  return {std::move(name), kText, {static_cast<std::int32_t>(text.size() + 1)}, text + '\0'};
}
inline Item float_item(std::string name, std::vector<std::int32_t> shape, std::span<const float> values) {
  return {std::move(name), kFloats, std::move(shape), floats(values)};
}

// As Marian writes it: heads, names, shapes, a gap up to 256 bytes, and the data, each filled up to 256.
inline std::string binary(const std::vector<Item>& items) {
  const auto padded = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  std::string file = raw(std::uint64_t{1}) + raw(std::uint64_t{items.size()});
  for (const Item& item : items)
    file += raw(std::uint64_t{item.name.size() + 1}) + raw(item.type) +
            raw(std::uint64_t{item.shape.size()}) + raw(std::uint64_t{padded(item.data.size())});
  for (const Item& item : items) file += item.name + '\0';
  for (const Item& item : items) {
    for (const std::int32_t size : item.shape) file += raw(size);
  }
  const std::uint64_t gap = padded(file.size() + 8) - file.size() - 8;
  file += raw(gap) + std::string(gap, '\0');
  for (const Item& item : items)
    file += item.data + std::string(padded(item.data.size()) - item.data.size(), '\0');
  return file;
}

struct Member {
  std::string name, data;
};

// Stored members.
inline std::string zip(const std::vector<Member>& members, std::uint16_t method = 0) {
  std::string file, directory;
  for (const Member& member : members) {
    const auto size = static_cast<std::uint32_t>(member.data.size());
    const std::string common = raw(std::uint16_t{20}) + raw(std::uint16_t{0}) + raw(method) +
                               raw(std::uint32_t{0}) + raw(naive_crc(member.data)) + raw(size) + raw(size) +
                               raw(static_cast<std::uint16_t>(member.name.size())) + raw(std::uint16_t{0});
    directory += std::string("PK\1\2", 4) + raw(std::uint16_t{20}) + common + raw(std::uint16_t{0}) +
                 raw(std::uint16_t{0}) + raw(std::uint16_t{0}) + raw(std::uint32_t{0}) +
                 raw(static_cast<std::uint32_t>(file.size())) + member.name;
    file += std::string("PK\3\4", 4) + common + member.name + member.data;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  return file + directory + std::string("PK\5\6", 4) + raw(std::uint32_t{0}) + raw(count) + raw(count) +
         raw(static_cast<std::uint32_t>(directory.size())) + raw(static_cast<std::uint32_t>(file.size())) +
         raw(std::uint16_t{0});
}

inline std::string npy(std::vector<std::int64_t> shape, std::span<const float> values) {
  return headwater::npy_head(shape) + floats(values);
}
inline std::string npy_text(const std::string& text) {
  std::string head = headwater::npy_head(std::vector<std::int64_t>{static_cast<std::int64_t>(text.size())});
  head.replace(head.find("<f4"), 3, "|i1");
  return head + text;
}
// The same tensors as an archive.
inline std::string npz(const std::vector<Item>& items) {
  std::vector<Member> members;
  for (const Item& item : items) {
    const std::vector<std::int64_t> shape(item.shape.begin(), item.shape.end());
    members.push_back({item.name + ".npy",
                       item.type == kText ? npy_text(item.data) : headwater::npy_head(shape) + item.data});
  }
  return zip(members);
}

// src/data/shortlist.h: lists[i] are the target tokens of source token i. Before them stand `unused` ones.
inline std::string shortlist(const std::vector<std::vector<std::uint32_t>>& lists, std::uint64_t frequent,
                             std::uint64_t unused = 0) {
  std::string offsets, listed(4 * unused, '\0');
  std::uint64_t count = unused;
  for (const std::vector<std::uint32_t>& list : lists) {
    offsets += raw(count);
    count += list.size();
    for (const std::uint32_t token : list) listed += raw(token);
  }
  offsets += raw(count);
  const std::string counted = raw(frequent) + raw(std::uint64_t{50}) + raw(std::uint64_t{lists.size() + 1}) +
                              raw(count) + offsets + listed;
  std::uint64_t sum = 0;  // boost's hash_combine of each whole word of 64 bits
  for (std::size_t at = 0; at + 8 <= counted.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, counted.data() + at, 8);
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return raw(std::uint64_t{0xF11A48D5013417F5}) + raw(sum) + counted;
}

}  // namespace marian_bytes
