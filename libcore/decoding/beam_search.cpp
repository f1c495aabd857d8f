// Beam search. The live hypotheses of all prompts are the rows of one batch; a finished prompt has no rows.
// The output layer gives the best continuations of a row without all logits. This file chooses among the
// rows of a prompt, in a fixed total order: the higher sum of log-probabilities, then the row, then the
// better logit, then the smaller id. If a prompt asks for phrases, its rows are divided among the stages that
// its hypotheses have reached (Post & Vilar 2018), and none ends before all phrases are met.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/decoding_group.hpp"
#include "decoding/next_token.hpp"
#include "decoding/phrases.hpp"
#include "decoding/sampling.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/argmax/argmax.hpp"

namespace headwater {

namespace {

// What the rows may not choose, and what each has read (empty where nothing asks for it).
struct RowLimits {
  kernels::BannedColumns banned;
  RowCandidates candidates;
  std::span<const std::span<const std::int32_t>> texts;
};

// What may follow each live hypothesis, the best first. top and log_sums as StepOutput::top gives them, after
// penalty, bans and renormalization, as Hugging Face's library orders them.
void find_candidates(const StepOutput& output, const RowLimits& limits, const GenerationSettings& settings,
                     Index count, std::span<kernels::TopLogit> top, std::span<Real> log_sums) {
  if (settings.repetition_penalty == 1 && !settings.renormalizes)
    return output.top(limits.banned, limits.candidates, count, top, log_sums);
  const Matrix logits = output.logits(limits.candidates, log_sums);
  parallel_for(logits.rows, [&](Index r) {
    const std::size_t row = r;
    const std::span<Real> values(logits.row(r), static_cast<std::size_t>(logits.cols));
    for (Real& value : values) value -= log_sums[row];
    log_sums[row] = 0;
    if (settings.repetition_penalty == 1) return;
    std::vector<PenalizedLogit> changed;
    penalize_repetition(values, limits.texts[row], settings.repetition_penalty, changed);
  });
  kernels::top_logits(logits, limits.banned, count, top);
  if (settings.renormalizes) kernels::log_sum_exp(logits, log_sums.data());
}

// Hypotheses are paths in trees of tokens, from the last one back to the prompt.
constexpr std::int32_t kPrompt = -1;
struct TokenNode {
  std::int32_t parent;  // a node, or kPrompt
  std::int32_t id;
  double log_probability;
  CharacterGuard::State state;
};

struct LiveHypothesis {
  std::int32_t last;  // node
  double log_probability;
  Phrases::State phrases = {};
};

// One that has ended or may not go on, in the order of score; the earlier of equals first.
struct FinishedHypothesis {
  std::int32_t last;
  bool is_ended;
  double log_probability, score;
};

// Its rows are `first` to `first + rows - 1` of the step, the best first.
struct BeamOfPrompt {
  Index prompt, room, first, rows;
  std::vector<FinishedHypothesis> finished;
};

class BeamSearch {
 public:
  explicit BeamSearch(const DecodingGroup& group)
      : group_(group),
        settings_(group.settings),
        beams_(group.settings.search.num_beams),
        width_((2 + std::ssize(group.settings.other_end_ids)) * beams_),
        bans_(group.settings),
        state_(group, beams_) {
    for (Index s = 0; s < group.prompts.sequences(); ++s) {
      prompts_.push_back({s, group.room[s], s, 1, {}});
      live_.push_back({kPrompt, 0});
      ids_.push_back(group.prompts.target.sequence(s).back());
      from_.push_back(s * beams_);
    }
    const Index longest = *std::max_element(group.room.begin(), group.room.end());
    for (Index tokens = 0; tokens <= longest; ++tokens)
      penalties_.push_back(tokens == 0 ? 1 : length_penalty(settings_, tokens));
    state_.reorder(from_);
    heads_.resize(beams_);
  }

  void run() {
    while (!prompts_.empty()) step();
  }

