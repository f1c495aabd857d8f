#include "cli/progress.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace headwater::cli;

TEST_CASE("durations") {
  CHECK(format_duration(0) == "0:00");
  CHECK(format_duration(7.4) == "0:07");
  CHECK(format_duration(59.6) == "1:00");
  CHECK(format_duration(754) == "12:34");
  CHECK(format_duration(3 * 3600 + 121) == "3:02:01");
  CHECK(format_duration(-1) == "?");
  CHECK(format_duration(NAN) == "?");
  CHECK(format_duration(INFINITY) == "?");
}

TEST_CASE("rates") {
  CHECK(format_rate(0.254) == "0.25");
  CHECK(format_rate(7.26) == "7.3");
  CHECK(format_rate(812.4) == "812");
  CHECK(format_rate(12345) == "12,345");
  CHECK(format_rate(1234567) == "1,234,567");
  CHECK(format_rate(NAN) == "?");
  CHECK(format_rate(-3) == "?");
}

TEST_CASE("one line of progress") {
  ProgressLine line;
  line.label = "epoch 1";
  line.unit = "tokens";
  line.detail = "loss 3.21";
  line.units_a_second = 12345;
  line.seconds = 61;
  CHECK(format_progress(line) == "epoch 1 12,345 tokens/s, 1:01, loss 3.21");
  line.share = 0.5;
  line.seconds_left = 61;
  CHECK(format_progress(line) == "epoch 1  50% 12,345 tokens/s, ETA 1:01, loss 3.21");
  line.has_bar = true;
  CHECK(format_progress(line) ==
        "epoch 1  50% [############------------] 12,345 tokens/s, ETA 1:01, loss 3.21");
  line.columns = 20;
  CHECK(format_progress(line) == "epoch 1  50% [######");
  line.detail = "";
  line.share = 1.7;
  line.seconds_left = -1;
  line.columns = 0;
  CHECK(format_progress(line) == "epoch 1 100% [########################] 12,345 tokens/s, ETA ?");
}

TEST_CASE("a cut never splits a character") {
  ProgressLine line;
  line.label = "\xC3\xA9\xC3\xA9\xC3\xA9";
  line.columns = 2;
  CHECK(format_progress(line) == "\xC3\xA9\xC3\xA9");
}
