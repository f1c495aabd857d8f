// System calls on file descriptors, checked, and repeated where a signal came first. They throw Error as
// fail_io makes it.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "support/files.hpp"

namespace headwater {

// open(2), closed in programs that this one starts; -1, with errno, where it cannot be opened.
int open_retrying(const fs::path& path, int flags, mode_t mode = 0);

// Whether a path is a link of the kernel to an open file, such as /dev/fd/3, or another file of /proc: beside
// it no file can be made.
bool is_in_proc(const fs::path& path);

// The number of the descriptor of this process that a path is the link of, as /dev/fd/3 and /dev/stdout are;
// -1: of none.
int descriptor_of_link(const fs::path& path);

// Throws Error where a descriptor is not open for writing; `path` names it.
void check_writable(int descriptor, const fs::path& path);

// Another number for an open descriptor, to be written to in its place: at the end of a file that is open for
// appending, else where the descriptor stands, and no bytes of a file stay behind that. Checks it, too.
int share_descriptor(int descriptor, const fs::path& path);

void write_all(int descriptor, std::string_view bytes, const fs::path& path);

void sync_descriptor(int descriptor, const fs::path& path);

// Both leave -1 in `descriptor`; close_quietly takes that, too.
void close_checked(int& descriptor, const fs::path& path);
void close_quietly(int& descriptor);

}  // namespace headwater
