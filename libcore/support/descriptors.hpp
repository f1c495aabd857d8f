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

void write_all(int descriptor, std::string_view bytes, const fs::path& path);

void sync_descriptor(int descriptor, const fs::path& path);

// Both leave -1 in `descriptor`; close_quietly takes that, too.
void close_checked(int& descriptor, const fs::path& path);
void close_quietly(int& descriptor);

}  // namespace headwater
