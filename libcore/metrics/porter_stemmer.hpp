// The stem of an English word (Porter, An algorithm for suffix stripping, Program 14(3), 1980), with the
// departures that NLTK's stemmer makes by default, so that ROUGE with stemming equals rouge-score's.
#pragma once

#include <string>

namespace headwater {

// `word` is of lower-case ASCII letters and digits; a digit counts as a consonant.
std::string porter_stem(std::string word);

}  // namespace headwater
