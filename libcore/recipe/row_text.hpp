// What is said of a key, in words: for the page of all keys and for the comments of a printed recipe.
#pragma once

#include <string>

#include "recipe/schema.hpp"

namespace headwater {

// "whole number", "list of words", ...
std::string type_of(const schema::Row& row);
// The value that the row's member has now, or what it follows from; "none" for nothing.
std::string default_of(const schema::Row& row);
// "1 to 1024 heads", "a path below the data root", ...; nothing of words, which have meanings.
std::string range_of(const schema::Row& row);
// The words that may stand there; null where any may.
const std::vector<schema::Word>* words_of(const schema::Row& row);
// What it means, and what must be so for it to be read.
std::string meaning_of(const schema::Row& row);

}  // namespace headwater
