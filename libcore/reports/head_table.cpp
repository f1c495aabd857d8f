#include "reports/head_table.hpp"

#include "support/json.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

std::string text_of(const std::optional<double>& number) { return number ? format_number(*number) : ""; }

std::optional<double> mean_of(const std::optional<Measure>& measure) {
  return measure ? std::optional(measure->mean) : std::nullopt;
}
std::optional<double> interval_of(const std::optional<Measure>& measure) {
  return measure ? measure->interval : std::nullopt;
}

Json measure_json(const std::optional<Measure>& measure) {
  if (!measure) return {};
  Json json;
  json.set("mean", measure->mean);
  json.set("interval", measure->interval ? Json(*measure->interval) : Json());
  return json;
}

}  // namespace

std::string head_csv(std::span<const HeadRow> rows) {
  std::string shares, intervals;
  for (std::size_t i = 0; i < kHeadShares; ++i) {
    const std::string name(name_of(static_cast<HeadShare>(i)));
    shares += name + ",";
    intervals += name + "_interval,";
  }
  std::string out = "kind,layer,head," + shares + "entropy,distance,pattern," + intervals +
                    "entropy_interval,distance_interval,score,score_interval\n";
  for (const HeadRow& row : rows) {
    out += std::string(name_of(row.kind)) + "," + std::to_string(row.layer) + "," + std::to_string(row.head) +
           ",";
    for (const std::optional<Measure>& share : row.shares) out += text_of(mean_of(share)) + ",";
    out += format_number(row.entropy.mean) + "," + format_number(row.distance.mean) + "," +
           std::string(row.pattern) + ",";
    for (const std::optional<Measure>& share : row.shares) out += text_of(interval_of(share)) + ",";
    out += text_of(row.entropy.interval) + "," + text_of(row.distance.interval) + ",";
    if (!row.pattern.empty()) out += format_number(row.score.mean);
    out += "," + (row.pattern.empty() ? "" : text_of(row.score.interval)) + "\n";
  }
  return out;
}

std::string head_json(std::span<const HeadRow> rows) {
  std::string out;
  for (const HeadRow& row : rows) {
    Json json;
    json.set("version", 1);
    json.set("kind", name_of(row.kind));
    json.set("layer", row.layer);
    json.set("head", row.head);
    for (std::size_t i = 0; i < kHeadShares; ++i)
      json.set(name_of(static_cast<HeadShare>(i)), measure_json(row.shares[i]));
    json.set("entropy", measure_json(row.entropy));
    json.set("distance", measure_json(row.distance));
    json.set("pattern", row.pattern.empty() ? Json() : Json(row.pattern));
    json.set("score", row.pattern.empty() ? Json() : measure_json(row.score));
    out += json.dump() + "\n";
  }
  return out;
}

}  // namespace headwater
