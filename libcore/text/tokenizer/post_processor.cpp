#include "text/tokenizer/post_processor.hpp"

#include "support/error.hpp"
#include "text/tokenizer/text_part.hpp"

namespace headwater {
namespace {

// An id that a part gives with its surface.
std::int32_t special_id(const Json& id, const std::string& surface, const std::vector<std::string>& surfaces,
                        const std::string& where) {
  if (!id.is_integer() || id.as_integer() < 0 ||
      static_cast<std::uint64_t>(id.as_integer()) >= surfaces.size() ||
      surfaces[id.as_integer()] != surface) {
    throw Error(where + ": the id of " + quote(surface) + " does not agree with the vocabulary");
  }
  return static_cast<std::int32_t>(id.as_integer());
}

// ["[SEP]", 102]
std::int32_t read_surface_and_id(const Json& part, std::string_view name,
                                 const std::vector<std::string>& surfaces, const std::string& where) {
  const std::string here = where + "." + std::string(name);
  const Json& both = json_member(part, name, where);
  if (!both.is_array() || both.as_array().size() != 2 || !both.as_array()[0].is_string())
    throw Error(here + ": expected a token and its id");
  return special_id(both.as_array()[1], both.as_array()[0].as_string(), surfaces, here);
}

constexpr std::size_t kMaxTemplate = 256;

}  // namespace

PostProcessor::PostProcessor(const Json& part, const std::vector<std::string>& surfaces,
                             const std::string& where) {
  if (!part.is_null()) read(part, {surfaces, where});
}

void PostProcessor::read(const Json& part, const Place& place) {
  const std::string& type = type_of_part(part, place.where);
  if (type == "Sequence") {
    check_members(part, {"type", "processors"}, place.where);
    for_each_part(part, "processors", place.where, [&](const Json& inner, const std::string& where) {
      read(inner, {place.surfaces, where});
    });
    return;
  }
  if (type == "ByteLevel") {  // moves offsets alone
    check_members(part, {"type", "add_prefix_space", "trim_offsets", "use_regex"}, place.where);
    return;
  }
  if (is_set_)
    throw Error(place.where +
                ": a second part that adds tokens is not supported (make one template of both)");
  is_set_ = true;
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    read_bert(part, place, type == "RobertaProcessing");
  } else if (type == "TemplateProcessing") {
    read_templates(part, place);
  } else {
    throw Error(place.where + ": unsupported type " + quote(type) +
                " (supported: BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing)");
  }
}

// [CLS] A [SEP] B [SEP]; RoBERTa's pair has two separators between the texts.
void PostProcessor::read_bert(const Json& part, const Place& place, bool is_roberta) {
  if (is_roberta) {
    check_members(part, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"}, place.where);
  } else {
    check_members(part, {"type", "sep", "cls"}, place.where);
  }
  const std::int32_t end = read_surface_and_id(part, "sep", place.surfaces, place.where);
  const std::int32_t begin = read_surface_and_id(part, "cls", place.surfaces, place.where);
  single_ = {begin, kFirst, end};
  pair_ = is_roberta ? Template{begin, kFirst, end, end, kSecond, end}
                     : Template{begin, kFirst, end, kSecond, end};
}

void PostProcessor::read_templates(const Json& part, const Place& place) {
  check_members(part, {"type", "single", "pair", "special_tokens"}, place.where);
  const Json& special = json_member(part, "special_tokens", place.where);
  const auto read_template = [&](const char* name) {
    Template result;
    for_each_part(part, name, place.where, [&](const Json& item, const std::string& where) {
      check_members(item, {"SpecialToken", "Sequence"}, where);
      if (const Json* sequence = item.find("Sequence"); sequence != nullptr) {
        const std::string here = where + ".Sequence";
        const std::string& id = json_string(*sequence, "id", here);
        if (id != "A" && id != "B") throw Error(here + ".id: expected A or B");
        if (id == "B" && std::string_view(name) == "single")
          throw Error(here + ".id: a single text has no B");
        result.push_back(id == "A" ? kFirst : kSecond);
      } else {
        const std::string& token = json_string(json_member(item, "SpecialToken", where), "id", where);
        const std::string here = place.where + ".special_tokens";
        const Json& entry = json_member(special, token, here);
        const std::string entry_place = here + "." + token;
        const Json& ids = json_member(entry, "ids", entry_place);
        const Json& tokens = json_member(entry, "tokens", entry_place);
        if (!ids.is_array() || !tokens.is_array() || ids.as_array().size() != tokens.as_array().size())
          throw Error(entry_place + ": expected as many ids as tokens");
        for (std::size_t i = 0; i < ids.as_array().size(); ++i) {
          if (!tokens.as_array()[i].is_string()) throw Error(entry_place + ".tokens: expected strings");
          result.push_back(
              special_id(ids.as_array()[i], tokens.as_array()[i].as_string(), place.surfaces, here));
        }
      }
      if (result.size() > kMaxTemplate)
        throw Error(where + ": more than " + std::to_string(kMaxTemplate) + " parts");
    });
    return result;
  };
  single_ = read_template("single");
  pair_ = read_template("pair");
}

std::vector<std::int32_t> PostProcessor::apply(std::span<const std::int32_t> ids) const {
  std::vector<std::int32_t> all;
  apply(ids, all);
  return all;
}

void PostProcessor::apply(std::span<const std::int32_t> ids, std::vector<std::int32_t>& all) const {
  for (const std::int32_t item : single_) {
    if (item == kFirst) {
      all.insert(all.end(), ids.begin(), ids.end());
    } else {
      all.push_back(item);
    }
  }
}

std::vector<std::int32_t> PostProcessor::apply(std::span<const std::int32_t> first,
                                               std::span<const std::int32_t> second) const {
  std::vector<std::int32_t> all;
  apply(first, second, all);
  return all;
}

void PostProcessor::apply(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                          std::vector<std::int32_t>& all) const {
  for (const std::int32_t item : pair_) {
    if (item >= 0) {
      all.push_back(item);
    } else {
      const std::span<const std::int32_t> text = item == kFirst ? first : second;
      all.insert(all.end(), text.begin(), text.end());
    }
  }
}

}  // namespace headwater
