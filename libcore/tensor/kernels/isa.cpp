// Which of the compiled code paths runs.
#include "tensor/kernels/isa.hpp"

#include <atomic>
#include <string>

#include "support/error.hpp"
#include "tensor/kernels/kernel_table.hpp"

namespace headwater::kernels {

#if !defined(HEADWATER_DOUBLE)
#if defined(HEADWATER_X86)
namespace avx512 {
extern const KernelTable functions;
}
namespace avx2 {
extern const KernelTable functions;
}
#endif
namespace portable {
extern const KernelTable functions;
}
#endif

namespace {

struct CodePath {
  Isa isa;
  KernelTable table;
};

KernelTable table_of([[maybe_unused]] Isa isa) {
#if defined(HEADWATER_DOUBLE)
  return {};  // kernels are naive
#elif defined(HEADWATER_X86)
  if (isa == Isa::portable) return portable::functions;
  if (isa == Isa::avx2) return avx2::functions;
  KernelTable table = avx512::functions;
  // The rows that take more than the foundation of AVX-512.
  if (!__builtin_cpu_supports("avx512vnni")) {
    table.int8 = avx2::functions.int8;
    table.logit_bounds = avx2::functions.logit_bounds;
  }
  return table;
#else
  return portable::functions;
#endif
}

const CodePath& path_of(Isa isa) {
  static const CodePath paths[] = {{Isa::avx512, table_of(Isa::avx512)},
                                   {Isa::avx2, table_of(Isa::avx2)},
                                   {Isa::portable, table_of(Isa::portable)}};
  return paths[static_cast<std::size_t>(isa)];
}

const CodePath& widest_path() {
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::portable}) {
    if (isa_available(isa)) return path_of(isa);
  }
  throw Error("this processor has no fused multiply-add (FMA), which every result rests on");
}

std::atomic<const CodePath*>& current_path() {
  static std::atomic<const CodePath*> path = &widest_path();
  return path;
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
    case Isa::portable:  // compiled for FMA, without which nothing here has its bits
      return __builtin_cpu_supports("fma");
  }
  return false;
#else
  return isa == Isa::portable;
#endif
}

Isa active_isa() { return current_path().load(std::memory_order_relaxed)->isa; }

const KernelTable& kernel_table() { return current_path().load(std::memory_order_relaxed)->table; }

void set_isa(Isa isa) {
  if (!isa_available(isa))
    throw Error("instruction set " + std::string(name_of(isa)) + ": not available on this machine");
  current_path().store(&path_of(isa), std::memory_order_relaxed);
}

Isa isa_of_name(std::string_view name) {
  if (const std::optional<Isa> isa = value_of<Isa>(name)) return *isa;
  throw Error("unknown code path " + quote(name) + " (avx512, avx2 or portable)");
}

}  // namespace headwater::kernels
