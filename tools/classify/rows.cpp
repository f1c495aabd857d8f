// The lines of output.
#include <charconv>

#include "decoding/classify.hpp"
#include "metrics/calibration.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "tools/classify/classify.hpp"

namespace headwater::classify {
namespace {

std::string text_of(const std::vector<LabelProbability>& best, const LabelSet& labels) {
  std::string line;
  for (const LabelProbability& b : best) {
    line += (line.empty() ? "" : "\t") + labels.labels()[b.label] + "\t" +
            format_number(static_cast<double>(b.probability));
  }
  return line;
}

// A column for each label, in the order of the set.
std::string text_of_all(const float* probabilities, Index labels) {
  std::string line;
  for (Index label = 0; label < labels; ++label)
    line += (label > 0 ? "\t" : "") + format_number(static_cast<double>(probabilities[label]));
  return line;
}

// The digits of the columns: as many as tell one float from the next.
double in_json(float probability) {
  const std::string digits = format_number(static_cast<double>(probability));
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// `file`: of an image.
std::string json_of(const std::vector<LabelProbability>& best, const LabelSet& labels,
                    const std::string* file, bool is_truncated) {
  const auto entry = [&](Json json, const LabelProbability& b) {
    json.set("label", labels.labels()[b.label]).set("probability", in_json(b.probability));
    return json;
  };
  Json json = Json::Object{};
  json.set("version", 1);
  if (file != nullptr) json.set("file", *file);
  json = entry(std::move(json), best.front());
  Json::Array top;
  for (const LabelProbability& b : best) top.push_back(entry(Json::Object{}, b));
  json.set("top", std::move(top));
  if (is_truncated) json.set("truncated", true);
  return json.dump();
}

}  // namespace

RowWriter::RowWriter(const Options& o, const LabelSet& labels, bool gives_many) : o_(o), labels_(labels) {
  if (gives_many && o.temperature != 1)
    throw UsageError("--temperature divides the logits of a softmax, and " + o.model +
                     " gives each label a probability of its own (leave it out)");
  if (!o.has_header) return;
  std::string line;
  for (const std::string& label : labels.labels()) line += (line.empty() ? "" : "\t") + label;
  out_.line(line);
}

void RowWriter::write(Matrix probabilities, const std::vector<std::string>& files,
                      const TextLabeller* truncated) {
  apply_temperature(probabilities, o_.temperature);
  for (Index i = 0; i < probabilities.rows; ++i) {
    if (o_.has_all) {
      out_.line(text_of_all(probabilities.row(i), probabilities.cols));
      continue;
    }
    const auto best = TextLabeller::best(probabilities.row(i), probabilities.cols, o_.top);
    const std::string* const file = files.empty() ? nullptr : &files[i];
    const bool is_truncated = truncated != nullptr && truncated->is_truncated(static_cast<std::size_t>(i));
    out_.line(o_.is_json ? json_of(best, labels_, file, is_truncated) : text_of(best, labels_));
  }
  out_.flush();
}

}  // namespace headwater::classify
