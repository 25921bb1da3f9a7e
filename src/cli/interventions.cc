#include "cli/interventions.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/ledger.h"
#include "model/words.h"

namespace cronce {
namespace {

using What = Intervention::What;

/// When the slot was settled without a run; none if it was not.
std::optional<Time> settled_at(const SlotStory& story, Reason reason) {
  const Run* row = !story.attempts.empty() ? &story.attempts.front()
                   : story.range           ? &*story.range
                                           : nullptr;
  if (row == nullptr || row->reason != reason) return std::nullopt;
  return row->decided.at.value_or(kMaxTime);
}

/// The pause in which the slot lay. The file may have paused the job too: then it is none.
const Intervention* covering_pause(const std::vector<Intervention>& all, Time slot, Time settled) {
  const Intervention* pause = nullptr;
  for (const Intervention& one : all) {
    if (one.at > settled) break;
    if (one.what == What::pause) pause = &one;
    if (one.what == What::resume && one.at < slot) pause = nullptr;
  }
  const bool over = pause != nullptr && pause->until && *pause->until < slot;
  return over ? nullptr : pause;
}

const Intervention* last_retire(const std::vector<Intervention>& all, Time settled) {
  const Intervention* found = nullptr;
  for (const Intervention& one : all) {
    if (one.at <= settled && one.what == What::retire) found = &one;
  }
  return found;
}

bool is_about(const Intervention& one, const RunId& any_attempt) {
  if (!one.run) return false;
  RunId id = *one.run;
  id.attempt = any_attempt.attempt;
  return id == any_attempt;
}

}  // namespace

Result<std::vector<Intervention>, Refusal> read_interventions(const ReadStore& read,
                                                              const JobRow& job) {
  auto past = read.store->past(job.whole.value_or(job.uid));
  if (!past) return store_failure(past.error());
  return std::move(past->interventions);
}

std::vector<Intervention> concerning(const SlotStory& story, const std::vector<Intervention>& all) {
  std::vector<Intervention> found;
  if (const auto settled = settled_at(story, Reason::paused)) {
    const auto* pause = covering_pause(all, story.slot(), *settled);
    if (pause != nullptr) found.push_back(*pause);
  }
  if (const auto settled = settled_at(story, Reason::retired)) {
    const auto* retire = last_retire(all, *settled);
    if (retire != nullptr) found.push_back(*retire);
  }
  for (const Intervention& one : all) {
    if (is_about(one, story.asked.any_attempt)) found.push_back(one);
  }
  return found;
}

std::string shown_person(const By& by) { return by.who.empty() ? "a person" : by.who; }

std::string shown_subject(const Intervention& one) {
  if (!one.run) return "";
  if (one.run->space == Space::slot) return print(one.run->slot);
  return fmt::format("{}/{}", word(one.run->space), one.run->request);
}

std::string shown_intervention(const Intervention& one) {
  std::string text = print(one.at);
  if (one.until) text += ", until " + print(*one.until) + ",";
  if (one.again) text += ", again,";
  text += " by " + shown_person(one.by);
  return one.by.why.empty() ? text : text + ": " + one.by.why;
}

std::string who_paused(const JobRow& job, const std::vector<Intervention>& all) {
  if (!job.pause) return "";
  const auto last = std::find_if(all.rbegin(), all.rend(),
                                 [](const Intervention& one) { return one.what == What::pause; });
  return last == all.rend() ? "a person" : shown_person(last->by);
}

json::object intervention_json(const Intervention& one) {
  json::object out;
  out["at"] = print(one.at);
  out["what"] = json::value(word(one.what));
  out["who"] = one.by.who.empty() ? json::value() : json::value(one.by.who);
  out["why"] = one.by.why.empty() ? json::value() : json::value(one.by.why);
  out["run"] = one.run ? json::value(shown_subject(one)) : json::value();
  out["attempt"] = one.run ? json::value(one.run->attempt.value) : json::value();
  if (one.what == What::pause) out["until"] = time_json(one.until);
  if (one.what == What::backfill) out["again"] = one.again;
  return out;
}

json::array interventions_json(const std::vector<Intervention>& all) {
  json::array out;
  for (const Intervention& one : all) out.push_back(intervention_json(one));
  return out;
}

}  // namespace cronce
