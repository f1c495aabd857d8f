#include "families/mixing_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "support/name_list.hpp"

namespace headwater {

static bool reads_key(const MixerKind& mixer, std::string_view key) {
  return std::ranges::find(mixer.keys, key, &MixerKey::name) != mixer.keys.end();
}

// "a classifier with mixing: mlp"
static std::string who_mixes(const MixingUse& use, const MixingSettings& s) {
  return (use.noun.starts_with('e') ? "an " : "a ") + std::string(use.noun) + " with mixing: " + s.mixing;
}

std::string MixingUse::names(const MixerTest& passes) const {
  std::vector<std::string_view> found;
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (allows(*mixer) && passes(*mixer)) found.push_back(mixer->name);
  }
  return alternatives(found);
}

schema::When MixingUse::reads_with(const MixerTest& passes, const MixingSettings& s) const {
  return {passes(mixer_kind(s.mixing)), who_mixes(*this, s),
          std::string(noun) + " with mixing: " + names(passes)};
}

static void key_row(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                    const MixingUse& use, const MixerKey& key) {
  const schema::When when =
      use.reads_with([&](const MixerKind& mixer) { return reads_key(mixer, key.name); }, s);
  schema::Rule rule;
  if (std::holds_alternative<std::int64_t MixingSettings::*>(key.member))
    rule = schema::Between(static_cast<double>(key.min), static_cast<double>(key.max), key.unit);
  schema::Follows follows;
  if (key.follows_feed_forward) follows = {"model.feed_forward_width", feed_forward_width_of(transformer)};
  std::visit(
      [&](auto member) {
        v.field(key.name, &(s.*member), rule, {key.meaning, ""}, follows, when);
      },
      key.member);
}

void mixing_rows(schema::Visitor& v, MixingSettings& s, const TransformerSettings& transformer,
                 const MixingUse& use) {
  schema::OneOf words;
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (use.allows(*mixer)) words.words.emplace_back(mixer->name, mixer->meaning);
  }
  v.field("mixing", &s.mixing, words, {use.what, ""});
  // What is read depends on what the reader has just put there.
  std::set<std::string_view> seen;
  for (const schema::Word& word : words.words) {
    for (const MixerKey& key : mixer_kind(word.word).keys) {
      if ((use.has_encoder || !key.is_of_encoders) && seen.insert(key.name).second)
        key_row(v, s, transformer, use, key);
    }
  }
}

BlockKeys block_keys(const MixingSettings& s, const MixingUse& use) {
  const MixerTest attends = [](const MixerKind& mixer) { return mixer.has_attention; };
  const schema::When attention{s.has_attention(), who_mixes(use, s),
                               std::string(use.kind) + " with mixing: " + use.names(attends)};
  return {attention, {!s.is_recurrent(), who_mixes(use, s), "blocks with a feed-forward"}, attention};
}

void check_mixing(const MixingSettings& s, const TransformerSettings& transformer, const Complain& complain) {
  const MixerKind& mixer = mixer_kind(s.mixing);
  for (const MixerKey& key : mixer.keys) {
    if (key.fault == nullptr) continue;
    if (const std::string fault = key.fault(s); !fault.empty()) complain({"model", key.name}, fault);
  }
  const std::string fault = mixer.heads_fault(
      {.width = transformer.width, .heads = transformer.heads, .head_width = head_width_of(transformer)});
  if (!fault.empty()) complain({"model", "head_width"}, fault);
}

Offer offer_with_mixing(std::string noun, const MixingSettings& s, std::vector<Ability> abilities) {
  if (!s.has_attention()) return {std::move(noun) + " with mixing: " + s.mixing, std::move(abilities)};
  abilities.push_back(Ability::show_attention);
  return {std::move(noun), std::move(abilities)};
}

}  // namespace headwater
