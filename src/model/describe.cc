#include "model/describe.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/words.h"

namespace cronce {
namespace {

struct ElementText {
  std::string operator()(const CronSpec& cron) const { return cron.text; }
  std::string operator()(const EverySpec& every) const {
    std::string text = "every " + print(every.interval);
    if (every.anchor) text += " from " + print(*every.anchor);
    return text;
  }
  std::string operator()(const AtSpec& at) const { return "at " + print(at.time); }
  std::string operator()(const AfterSpec& after) const { return "after " + print(after.delay); }
  std::string operator()(const RebootSpec&) const { return "@reboot"; }
};

struct CommandText {
  std::string operator()(const ArgvCommand& command) const {
    return fmt::format("{}", fmt::join(command.argv, " "));
  }
  std::string operator()(const ShellCommand& command) const { return command.line; }
  std::string operator()(const HttpCall& call) const {
    return call.method + " " + without_password(call.url);
  }
};

/// Control characters would break the line that this text becomes part of.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

std::string without_password(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const std::size_t begin = scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string::npos || at < begin) return url;
  return url.substr(0, begin) + "***" + url.substr(at);
}

std::string describe(const Slot& slot) { return slot.job.text() + "@" + print(slot.time); }

std::string describe(const RunId& id) {
  const std::string what = id.space == Space::slot ? print(id.slot) : one_line(id.request);
  return fmt::format("{} {} #{}", word(id.space), what, id.attempt.value);
}

std::string describe(RunState state, Reason reason) {
  if (reason == Reason::none) return std::string(word(state));
  return fmt::format("{}: {}", word(state), word(reason));
}

std::string describe(const Run& run) {
  std::string text = describe(run.id) + " ";
  if (run.slot_to) text += fmt::format("to {} ({} slots) ", print(*run.slot_to), run.count);
  text += describe(run.state, run.reason);
  if (run.fence) text += fmt::format(" fence {}", run.fence->value);
  if (!run.node.empty()) text += " on node " + run.node;
  if (run.exit_code) text += fmt::format(" exit {}", *run.exit_code);
  return text;
}

std::string describe(const Node& node) {
  return fmt::format("{}/{} beat {}, {} of {} running{}", node.name,
                     print(node.incarnation).substr(0, 8), node.beat.value, node.running,
                     node.max_running, node.leaving ? ", leaving" : "");
}

std::string describe(const Plan& plan) {
  return fmt::format("cursor {}, next {}", print(plan.cursor),
                     plan.next ? print(*plan.next) : "none");
}

std::string describe(const JobRow& job) {
  std::string text = fmt::format("{}: {}", job.definition->name.text(), describe(job.plan));
  if (!job.live.empty()) text += fmt::format(", {} live", job.live.size());
  if (!job.pending.empty()) text += fmt::format(", {} pending", job.pending.size());
  if (job.paused()) text += ", paused";
  if (job.retired()) text += ", retired";
  return text;
}

std::string describe(const Claim& claim) {
  return fmt::format("{} fence {}", describe(claim.run), claim.fence.value);
}

std::string describe(const Mark& mark) {
  return fmt::format("epoch {}, position {} at {}", mark.epoch.value, mark.position,
                     print(mark.time));
}

std::string describe(const ElementSpec& element) { return std::visit(ElementText{}, element); }

std::string describe(const ScheduleSpec& schedule) {
  std::string text;
  for (const ElementSpec& element : schedule.elements) {
    if (!text.empty()) text += " + ";
    text += describe(element);
  }
  return schedule.timezone == "UTC" ? text : text + " " + schedule.timezone;
}

std::string describe(const Command& command) {
  return one_line(std::visit(CommandText{}, command));
}

std::string describe(const Job& job) {
  return fmt::format("{}: {} -> {}", job.name.text(), describe(job.schedule),
                     describe(job.command));
}

}  // namespace cronce
