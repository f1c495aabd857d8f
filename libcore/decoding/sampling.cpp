#include "decoding/sampling.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace headwater {

namespace {

constexpr Real kNoLogit = -std::numeric_limits<Real>::infinity();

double sum_of(std::span<const TokenProbability> tokens) {
  double sum = 0;
  for (const TokenProbability& token : tokens) sum += token.probability;
  return sum;
}

void normalize(std::vector<TokenProbability>& tokens) {
  const double sum = sum_of(tokens);
  for (TokenProbability& token : tokens) token.probability /= sum;
}

bool is_likelier(const TokenProbability& a, const TokenProbability& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
}

// The exponent of a double above 0: a larger number has no smaller one.
std::size_t exponent_bits(double value) { return std::bit_cast<std::uint64_t>(value) >> 52; }

// Takes away the least likely ones, all of an order of magnitude together, as long as what goes holds no more
// than 1 - p, and gives what they hold: so that few have to be sorted.
double drop_least_likely(std::vector<TokenProbability>& tokens, double p) {
  std::vector<double> held(std::size_t{1} << 11);
  std::size_t most = 0;
  for (const TokenProbability& token : tokens) {
    const std::size_t magnitude = exponent_bits(token.probability);
    held[magnitude] += token.probability;
    most = std::max(most, magnitude);
  }
  double gone = 0;
  std::size_t least = 0;
  while (least < most && gone + held[least] <= 1 - p) gone += held[least++];
  std::erase_if(tokens,
                [&](const TokenProbability& token) { return exponent_bits(token.probability) < least; });
  return gone;
}

// The least likely go as long as what goes holds no more than 1 - p; the most likely stays.
void keep_top_p(std::vector<TokenProbability>& tokens, double p) {
  double gone = drop_least_likely(tokens, p);
  std::sort(tokens.begin(), tokens.end(), is_likelier);
  while (tokens.size() > 1 && gone + tokens.back().probability <= 1 - p) {
    gone += tokens.back().probability;
    tokens.pop_back();
  }
  normalize(tokens);
}

void keep_min_p(std::vector<TokenProbability>& tokens, double share) {
  double most = 0;
  for (const TokenProbability& token : tokens) most = std::max(most, token.probability);
  const double least = share * most;
  std::erase_if(tokens, [&](const TokenProbability& token) { return token.probability < least; });
  std::sort(tokens.begin(), tokens.end(), is_likelier);
  normalize(tokens);
}

// Ids and logits in the place of probabilities, whose order is the same: all in the order of ids, or, of more
// than `most` (0: any number), the most likely first.
void select(std::span<const Real> logits, std::size_t most, std::vector<TokenProbability>& to) {
  bool is_heap = false;  // with the least likely in front
  Real least = kNoLogit;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] > least)) continue;  // also those that are equal: they have the larger id
    const TokenProbability token{static_cast<std::int32_t>(id), static_cast<double>(logits[id])};
    if (most == 0 || to.size() < most) {
      to.push_back(token);
      continue;
    }
    if (!is_heap) {
      std::make_heap(to.begin(), to.end(), is_likelier);
      is_heap = true;
    }
    if (is_likelier(token, to.front())) {
      std::pop_heap(to.begin(), to.end(), is_likelier);
      to.back() = token;
      std::push_heap(to.begin(), to.end(), is_likelier);
    }
    least = static_cast<Real>(to.front().probability);
  }
  if (is_heap) std::sort_heap(to.begin(), to.end(), is_likelier);
}

}  // namespace

void token_probabilities(std::span<const Real> logits, const SamplingSettings& settings,
                         std::vector<TokenProbability>& to) {
  to.clear();
  select(logits, static_cast<std::size_t>(settings.top_k), to);
  if (to.empty()) return;
  std::vector<double> scores;
  for (const TokenProbability& token : to) scores.push_back(token.probability / settings.temperature);
  const double most = *std::max_element(scores.begin(), scores.end());
  for (double& score : scores) score -= most;
  exponentials(scores);
  for (std::size_t i = 0; i < to.size(); ++i) to[i].probability = scores[i];
  normalize(to);
  if (settings.top_p < 1) keep_top_p(to, settings.top_p);
  if (settings.min_p > 0) keep_min_p(to, settings.min_p);
}

void penalize_repetition(std::span<Real> logits, std::span<const std::int32_t> text, double penalty,
                         std::vector<PenalizedLogit>& changed) {
  changed.clear();
  std::vector<bool> is_seen(logits.size());
  const Real factor = static_cast<Real>(penalty);
  for (const std::int32_t id : text) {
    const std::size_t at = id;
    if (id < 0 || at >= logits.size() || is_seen[at]) continue;
    is_seen[at] = true;
    changed.push_back({id, logits[at]});
    logits[at] = logits[at] < 0 ? logits[at] * factor : logits[at] / factor;
  }
}

double sampling_number(std::uint64_t seed, std::uint64_t number, std::int64_t position) {
  const RandomStream stream{
      .seed = seed, .purpose = Purpose::sample, .step = static_cast<std::uint32_t>(position)};
  const auto words = philox_block(stream, number);
  const std::uint64_t both = std::uint64_t{words[0]} << 32 | words[1];
  return static_cast<double>(both >> 11) * 0x1p-53;
}

void Sampler::choose(const StepRows& rows, std::span<Chosen> chosen) const {
  Arena& arena = rows.output.arena();
  const ArenaScope scope(arena);
  const std::span log_sums = arena.span<Real>(std::ssize(chosen));
  const Matrix logits = rows.output.logits(rows.candidates, log_sums);
  const kernels::BannedColumns& banned = rows.banned;
  const Index limit = banned.limit > 0 ? std::min(banned.limit, logits.cols) : logits.cols;
  parallel_for(logits.rows, [&](Index row) {
    const std::size_t b = row;
    Real* const values = logits.row(row);
    std::vector<PenalizedLogit> penalized;
    if (reads_texts()) {
      penalize_repetition({values, static_cast<std::size_t>(logits.cols)}, rows.texts[b],
                          settings_.repetition_penalty, penalized);
    }
    const auto ban = [&](std::int32_t id) {
      if (id >= 0 && id < logits.cols) values[id] = kNoLogit;
    };
    for (const std::int32_t id : banned.all) ban(id);
    if (!banned.offsets.empty()) {
      for (Index i = banned.offsets[b]; i < banned.offsets[b + 1]; ++i) ban(banned.columns[i]);
    }
    std::vector<TokenProbability> tokens;
    token_probabilities({values, static_cast<std::size_t>(limit)}, settings_, tokens);
    chosen[b] = {};
    if (tokens.empty()) return;
    double left = sampling_number(settings_.seed, rows.numbers[b], rows.new_tokens);
    std::size_t at = 0;
    while (at + 1 < tokens.size() && left >= tokens[at].probability) left -= tokens[at++].probability;
    const std::int32_t id = tokens[at].id;
    const auto unpenalized = std::find_if(penalized.begin(), penalized.end(),
                                          [&](const PenalizedLogit& changed) { return changed.id == id; });
    const Real logit = unpenalized == penalized.end() ? values[id] : unpenalized->logit;
    chosen[b] = {id, static_cast<double>(logit) - static_cast<double>(log_sums[b])};
  });
}

}  // namespace headwater
