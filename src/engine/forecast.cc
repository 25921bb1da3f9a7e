#include "engine/forecast.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/json.h"
#include "model/codec.h"
#include "model/enroll.h"

namespace cronce {
namespace {

using Fate = JobForecast::Fate;

/// The job file calls some things otherwise than the store.
std::string key_of(std::string_view member) {
  if (member == "command") return "run";
  if (member == "elements") return "schedule";
  if (member == "output_keep_bytes") return "output";
  if (member == "expect_within") return "expect";
  if (member == "env_base") return "env";
  return std::string(member);
}

/// Adds the members that are not the same in both, each once.
void compare(const json::object& before, const json::object& after,
             std::vector<std::string>& keys) {
  std::vector<std::string_view> names;
  for (const auto& member : after) names.push_back(member.key());
  for (const auto& member : before) names.push_back(member.key());
  for (const std::string_view name : names) {
    const json::value* old = before.if_contains(name);
    const json::value* now = after.if_contains(name);
    if (old != nullptr && now != nullptr && *old == *now) continue;
    if (old != nullptr && now != nullptr && name == "schedule") {
      compare(old->as_object(), now->as_object(), keys);
    } else if (std::find(keys.begin(), keys.end(), key_of(name)) == keys.end()) {
      keys.push_back(key_of(name));
    }
  }
}

class Forecaster {
 public:
  Forecaster(const std::vector<JobRow>& rows, const std::string& node, Time now)
      : rows_(rows), node_(node), now_(now) {}

  void add(const Offered& offer) {
    std::optional<std::string> registered;
    for (const JobRow& row : rows_) {
      const auto source = row.sources->find(offer.set.source);
      if (source != row.sources->end()) registered = source->second;
    }
    std::set<JobUid> named;
    bool refused = false;
    for (const Shared<Job>& job : offer.set.jobs) {
      const JobRow* row = row_of(offer, *job);
      if (row != nullptr) named.insert(row->uid);
      out_.jobs.push_back(judge(offer.set.source, job, row));
      refused = refused || out_.jobs.back().fate == Fate::conflict;
    }
    out_.sources.push_back({offer.set.source, offer.digest, registered, refused});
    for (const JobRow& row : rows_) {
      const bool ours = row.sources->contains(offer.set.source) && !row.whole;
      if (ours && !named.contains(row.uid)) dropped_.push_back(drop(offer.set.source, row));
    }
  }

  Forecast take() {
    for (JobForecast& one : dropped_) out_.jobs.push_back(std::move(one));
    return std::move(out_);
  }

 private:
  const JobRow* find(const JobName& name) const {
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const JobRow& one) {
      return !one.whole && one.definition->name == name;
    });
    return row == rows_.end() ? nullptr : &*row;
  }

  const JobRow* row_of(const Offered& offer, const Job& job) const {
    const auto is_named = [&](const JobName& name) {
      const auto& jobs = offer.set.jobs;
      return std::any_of(jobs.begin(), jobs.end(),
                         [&](const Shared<Job>& one) { return one->name == name; });
    };
    return cronce::row_of(
        offer.set.source, job, [&](const JobName& name) { return find(name); }, is_named);
  }

  static std::vector<std::string> others_of(const JobRow& row, const std::string& source) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : *row.sources) {
      if (name != source) out.push_back(name);
    }
    return out;
  }

  JobForecast judge(const std::string& source, const Shared<Job>& job, const JobRow* row) const {
    JobForecast out{Fate::created, source, job, {}, {}, job->paused, {}, {}};
    if (row == nullptr) {
      out.next = first(*job);
      return out;
    }
    out.paused = job->paused || row->pause.has_value();
    out.others = others_of(*row, source);
    out.changes = changed_keys(*row->definition, *job);
    if (!(row->definition->name == job->name)) out.changes.insert(out.changes.begin(), "name");
    if (row->retired() || row->only_exec) {
      out.fate = Fate::returns;
      out.next = first(*job);
    } else if (conflicts(*row, source, *job)) {
      out.fate = Fate::conflict;
    } else {
      out.fate = out.changes.empty() ? Fate::unchanged : Fate::changed;
      look_at_plan(*row, job, out);
    }
    return out;
  }

  /// Another schedule, or the end of a file's pause: what is owed is settled as the job was, and it
  /// begins anew. Anything else: what is owed runs as the job is now.
  void look_at_plan(const JobRow& row, const Shared<Job>& job, JobForecast& out) const {
    const bool anew = begins_anew(row, *job);
    JobRow as = share_of(row);
    if (!anew) as.definition = job;
    settle(as, out);
    if (anew || (job->everywhere && !as.whole)) out.next = first(*job);
  }

  void settle(const JobRow& row, JobForecast& out) const {
    out.next = row.plan.next;
    auto schedule = Schedule::build(row.definition->schedule);
    if (!schedule) return;  // of a zone that is not known here: others decide it
    out.settles = owed({row, *std::move(schedule)}, now_, SlotToRun::How::run);
    if (out.settles) out.next = out.settles->next;
  }

  /// This node's, of a job that runs everywhere; what is the whole job's is not asked for.
  const JobRow& share_of(const JobRow& row) const {
    const auto share = std::find_if(rows_.begin(), rows_.end(), [&](const JobRow& one) {
      return one.whole == row.uid && *one.member == node_ && !one.retired();
    });
    return share == rows_.end() ? row : *share;
  }

  JobForecast drop(const std::string& source, const JobRow& row) const {
    JobForecast out{
        Fate::retired, source, row.definition, {}, others_of(row, source), row.paused(), {}, {}};
    if (!out.others.empty()) out.fate = Fate::leaves;
    settle(share_of(row), out);
    if (out.fate == Fate::retired) out.next.reset();
    return out;
  }

  /// As it begins now.
  std::optional<Time> first(const Job& job) const {
    const auto schedule = Schedule::build(job.schedule);
    return schedule ? first_slot(*schedule, now_) : std::nullopt;
  }

  const std::vector<JobRow>& rows_;
  const std::string& node_;
  Time now_;
  Forecast out_;
  std::vector<JobForecast> dropped_;
};

}  // namespace

std::vector<std::string> changed_keys(const Job& before, const Job& after) {
  std::vector<std::string> keys;
  const auto old = json::parse(encode(before));
  const auto now = json::parse(encode(after));
  if (old && now) compare(old->as_object(), now->as_object(), keys);
  std::erase(keys, "name");
  return keys;
}

Forecast forecast(const std::vector<Offered>& offers, const std::vector<JobRow>& rows,
                  const std::string& node, Time now) {
  Forecaster forecaster(rows, node, now);
  for (const Offered& offer : offers) forecaster.add(offer);
  return forecaster.take();
}

}  // namespace cronce
