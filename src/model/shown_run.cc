#include "model/shown_run.h"

#include "base/utf8.h"
#include "model/words.h"

namespace cronce {

std::string shown_name(const JobRow& job) {
  const std::string& name = job.definition->name.text();
  return job.whole ? name + "/" + *job.member : name;
}

json::value time_json(const std::optional<Time>& time) {
  return time ? json::value(print(*time)) : json::value(nullptr);
}

json::object run_json(const std::string& shown_name, const Run& run) {
  const bool has_slot = run.id.space == Space::slot;
  const auto text = [](std::string_view t) { return t.empty() ? json::value() : json::value(t); };
  json::object out;
  out["job"] = shown_name;
  out["slot"] = time_json(has_slot ? std::optional(run.id.slot) : std::nullopt);
  out["attempt"] = run.id.attempt.value;
  out["kind"] = word(run.kind);
  out["state"] = word(run.state);
  out["reason"] = text(word(run.reason));
  out["fence"] = run.fence ? json::value(run.fence->value) : json::value();
  out["node"] = text(run.node);
  out["claimed_at"] = time_json(run.claimed_at);
  out["started_at"] = time_json(run.started_at);
  out["finished_at"] = time_json(run.finished_at);
  out["exit_code"] = run.exit_code ? json::value(*run.exit_code) : json::value();
  out["lateness_ms"] =
      run.started_at ? json::value((*run.started_at - run.due).count()) : json::value();
  out["progress"] = text(as_utf8(run.progress));
  if (!has_slot) out["request"] = run.id.request;
  if (run.slot_to) {
    out["slot_to"] = print(*run.slot_to);
    out["count"] = run.count;
  }
  return out;
}

}  // namespace cronce
