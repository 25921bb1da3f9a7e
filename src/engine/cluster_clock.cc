#include "engine/cluster_clock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cronce {
namespace {

constexpr std::size_t kKept = 8;

/// What rounding to milliseconds can add.
constexpr Duration kRounding{2};

/// So far no store's clock is ahead of all wall clocks, unless it is wrong.
constexpr Duration kAbsurd = std::chrono::days{1};

}  // namespace

Duration ClusterClock::doubt(const Sample& sample, Duration boot) const {
  return sample.half + kRounding + std::chrono::abs(boot - sample.middle) * drift_percent_ / 100;
}

const ClusterClock::Sample* ClusterClock::best(Duration boot) const {
  const Sample* found = nullptr;
  Duration least = Duration::max();
  for (const Sample& sample : samples_) {
    const Duration off = doubt(sample, boot);
    if (off <= least) {
      found = &sample;
      least = off;
    }
  }
  return found;
}

void ClusterClock::saw(Duration asked, Duration arrived, const BeatAnswer& answer) {
  if (answer.refused != Refused::none) return;  // it names no nodes
  const Duration half = (arrived - asked) / 2;
  const Sample sample{asked + half, half, answer.store_time};
  hear_person(asked, arrived, answer);
  const bool accepted = is_accepted(sample);
  if (accepted) word_.reset();
  listen(arrived, answer);
  const auto walls = wall_time(arrived, answer);
  const auto agrees = [&](Time time) { return agree(time, walls); };
  const auto course = best_course(arrived, walls, answer);
  const bool right = agrees(answer.store_time) || accepted;
  const auto is_absurd = [&](Time time) { return walls && time - *walls > kAbsurd; };
  unproven_ = unproven_ && !right;
  if (!believed_) {
    believed_ = right || (has_heard_all(arrived, answer) && !is_absurd(answer.store_time));
    unproven_ = believed_ && !right;
    if (course || samples_.empty()) return begin(sample, course);
  } else if (unproven_ && !doubted_ && course) {
    return begin(sample, course);
  } else if (arrived - asked > answer_timeout_ && !accepted) {
    return;  // it waited for a process that stood still: it could be of any time since then
  } else if (unproven_ && course && agrees(*course) && !agrees(expected(sample.middle))) {
    return begin(sample, course);  // ours was the wrong one
  }
  const bool has_course = believed_ || !is_absurd(expected(sample.middle));
  if (right || !has_course || step_of(sample) <= kSmallStep) return follow(sample);
  go_on(sample);
  doubted_ = believed_ = true;
}

/// It was said after the last answer was told, and before this one was.
void ClusterClock::hear_person(Duration asked, Duration arrived, const BeatAnswer& answer) {
  const Duration before = std::exchange(heard_, asked);
  if (!listens_since_) clock_word_ = answer.clock_word;  // of another time
  const bool is_new = answer.clock_word > std::exchange(clock_word_, answer.clock_word);
  if (is_new) word_ = Word{answer.clock_word_at, before, arrived};
}

/// Whether this is the time that a person accepted, gone on as the boot clock did. A clock that was
/// set again before this node heard of it is none.
bool ClusterClock::is_accepted(const Sample& sample) const {
  if (!word_) return false;
  const Duration drift = (sample.middle - word_->earliest) * drift_percent_ / 100;
  const Duration unsure = sample.half + kRounding + drift + kSmallStep;
  return drift <= budget_ &&
         sample.store_time >= word_->time + (sample.middle - word_->latest) - unsure &&
         sample.store_time <= word_->time + (sample.middle - word_->earliest) + unsure;
}

/// By the old course. A wrong clock is as steady as a right one, and so is its distance from the
/// course, until it is set once more; by the boot clock alone the course would become doubtful.
void ClusterClock::go_on(const Sample& sample) {
  const Sample course{sample.middle, sample.half, sample.store_time - distance_};
  const Duration off = std::chrono::abs(course.store_time - expected(course.middle));
  const Duration unsure = doubt(course.middle) + doubt(course, course.middle);
  if (doubted_ && off <= unsure + kSmallStep) return keep(course);
  distance_ = sample.store_time - expected(sample.middle);
}

/// A newcomer has no course of its own. If its wall clock agrees with the store, it believes it.
/// Otherwise it listens: who has a course and doubts will say so, and then it goes by theirs, also
/// when it hears of it later. If nobody does it believes the store, unless that is more than a day
/// ahead of all wall clocks: then it waits for a person, or for a clock to be set.
void ClusterClock::begin(Sample sample, std::optional<Time> course) {
  if (course) distance_ = std::exchange(sample.store_time, *course) - *course;
  unproven_ = unproven_ || course;
  believed_ = believed_ || course;
  doubted_ = course.has_value();
  samples_.assign(1, sample);
}

