#include "decoding/generation_settings.hpp"

#include <iterator>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

void set_published(GenerationSettings& search, const GenerationConfig& config, std::int64_t vocabulary) {
  const auto is_token = [&](std::int32_t id) { return id < vocabulary; };
  search.end_id = -1;
  search.other_end_ids.clear();
  for (const std::int32_t id : config.end_ids) {
    if (!is_token(id)) continue;
    if (search.end_id >= 0) search.other_end_ids.push_back(id);
    if (search.end_id < 0) search.end_id = id;
  }
  if (config.forced_end_id >= 0 && is_token(config.forced_end_id)) {
    std::ranges::replace(search.other_end_ids, config.forced_end_id, search.end_id);
    search.end_id = config.forced_end_id;
    search.forces_end = true;
  }
  search.forced_start_id = is_token(config.forced_start_id) ? config.forced_start_id : -1;
  std::ranges::copy_if(config.suppress_tokens, std::back_inserter(search.suppress_tokens), is_token);
  std::ranges::copy_if(config.begin_suppress_tokens, std::back_inserter(search.begin_suppress_tokens),
                       is_token);
  for (const std::vector<std::int32_t>& word : config.bad_words) {
    const bool is_end = word.size() == 1 && search.is_end(word.front());
    if (is_end || !std::ranges::all_of(word, is_token)) continue;
    if (word.size() == 1) search.suppress_tokens.push_back(word.front());
    if (word.size() > 1) search.banned_sequences.push_back(word);
  }
  search.min_length = config.min_length;
  search.repetition_penalty = config.repetition_penalty;
  search.renormalizes = config.renormalizes;
}

SamplingSettings sampling_settings(const GenerationConfig& config) {
  constexpr std::int64_t kTheirTopK = 50;  // where do_sample is said, and top_k is not
  if (!config.not_sampled.empty()) throw Error(config.file + ": " + config.not_sampled);
  return {.repetition_penalty = config.repetition_penalty,
          .temperature = config.temperature.value_or(1),
          .top_k = config.top_k.value_or(config.samples ? kTheirTopK : 0),
          .top_p = std::max(config.top_p.value_or(1), 1e-6),
          .min_p = config.min_p.value_or(0)};
}

std::optional<SamplingSettings> sampling_of_files(const GenerationConfig& config) {
  if (!config.samples) return std::nullopt;
  if (config.decoding.num_beams > 1) {
    throw Error(config.file + ": \"do_sample\" is true and \"num_beams\" " +
                std::to_string(config.decoding.num_beams) +
                ", and a beam search draws nothing here (set one of them on the command line)");
  }
  return sampling_settings(config);
}

namespace {

using State = CharacterGuard::State;

State after_first_byte(unsigned char byte) {
  if (byte == 0) return State::broken;
  if (byte < 0x80) return State::whole;
  if (byte < 0xC2) return State::broken;
  if (byte < 0xE0) return State::one;
  if (byte == 0xE0) return State::after_e0;
  if (byte == 0xED) return State::after_ed;
  if (byte < 0xF0) return State::two;
  if (byte == 0xF0) return State::after_f0;
  if (byte < 0xF4) return State::three;
  return byte == 0xF4 ? State::after_f4 : State::broken;
}

State after_byte(State state, unsigned char byte) {
  const auto within = [&](unsigned least, unsigned most, State then) {
    return byte >= least && byte <= most ? then : State::broken;
  };
  switch (state) {
    case State::whole:
      return after_first_byte(byte);
    case State::one:
      return within(0x80, 0xBF, State::whole);
    case State::two:
      return within(0x80, 0xBF, State::one);
    case State::three:
      return within(0x80, 0xBF, State::two);
    case State::after_e0:
      return within(0xA0, 0xBF, State::one);
    case State::after_ed:
      return within(0x80, 0x9F, State::one);
    case State::after_f0:
      return within(0x90, 0xBF, State::two);
    case State::after_f4:
      return within(0x80, 0x8F, State::two);
    case State::broken:
      break;
  }
  return State::broken;
}

}  // namespace

// The surface alone does not say it: "Ã" is a byte to one tokenizer and a letter to another.
bool CharacterGuard::is_partial(std::int32_t id, std::string& bytes) const {
  const std::string& surface = tokenizer_.surface(id);
  bytes.clear();
  if (const int byte = byte_of_surface(surface); byte >= 0) {
    bytes.push_back(static_cast<char>(byte));
  } else if (!append_byte_level_bytes(surface, bytes)) {
    return false;
  }
  const bool has_nul = bytes.find('\0') != bytes.npos;
  if (!has_nul && find_invalid_utf8(bytes) == bytes.npos) return false;
  if (tokenizer_.is_special(id)) return false;
  const std::string text = tokenizer_.decode(std::span(&id, 1));
  return has_nul ? text.find('\0') != text.npos : text.find("\xEF\xBF\xBD") != text.npos;
}

std::shared_ptr<const CharacterGuard> CharacterGuard::of(const Tokenizer& tokenizer, std::int32_t end) {
  auto guard = std::make_shared<const CharacterGuard>(tokenizer, end);
  std::string bytes;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (guard->is_partial(id, bytes)) return guard;
  }
  return nullptr;
}

State CharacterGuard::next(State state, std::int32_t id) const {
  std::string bytes;
  if (id == end_ || id >= tokenizer_.vocabulary_size() || !is_partial(id, bytes))
    return state == State::whole ? state : State::broken;
  for (const char byte : bytes) state = after_byte(state, static_cast<unsigned char>(byte));
  return state;
}

State CharacterGuard::after(std::span<const std::int32_t> ids) const {
  State state = State::whole;
  for (const std::int32_t id : ids) {
    state = next(state, id);
    if (state == State::broken) state = State::whole;
  }
  return state;
}

std::span<const std::int32_t> CharacterGuard::banned(State state) const {
  const auto at = static_cast<std::size_t>(state);
  std::call_once(is_made_[at], [&] {
    for (std::int32_t id = 0; id < tokenizer_.vocabulary_size(); ++id) {
      if (next(state, id) == State::broken) banned_[at].push_back(id);
    }
  });
  return banned_[at];
}

}  // namespace headwater
