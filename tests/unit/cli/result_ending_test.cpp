#include "cli/result_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>

#include "error_text.hpp"
#include "support/error.hpp"

using namespace headwater;

TEST_CASE("endings: those of the format, of none, and no file at all") {
  for (const char* const output :
       {"a.csv", "a.CSV", "a.txt", "a.part", "a", "", "-", "a.svg/b", "/dev/stdout", ".svg"})
    CHECK_NOTHROW(cli::check_ending(output, "-o", "csv"));
  CHECK_NOTHROW(cli::check_ending("a.htm", "-o", "html"));
  CHECK_NOTHROW(cli::check_ending("a.jsonl", "-o", "json"));
  CHECK_NOTHROW(cli::check_ending("a.tsv", "-o", "text"));
}

TEST_CASE("endings: the format that a name asks for") {
  const std::array<std::string_view, 4> formats{"csv", "svg", "matrix", "json"};
  for (const auto& [output, format] : std::map<std::string, std::string>{{"a.svg", "svg"},
                                                                         {"b.c/a.SVG", "svg"},
                                                                         {"a.dat", "matrix"},
                                                                         {"a.json", "json"},
                                                                         {"a.txt", "none"},
                                                                         {"a.npy", "none"},
                                                                         {"a", "none"},
                                                                         {"", "none"}})
    CHECK(cli::format_of_ending(output, formats, "none") == format);
}

TEST_CASE("endings: those of another format, with what would write it") {
  const auto refusal = [](const char* output, const char* format) {
    return error_text([&] {
      cli::check_format_ending(output, format, std::array<std::string_view, 3>{"csv", "svg", "npy"});
    });
  };
  CHECK(refusal("a.svg", "csv") ==
        "-o a.svg: ends in .svg, where CSV is written (say --format svg, or name FILE.csv)");
  CHECK(refusal("b/a.NPY", "svg") ==
        "-o b/a.NPY: ends in .npy, where SVG is written (say --format npy, or name FILE.svg)");
  CHECK(refusal("a.pdf", "svg") ==
        "-o a.pdf: ends in .pdf, a format that no program here writes (name FILE.svg, FILE.csv or FILE.npy)");
  for (const std::string ending : {".tiff", ".parquet", ".DOCX", ".xlsx", ".h5", ".pickle", ".gz"})
    CHECK(refusal(("a" + ending).c_str(), "csv").find(", a format that no program here writes (name ") !=
          std::string::npos);
  CHECK(refusal("news.pt", "csv") == "(no error)");
  CHECK(refusal("a.html", "csv") == "-o a.html: ends in .html, where CSV is written (name FILE.csv)");
  CHECK_THROWS_AS(cli::check_ending("a.txt", "-o", "npy"), UsageError);
  CHECK_THROWS_AS(cli::check_ending("a.json", "--validation", "safetensors"), UsageError);
}