 private:
  void step() {
    Arena& arena = group_.tape.arena();
    const ArenaScope scope(arena);
    const auto rows = static_cast<Index>(live_.size());
    slots_.resize(live_.size());
    prompt_of_.resize(live_.size());
    for (const BeamOfPrompt& p : prompts_) {
      for (Index row = p.first; row < p.first + p.rows; ++row) {
        slots_[row] = row;
        prompt_of_[row] = p.prompt;
      }
    }
    gather_texts();
    const StepOutput output =
        state_.step({.slots = slots_, .ids = ids_, .prompts = prompt_of_, .texts = texts_});
    bans_.clear(made_);
    for (std::size_t row = 0; row < live_.size(); ++row) {
      if (texts_.empty() && settings_.characters == nullptr) break;
      bans_.add(texts_.empty() ? std::span<const std::int32_t>() : texts_[row],
                settings_.characters == nullptr ? std::span<const std::int32_t>()
                                                : settings_.characters->banned(state_of(live_[row].last)));
    }
    top_ = arena.span<kernels::TopLogit>(rows * width_);
    log_sums_ = arena.span<Real>(rows);
    row_candidates_.clear();
    for (std::size_t row = 0; row < live_.size() && !group_.candidates.empty(); ++row)
      row_candidates_.push_back(&group_.candidates[prompt_of_[row]]);
    find_candidates(output, {bans_.columns(), row_candidates_, texts_}, settings_, width_, top_, log_sums_);
    if (!group_.phrases.empty()) {  // whose ids are seldom among the best
      logit_sums_ = arena.span<Real>(rows);
      logits_ = output.logits(row_candidates_, logit_sums_);
    }
    for (const BeamOfPrompt& p : prompts_) force(p);
    ++made_;
    next_.clear();
    from_.clear();
    ids_.clear();
    std::size_t unfinished = 0;
    for (BeamOfPrompt& p : prompts_) {
      advance(p);
      if (p.rows == 0) {
        write_results(p);
      } else {
        if (&prompts_[unfinished] != &p) std::swap(prompts_[unfinished], p);
        ++unfinished;
      }
    }
    prompts_.resize(unfinished);
    std::swap(live_, next_);
    state_.reorder(from_);
  }

  // What each row has read, and reads next; where anything asks for it.
  void gather_texts() {
    if (!bans_.reads_texts() && !settings_.slides && settings_.repetition_penalty == 1) return;
    text_ids_.resize(live_.size());
    texts_.clear();
    for (std::size_t row = 0; row < live_.size(); ++row) {
      const std::span<const std::int32_t> prompt = group_.prompts.target.sequence(prompt_of_[row]);
      std::vector<std::int32_t>& text = text_ids_[row];
      text.clear();
      for (std::int32_t node = live_[row].last; node != kPrompt; node = this->node(node).parent)
        text.push_back(this->node(node).id);
      text.insert(text.end(), prompt.rbegin(), prompt.rend());
      std::reverse(text.begin(), text.end());
      texts_.emplace_back(text);
    }
  }

  // Where one token alone may follow, it is the rows' only candidate, and certain.
  std::int32_t forced(const BeamOfPrompt& p) const {
    return settings_.forced(std::ssize(group_.prompts.target.sequence(p.prompt)), made_, p.room);
  }
  void force(const BeamOfPrompt& p) {
    const std::int32_t id = forced(p);
    if (id < 0) return;
    for (Index row = p.first; row < p.first + p.rows; ++row) {
      const std::span<kernels::TopLogit> of_row = top_.subspan(row * width_, width_);
      std::ranges::fill(of_row, kernels::TopLogit{.value = 0, .column = -1});
      of_row.front().column = id;
      log_sums_[row] = 0;
    }
  }

  // A continuation of one of a prompt's rows.
  struct Continuation {
    Index row;  // -1: there is none
    std::int32_t id;
    double of_token, log_probability;
  };

  // The best one that was not taken yet; heads_ counts those of each row that were.
  Continuation take_best(const BeamOfPrompt& p) {
    Continuation best{-1, -1, 0, 0};
    for (Index i = 0; i < p.rows; ++i) {
      const std::size_t row = p.first + i;
      const Index taken = heads_[i];
      if (taken == width_) continue;
      const kernels::TopLogit& top =
          top_[row * static_cast<std::size_t>(width_) + static_cast<std::size_t>(taken)];
      if (top.column < 0) continue;
      const double of_token = static_cast<double>(top.value) - static_cast<double>(log_sums_[row]);
      const double sum = live_[row].log_probability + of_token;
      if (best.row < 0 || sum > best.log_probability) best = {p.first + i, top.column, of_token, sum};
    }
    if (best.row >= 0) ++heads_[best.row - p.first];
    return best;
  }

  void choose(BeamOfPrompt& p) {
    const bool is_full = made_ == p.room;
    std::fill_n(heads_.begin(), p.rows, 0);
    Index continued = 0;
    // At most one continuation of a row ends it for each end token: so many more are enough.
    for (Index rank = 0; rank < (is_full ? beams_ : width_) && continued < beams_; ++rank) {
      const Continuation c = take_best(p);
      if (c.row < 0) break;
      const bool is_end = settings_.is_end(c.id);
      if (is_end && rank >= beams_) continue;
      if (!take(p, c, {})) ++continued;
    }
  }

