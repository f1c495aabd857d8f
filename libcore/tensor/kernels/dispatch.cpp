// Which of the compiled code paths runs.
#include <atomic>
#include <string>

#include "support/error.hpp"
#include "tensor/kernels.hpp"

namespace headwater::kernels {

namespace {

Isa widest_isa() {
  for (const Isa isa : {Isa::avx512, Isa::avx2}) {
    if (isa_available(isa)) return isa;
  }
  return Isa::portable;
}

std::atomic<Isa>& current_isa() {
  static std::atomic<Isa> isa = widest_isa();
  return isa;
}

}  // namespace

bool isa_available(Isa isa) {
#if defined(HEADWATER_X86) && !defined(HEADWATER_DOUBLE)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  switch (isa) {
    case Isa::avx512:
      return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    case Isa::avx2:
      return has_avx2;
    case Isa::portable:
      return false;
  }
  return false;
#else
  return isa == Isa::portable;
#endif
}

Isa active_isa() { return current_isa().load(std::memory_order_relaxed); }

void set_isa(Isa isa) {
  if (!isa_available(isa))
    throw Error(std::string("instruction set ") + name_of(isa) + ": not available on this machine");
  current_isa().store(isa, std::memory_order_relaxed);
}

const char* name_of(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::portable:
      return "portable";
  }
  return "unknown";
}

Isa isa_of_name(std::string_view name) {
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::portable}) {
    if (name == name_of(isa)) return isa;
  }
  throw Error("unknown code path " + quote(name) + " (avx512, avx2 or portable)");
}

}  // namespace headwater::kernels
