// Any bytes as a table of terms: refused with the place, or it writes itself again and gives bags of known
// terms.
#include "data/ngram_vocabulary.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const NgramVocabulary table = NgramVocabulary::parse(text, "t");
    const std::string written = table.to_text();
    if (NgramVocabulary::parse(written, "t").to_text() != written) std::abort();
    TokenRow row;
    std::vector<TermValue> values;
    for (std::int32_t id = 1; id < table.size(); ++id) {
      if (table.find(table.term(id).ngram) != id) std::abort();
      row.read(table.term(id).ngram);
      table.values(row, TermOutput::tf_idf, values);
      if (values.empty()) std::abort();
      for (const TermValue& value : values) {
        if (value.term < 0 || value.term >= table.size() || !(value.value > 0) || !std::isfinite(value.value))
          std::abort();
      }
      if (id > 100) break;
    }
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("t:")) std::abort();
  }
  return 0;
}
