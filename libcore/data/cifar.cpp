#include "data/cifar.hpp"

#include <string>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr std::size_t kPlane = 32 * 32, kCifarPixels = 3 * kPlane;

struct CifarForm {
  std::string_view name;
  std::size_t label_bytes;
  std::int64_t classes[2];  // of each label byte

  std::size_t record_bytes() const { return label_bytes + kCifarPixels; }
};
constexpr CifarForm kCifar10{"CIFAR-10", 1, {10, 0}}, kCifar100{"CIFAR-100", 2, {20, 100}};

// The place of the first label that the form does not have, or npos.
std::size_t find_bad_label(std::string_view bytes, const CifarForm& form) {
  for (std::size_t at = 0; at < bytes.size(); at += form.record_bytes()) {
    for (std::size_t i = 0; i < form.label_bytes; ++i) {
      if (static_cast<unsigned char>(bytes[at + i]) >= form.classes[i]) return at + i;
    }
  }
  return std::string_view::npos;
}

[[noreturn]] void fail_label(std::string_view bytes, std::string_view where, const CifarForm& form,
                             std::size_t at) {
  const std::size_t image = at / form.record_bytes(), which = at % form.record_bytes();
  throw Error(std::string(where) + ": byte " + std::to_string(at) + ": image " + std::to_string(image) +
              " (from 0) has the label " + std::to_string(static_cast<unsigned char>(bytes[at])) +
              ", not one of 0 .. " + std::to_string(form.classes[which] - 1) + " (is it a file of " +
              std::string(form.name) + "?)");
}

}  // namespace

std::span<const std::uint8_t> CifarImages::record(std::int64_t image) const {
  const std::size_t bytes = label_bytes + kCifarPixels;
  return records.subspan(static_cast<std::size_t>(image) * bytes, bytes);
}

void CifarImages::read_pixels(std::int64_t image, std::span<std::uint8_t> out) const {
  const std::span<const std::uint8_t> planes = record(image).subspan(label_bytes);
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) out[3 * i + c] = planes[c * kPlane + i];
  }
}

CifarImages read_cifar_images(std::string_view bytes, std::string_view where) {
  if (bytes.starts_with("\x1F\x8B")) {
    throw Error(std::string(where) + ": is compressed (tar -xzf it first)");
  }
  const bool may_be_10 = bytes.size() % kCifar10.record_bytes() == 0;
  const bool may_be_100 = bytes.size() % kCifar100.record_bytes() == 0;
  if (bytes.empty() || (!may_be_10 && !may_be_100)) {
    throw Error(std::string(where) + ": has " + format_count(static_cast<std::int64_t>(bytes.size())) +
                " bytes, not records of " + format_count(kCifar10.record_bytes()) + " (CIFAR-10) or " +
                format_count(kCifar100.record_bytes()) + " (CIFAR-100) (copy it again)");
  }
  // Where both lengths fit, the labels decide.
  const bool is_10 = may_be_10 && (!may_be_100 || find_bad_label(bytes, kCifar100) != std::string_view::npos);
  const CifarForm& form = is_10 ? kCifar10 : kCifar100;
  const std::size_t bad = find_bad_label(bytes, form);
  if (bad != std::string_view::npos) fail_label(bytes, where, form, bad);
  CifarImages out;
  out.count = static_cast<std::int64_t>(bytes.size() / form.record_bytes());
  out.classes = form.classes[form.label_bytes - 1];
  out.label_bytes = form.label_bytes;
  out.records = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  return out;
}

}  // namespace headwater
