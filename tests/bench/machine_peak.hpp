// What this machine can do at most, measured in the same run as the kernels.
#pragma once

namespace headwater::bench {

// Multiply-adds in registers, two operations each, on `threads` threads at once.
double peak_gflops(int threads);
// Reading memory much larger than the caches.
double read_gigabytes_per_second(int threads);

}  // namespace headwater::bench
