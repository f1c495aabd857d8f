// The member "post_processor" of a tokenizer.json: the special tokens around the ids of a text or of a pair
// of texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/json.hpp"

namespace headwater {

class PostProcessor {
 public:
  // Adds nothing; a pair is its texts one after the other.
  PostProcessor() = default;
  // `surfaces` in the order of their ids: special tokens must be among them. Throws Error for a type that is
  // not known.
  PostProcessor(const Json& part, const std::vector<std::string>& surfaces, const std::string& where);

  std::vector<std::int32_t> apply(std::span<const std::int32_t> ids) const;
  void apply(std::span<const std::int32_t> ids, std::vector<std::int32_t>& all) const;  // appends
  std::vector<std::int32_t> apply(std::span<const std::int32_t> first,
                                  std::span<const std::int32_t> second) const;
  void apply(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
             std::vector<std::int32_t>& all) const;  // appends

 private:
  static constexpr std::int32_t kFirst = -1, kSecond = -2;
  using Template = std::vector<std::int32_t>;  // ids, and the places of the texts
  struct Place {
    const std::vector<std::string>& surfaces;
    std::string where;
  };
  void read(const Json& part, const Place& place);
  void read_bert(const Json& part, const Place& place, bool is_roberta);
  void read_templates(const Json& part, const Place& place);

  Template single_{kFirst}, pair_{kFirst, kSecond};
  bool is_set_ = false;
};

}  // namespace headwater
