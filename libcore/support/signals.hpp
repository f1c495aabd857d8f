// What a signal handler needs to know: the temporary files that must go, and the files that are mapped. Kept
// in tables of fixed size, since a handler may neither wait nor allocate; what finds no room there is passed
// over.
#pragma once

#include <csignal>
#include <cstddef>
#include <filesystem>

namespace headwater {

// A file, or a folder of files, that is to be removed where a signal ends the program; until it is forgotten.
void remember_temporary(const std::filesystem::path& path);
void forget_temporary(const std::filesystem::path& path);
// While it lives, this thread is given no signal: what it makes is remembered before a handler looks.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};
// For a handler: removes all of them.
void remove_temporaries() noexcept;

// A file whose bytes lie at an address; until it is forgotten.
void remember_mapping(const void* begin, std::size_t size, const std::filesystem::path& path);
void forget_mapping(const void* begin);
// For a handler: the path, as a message shows it, of the file that lies there; null where none does.
const char* mapped_path_at(const void* address) noexcept;

}  // namespace headwater