/// Whom we have seen beat is alive, and its word counts; what a row says of one that may be dead is
/// old. In the first answer that is only ourselves. Who was not there in the one before has beaten
/// since, unless it was a store that forgot which has put its row back.
void ClusterClock::listen(Duration arrived, const BeatAnswer& answer) {
  const bool goes_on = listens_since_ && !answer.closed && answer.epoch == heard_epoch_ &&
                       answer.position >= heard_position_;
  heard_epoch_ = answer.epoch;
  heard_position_ = answer.position;
  const bool is_gap = arrived - listened_ > listening_ + answer_timeout_;  // more than one lost
  if (!listens_since_ || is_gap) listens_since_ = arrived;
  listened_ = arrived;
  for (const Shared<Node>& node : answer.nodes) {
    const bool is_self = node->beat == answer.beat && node->incarnation == answer.self;
    const auto [known, is_new] = voices_.try_emplace(node->incarnation, Voice{node->beat, arrived});
    Voice& voice = known->second;
    const bool has_beaten = voice.beat < node->beat;
    voice.counts = voice.counts || is_self || has_beaten || (is_new && goes_on);
    if (has_beaten) {
      voice.beat = node->beat;
      voice.seen = arrived;
    }
  }
  if (voices_.size() <= 2 * answer.nodes.size()) return;
  std::erase_if(voices_, [&](const auto& voice) {
    return std::none_of(answer.nodes.begin(), answer.nodes.end(),
                        [&](const Shared<Node>& node) { return node->incarnation == voice.first; });
  });
}

/// For two beats, and until everyone whom the store calls alive has beaten: a store that was away
/// may have kept the one who doubts from saying so. Who is silent for a lease is dead, if we could
/// have heard it.
bool ClusterClock::has_heard_all(Duration arrived, const BeatAnswer& answer) const {
  if (answer.nodes.size() <= 1) return true;
  const Duration since = arrived - *listens_since_;
  return since >= listening_ &&
         (since >= lease_ ||
          std::all_of(answer.nodes.begin(), answer.nodes.end(), [&](const Shared<Node>& node) {
            return voices_.at(node->incarnation).counts;
          }));
}

bool ClusterClock::agree(Time time, std::optional<Time> walls) const {
  return walls && std::chrono::abs(time - *walls) <= budget_;
}

/// Of those that agree with the wall clocks the greatest; if none does, of all. One that is the
/// store's time doubts nothing any more.
std::optional<Time> ClusterClock::best_course(Duration arrived, std::optional<Time> walls,
                                              const BeatAnswer& answer) const {
  std::optional<Time> greatest;
  std::optional<Time> agreeing;
  for (const Shared<Node>& node : answer.nodes) {
    const Voice& voice = voices_.at(node->incarnation);
    if (!node->course || !voice.counts) continue;
    const std::optional<Time> course = *node->course + (arrived - voice.seen);
    if (std::chrono::abs(*course - answer.store_time) <= kSmallStep) continue;
    greatest = std::max(greatest, course);
    if (agree(*course, walls)) agreeing = std::max(agreeing, course);
  }
  return agreeing ? agreeing : greatest;
}

Duration ClusterClock::step_of(const Sample& sample) const {
  const Duration off = sample.store_time - expected(sample.middle);
  return off - doubt(sample.middle) - doubt(sample, sample.middle);
}

Time ClusterClock::expected(Duration boot) const {
  const Sample* known = best(boot);
  return known->store_time + (boot - known->middle);
}

/// The lower median of the wall clocks.
std::optional<Time> ClusterClock::wall_time(Duration arrived, const BeatAnswer& answer) const {
  std::vector<Time> shown;
  for (const Shared<Node>& node : answer.nodes) {
    const Voice& voice = voices_.at(node->incarnation);
    if (voice.counts && node->wall) shown.push_back(*node->wall + (arrived - voice.seen));
  }
  if (shown.empty()) return std::nullopt;
  const auto middle = shown.begin() + static_cast<std::ptrdiff_t>((shown.size() - 1) / 2);
  std::nth_element(shown.begin(), middle, shown.end());
  return *middle;
}

/// A sample that contradicts the older ones means that the store's clock was set: they are
/// forgotten.
void ClusterClock::follow(const Sample& sample) {
  const Duration off = std::chrono::abs(sample.store_time - expected(sample.middle));
  const bool stepped = off > doubt(sample.middle) + doubt(sample, sample.middle);
  if (stepped || doubted_) samples_.clear();
  doubted_ = false;
  keep(sample);
}

void ClusterClock::keep(const Sample& sample) {
  samples_.push_back(sample);
  if (samples_.size() > kKept) samples_.pop_front();
}

std::optional<Time> ClusterClock::at(Duration boot) const {
  const Sample* sample = believed_ ? best(boot) : nullptr;
  if (sample == nullptr) return std::nullopt;
  return sample->store_time + (boot - sample->middle);
}

Duration ClusterClock::doubt(Duration boot) const {
  const Sample* sample = best(boot);
  return sample == nullptr ? Duration::max() : doubt(*sample, boot);
}

}  // namespace cronce
