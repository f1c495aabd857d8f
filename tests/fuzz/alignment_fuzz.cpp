// Any bytes on two lines as alignments: read or refused, and rates from 0 to 1 that equal ones make 0.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "metrics/word_alignment.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 20000) return 0;
  const std::size_t cut = bytes.find('\n');
  try {
    const Alignment found = read_alignment(bytes.substr(0, cut)),
                    right = read_alignment(cut == bytes.npos ? "" : bytes.substr(cut + 1));
    AlignmentCounts counts, same;
    counts.add(found, right);
    if (!(counts.error_rate() >= 0 && counts.error_rate() <= 1)) std::abort();
    if (!(counts.precision() <= 1 && counts.recall() <= 1)) std::abort();
    same.add(right, right);
    if (same.error_rate() > 1e-9) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