  // True where the hypothesis ends with it.
  bool take(BeamOfPrompt& p, const Continuation& c, const Phrases::State& phrases) {
    const bool is_end = settings_.is_end(c.id);
    const std::int32_t last = add_node(live_[c.row].last, c);
    if (is_end || made_ == p.room) {
      add_finished(p, {last, is_end, c.log_probability, c.log_probability / penalty(made_)});
      return true;
    }
    next_.push_back({last, c.log_probability, phrases});
    from_.push_back(c.row);
    ids_.push_back(c.id);
    return false;
  }

  bool has_phrases(const BeamOfPrompt& p) const {
    return !group_.phrases.empty() && !group_.phrases[p.prompt].empty();
  }

  struct Candidate {
    Continuation c;
    Phrases::State state;  // after it
    std::int64_t stage;
  };

  // What may follow the rows of a prompt with phrases, the best first: the likeliest ids, and those that
  // bring a phrase on. Where the room is just enough for what is missing, the latter alone.
  void gather_candidates(const BeamOfPrompt& p) {
    candidates_.clear();
    const Phrases& phrases = group_.phrases[p.prompt];
    const Index room = p.room - made_ - (settings_.forces_end ? 1 : 0);
    for (Index row = p.first; row < p.first + p.rows; ++row) {
      const LiveHypothesis& live = live_[row];
      const auto back = [&](std::size_t k) {
        std::int32_t at = live.last;
        for (; k > 1 && at != kPrompt; --k) at = node(at).parent;
        return at == kPrompt ? -1 : node(at).id;
      };
      const std::size_t first = candidates_.size();
      const auto add = [&](std::int32_t id, double of_token) {
        const bool is_end = settings_.is_end(id);
        if (is_end ? !phrases.is_complete(live.phrases) : phrases.repeats(live.phrases, id, back)) return;
        const Phrases::State state = is_end ? live.phrases : phrases.next(live.phrases, id);
        if (!is_end && phrases.missing(state) > std::max<Index>(room, 0)) return;
        candidates_.push_back(
            {{row, id, of_token, live.log_probability + of_token}, state, phrases.stage(state)});
      };
      for (const kernels::TopLogit& top : top_.subspan(row * width_, width_)) {
        if (top.column >= 0)
          add(top.column, static_cast<double>(top.value) - static_cast<double>(log_sums_[row]));
      }
      // A phrase does not begin within a character.
      if (forced(p) >= 0 || state_of(live.last) != CharacterGuard::State::whole) continue;
      phrases.advancing(live.phrases, advancing_);
      for (const std::int32_t id : advancing_) {
        const auto is_it = [&](const Candidate& known) { return known.c.id == id; };
        if (std::none_of(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(), is_it))
          add(id, static_cast<double>(logits_.row(row)[id]) - static_cast<double>(logit_sums_[row]));
      }
    }
    std::ranges::stable_sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.c.log_probability > b.c.log_probability;
    });
  }

