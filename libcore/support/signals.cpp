#include "support/signals.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "support/files.hpp"

namespace headwater {

namespace {

struct Mapping {
  std::uintptr_t begin, end;
  char* path;
};

template <class Entry>
using Slots = std::array<std::atomic<Entry*>, 64>;

Slots<char> g_temporaries{};
Slots<Mapping> g_mappings{};

template <class Entry>
bool put(Slots<Entry>& slots, Entry* entry) {
  for (std::atomic<Entry*>& slot : slots) {
    Entry* none = nullptr;
    if (slot.compare_exchange_strong(none, entry)) return true;
  }
  return false;
}

// What is in the folder, by paths: once the folder has another name they are no longer temporary. Of what C
// offers for this nothing may be called in a handler, so that the system is asked.
void remove_folder(const char* folder, int depth) noexcept {
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  constexpr std::size_t kLengthAt = 16, kNameAt = 19;  // in a linux_dirent64
  constexpr int kMostDepth = 3;                        // no result has more folders in each other
  char names[4096];
  char path[4096];
  const std::size_t length = ::strlen(folder);
  for (;;) {
    const long got = ::syscall(SYS_getdents64, descriptor, names, sizeof names);
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const char* const name = names + at + kNameAt;
      std::uint16_t entry = 0;
      std::memcpy(&entry, names + at + kLengthAt, sizeof entry);
      at += entry;
      const std::size_t bytes = ::strlen(name);
      const bool is_itself = ::strcmp(name, ".") == 0 || ::strcmp(name, "..") == 0;
      if (is_itself || length + bytes + 2 > sizeof path) continue;
      std::copy_n(folder, length, path);
      path[length] = '/';
      std::copy_n(name, bytes + 1, path + length + 1);
      if (::unlink(path) != 0 && depth < kMostDepth) remove_folder(path, depth + 1);
    }
  }
  ::close(descriptor);
  ::rmdir(folder);
}

}  // namespace

SignalsHeld::SignalsHeld() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void remember_temporary(const fs::path& path) {
  char* const text = ::strdup(path.c_str());
  if (text != nullptr && !put(g_temporaries, text)) std::free(text);
}

void forget_temporary(const fs::path& path) {
  for (std::atomic<char*>& slot : g_temporaries) {
    char* text = slot.load();
    if (text == nullptr || path != text) continue;
    if (slot.compare_exchange_strong(text, nullptr)) std::free(text);
    return;
  }
}

void remove_temporaries() noexcept {
  for (const std::atomic<char*>& slot : g_temporaries) {
    const char* const path = slot.load();
    if (path != nullptr && ::unlink(path) != 0) remove_folder(path, 0);
  }
}

void remember_mapping(const void* begin, std::size_t size, const fs::path& path) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  auto mapping = std::make_unique<Mapping>(address, address + size, ::strdup(shown(path).c_str()));
  if (mapping->path == nullptr) return;
  if (put(g_mappings, mapping.get())) {
    static_cast<void>(mapping.release());
  } else {
    std::free(mapping->path);
  }
}

void forget_mapping(const void* begin) {
  for (std::atomic<Mapping*>& slot : g_mappings) {
    Mapping* mapping = slot.load();
    if (mapping == nullptr || mapping->begin != reinterpret_cast<std::uintptr_t>(begin)) continue;
    if (!slot.compare_exchange_strong(mapping, nullptr)) continue;
    std::free(mapping->path);
    delete mapping;
    return;
  }
}

const char* mapped_path_at(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const std::atomic<Mapping*>& slot : g_mappings) {
    const Mapping* const mapping = slot.load();
    if (mapping != nullptr && at >= mapping->begin && at < mapping->end) return mapping->path;
  }
  return nullptr;
}

}  // namespace headwater
