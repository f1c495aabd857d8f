// What a program does where memory, stack or threads run out and nothing can be thrown any more: one line,
// and status 1. Its handlers are set before main(), since memory may run out before that.
#pragma once

namespace headwater::cli {

// The note for bad_alloc, in memory that is there already.
void note_out_of_memory();

// Where several threads fail at once, only the first has its line. The others wait, since the first ends
// the program; not for ever, should it be this thread.
void wait_if_not_first_to_fail();

// The stack grows where it is first written to. Where the address space is limited there may be no room for
// that later; so it grows now, beyond what any tool needs, but not beyond its own limit, of which arguments
// and environment have a part. Threads that are started from here on have a stack of a usual size.
void grow_stack();

}  // namespace headwater::cli