  // Gives places in turn to the best of the highest stage, the lowest, the second highest, and so on. So
  // hypotheses with most phrases continue at any price, and those with fewest as the model likes.
  void choose_with_phrases(BeamOfPrompt& p) {
    gather_candidates(p);
    std::vector<std::int64_t> stages;
    for (const Candidate& candidate : candidates_) stages.push_back(candidate.stage);
    std::ranges::sort(stages);
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    for (std::size_t i = 0; i + 1 < stages.size(); i += 2)
      std::rotate(stages.begin() + static_cast<std::ptrdiff_t>(i), stages.end() - 1, stages.end());
    std::vector<bool> is_taken(candidates_.size());
    std::vector<std::size_t> taken;
    for (bool is_left = true; is_left && std::ssize(taken) < beams_;) {
      is_left = false;
      for (const std::int64_t stage : stages) {
        if (std::ssize(taken) == beams_) break;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
          if (is_taken[i] || candidates_[i].stage != stage) continue;
          is_taken[i] = is_left = true;
          taken.push_back(i);
          break;
        }
      }
    }
    std::ranges::sort(taken);
    for (const std::size_t i : taken) take(p, candidates_[i].c, candidates_[i].state);
  }

  // Appends the next rows of a prompt to next_, from_ and ids_, and finished ones to those it keeps.
  void advance(BeamOfPrompt& p) {
    const auto first = static_cast<Index>(next_.size());
    if (has_phrases(p)) {
      choose_with_phrases(p);
    } else {
      choose(p);
    }
    const Index continued = std::ssize(next_) - first;
    if (continued == 0 && p.finished.empty()) {  // nothing may follow
      for (Index row = p.first; row < p.first + p.rows; ++row) {
        const LiveHypothesis& live = live_[row];
        add_finished(p, {live.last, false, live.log_probability,
                         made_ > 1 ? live.log_probability / penalty(made_ - 1) : 0});
      }
    }
    const Index worth = worth_continuing(p, first, continued);
    next_.resize(first + worth);
    from_.resize(next_.size());
    ids_.resize(next_.size());
    p.first = first;
    p.rows = worth;
  }

  // How many of the live hypotheses, the best first, may still change the results.
  Index worth_continuing(const BeamOfPrompt& p, Index first, Index continued) const {
    if (continued == 0) return 0;
    const auto finished = static_cast<Index>(p.finished.size());
    const auto sum_of = [&](Index i) { return next_[first + i].log_probability; };
    // With phrases those that end first are those that were forced most.
    const BeamStopping stopping = has_phrases(p) ? BeamStopping::never : settings_.search.early_stopping;
    if (stopping == BeamStopping::first) return finished == beams_ ? 0 : continued;
    if (stopping == BeamStopping::heuristic)
      return finished == beams_ && sum_of(0) / penalty(made_) <= p.finished.back().score ? 0 : continued;
    if (finished < settings_.n_best) return continued;
    const double threshold = p.finished[settings_.n_best - 1].score;
    // Sums only fall: a score can be no better than the sum of now at the length that favours it most.
    const double best_penalty = penalty(settings_.search.length_penalty > 0 ? p.room : made_ + 1);
    Index worth = continued;
    while (worth > 0 && sum_of(worth - 1) / best_penalty <= threshold) --worth;
    return worth;
  }

  void add_finished(BeamOfPrompt& p, const FinishedHypothesis& hypothesis) const {
    const auto place = std::find_if(p.finished.begin(), p.finished.end(),
                                    [&](const FinishedHypothesis& k) { return k.score < hypothesis.score; });
    p.finished.insert(place, hypothesis);
    if (static_cast<Index>(p.finished.size()) > beams_) p.finished.pop_back();
  }

  void write_results(const BeamOfPrompt& p) const {
    Hypotheses& results = group_.results[p.prompt];
    const std::size_t count = std::min(p.finished.size(), static_cast<std::size_t>(settings_.n_best));
    for (const FinishedHypothesis& finished : std::span(p.finished).first(count)) {
      Hypothesis& h = results.emplace_back();
      h.is_ended = finished.is_ended;
      if (h.is_ended) h.end_id = node(finished.last).id;
      h.log_probability = finished.log_probability;
      h.score = finished.score;
      for (std::int32_t at = finished.last; at != kPrompt; at = node(at).parent) {
        h.token_log_probabilities.push_back(node(at).log_probability);
        if (!finished.is_ended || at != finished.last) h.ids.push_back(node(at).id);
      }
      std::reverse(h.ids.begin(), h.ids.end());
      std::reverse(h.token_log_probabilities.begin(), h.token_log_probabilities.end());
    }
  }

  std::int32_t add_node(std::int32_t parent, const Continuation& c) {
    CharacterGuard::State state = CharacterGuard::State::whole;
    if (settings_.characters != nullptr) state = settings_.characters->next(state_of(parent), c.id);
    nodes_.push_back({parent, c.id, c.of_token, state});
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }
  CharacterGuard::State state_of(std::int32_t last) const {
    return last == kPrompt ? CharacterGuard::State::whole : node(last).state;
  }
  const TokenNode& node(std::int32_t index) const { return nodes_[index]; }
  double penalty(Index tokens) const { return penalties_[tokens]; }

  const DecodingGroup& group_;
  const GenerationSettings& settings_;
  const Index beams_, width_;  // width_: continuations that are known of each row
  TokenBans bans_;
  GroupState state_;
  std::vector<double> penalties_;  // by tokens
  std::vector<BeamOfPrompt> prompts_;
  std::vector<LiveHypothesis> live_, next_;  // the rows
  std::vector<TokenNode> nodes_;
  Index made_ = 0;  // tokens of each live hypothesis
  std::span<kernels::TopLogit> top_;
  std::span<Real> log_sums_;
  Matrix logits_;               // of all ids, where a prompt has phrases
  std::span<Real> logit_sums_;  // of their rows
  std::vector<Candidate> candidates_;
  std::vector<const CandidateColumns*> row_candidates_;  // of each row
  std::vector<std::int32_t> ids_, advancing_;
  std::vector<std::vector<std::int32_t>> text_ids_;
  std::vector<std::span<const std::int32_t>> texts_;  // of text_ids_
  std::vector<Index> from_, slots_, prompt_of_, heads_;
};

}  // namespace

void decode_with_beams(const DecodingGroup& group) { BeamSearch(group).run(); }

}  // namespace headwater
