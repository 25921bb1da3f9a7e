#include "node/deliver.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "keeper/call.h"
#include "keeper/descriptor.h"
#include "keeper/environment.h"
#include "model/describe.h"
#include "model/shown_run.h"
#include "model/words.h"
#include "node/mail_header.h"

namespace cronce {
namespace {

constexpr std::string_view kSendmail = "/usr/sbin/sendmail";
constexpr std::size_t kMostSaid = 300;

/// What tells more than the state alone: a slot that is late has none yet that says so.
std::string outcome_of(const Notice& notice) {
  if (!notice.decided) return fmt::format("{} (not decided yet)", notice.event);
  std::string state = describe(notice.run.state, notice.run.reason);
  if (notice.event == word(notice.run.state)) return state;
  return fmt::format("{} ({})", notice.event, state);
}

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables facts_of(const Notice& notice, const NoticeFacts& facts) {
  const Run& run = notice.run;
  return {{"CRONCE_EVENT", std::string(notice.event)},
          {"CRONCE_JOB", facts.job.text()},
          {"CRONCE_SLOT", run.id.space == Space::slot ? print(run.id.slot) : std::string()},
          {"CRONCE_RUN", run_label(facts.job, run.id)},
          {"CRONCE_STATE", notice.decided ? std::string(word(run.state)) : std::string()},
          {"CRONCE_REASON", run.reason == Reason::none ? "" : std::string(word(run.reason))},
          {"CRONCE_EXIT_CODE", run.exit_code ? fmt::to_string(*run.exit_code) : std::string()},
          {"CRONCE_NAMESPACE", facts.name_space},
          {"CRONCE_NODE", facts.node}};
}

/// A file in memory, to be read from its beginning.
Descriptor memory(const std::string& content) {
  Descriptor file(memfd_create("notice", MFD_CLOEXEC));
  for (std::size_t done = 0; file.open() && done < content.size();) {
    const ssize_t wrote = write(file.get(), content.data() + done, content.size() - done);
    if (wrote <= 0) return Descriptor();
    done += static_cast<std::size_t>(wrote);
  }
  if (file.open()) lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));  // NOLINT
  out.push_back(nullptr);
  return out;
}

/// In a group of its own, with the usual signals: this thread blocks some.
Result<pid_t> start(const Delivery& delivery, int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const auto command = pointers(delivery.command);
  const auto environment = pointers(delivery.environment);
  errno = posix_spawn(&pid, command[0], &files, &how, command.data(), environment.data());
  const int failed = errno;
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  errno = failed;
  if (failed != 0) return system_error("start", command[0]);
  return pid;
}

/// As much as a pipe holds: one reading takes all that there is, and who never stops talking cannot
/// keep us from the clock.
constexpr std::size_t kPipe = 65'536;

/// Keeps the end of it. False at the end of what is said.
bool hear(int output, std::string& tail) {
  std::array<char, kPipe> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const ssize_t got = retry([&] { return read(output, room.data(), room.size()); });
  if (got <= 0) return got < 0 && errno == EAGAIN;
  tail.append(room.data(), static_cast<std::size_t>(got));
  if (tail.size() > kMostSaid) tail.erase(0, tail.size() - kMostSaid);
  return true;
}

/// False if it had to be killed. Its number stays its own until it has been waited for.
bool await(pid_t pid, int output, int stop, Duration patience, std::string& tail, int& status) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  std::array<pollfd, 3> ready{{{process.get(), POLLIN, 0}, {output, POLLIN, 0}, {stop, POLLIN, 0}}};
  const auto end = std::chrono::steady_clock::now() + patience;
  bool ended = false;
  while (!ended && process.open()) {
    const auto left = std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now());
    if (left <= Duration{0}) break;
    poll(ready.data(), ready.size(), static_cast<int>(left.count()));
    if (!hear(output, tail)) ready[1].fd = -1;
    ended = ready[0].revents != 0;
    if (ready[2].revents != 0) break;
  }
  kill(-pid, SIGKILL);  // what it left behind, too
  return retry([&] { return waitpid(pid, &status, 0); }) == pid && ended;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  return as_utf8(line == std::string::npos ? text : text.substr(line + 1));
}

}  // namespace

std::string notice_json(const Notice& notice, const NoticeFacts& facts) {
  const Run& run = notice.run;
  json::object out{{"event", notice.event}, {"namespace", facts.name_space}};
  for (const auto& [name, value] : run_json(facts.shown_name, run)) out[name] = value;
  if (!notice.decided) out["state"] = nullptr;
  out.emplace("slot_to", nullptr);
  out["run"] = run_label(facts.job, run.id);
  out["due"] = print(run.due);
  out["key"] = run.key;
  out["output"] = as_utf8(run.output_tail);
  out["told_by"] = facts.node;
  return json::print(out) + "\n";
}

std::string notice_title(const Notice& notice, const NoticeFacts& facts) {
  return fmt::format("{} {}", run_label(facts.job, notice.run.id), outcome_of(notice));
}

/// As an http action: a process of ours, so that a server that never answers costs a process.
Delivery by_webhook(const Notice& notice, const NoticeFacts& facts, const std::string& url,
                    const std::string& key, const std::vector<std::string>& node_environment) {
  CallOrder order{"POST", url, {}, notice_json(notice, facts), 200, 299};
  order.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", key}};
  return {{std::string(kOwnProgram), std::string(kCallCommand)}, node_environment, print(order)};
}

Delivery by_command(const Notice& notice, const NoticeFacts& facts, const std::string& command,
                    const std::vector<std::string>& node_environment) {
  Delivery out{{"/bin/sh", "-c", command}, {}, notice_json(notice, facts)};
  out.environment = inherited_environment(node_environment);
  for (const auto& [name, value] : facts_of(notice, facts)) {
    out.environment.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

Delivery by_mail(const Notice& notice, const NoticeFacts& facts, const std::string& address,
                 const std::vector<std::string>& node_environment) {
  const std::string text = fmt::format(
      "From: {} <{}>\nTo: {}\nSubject: {}\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{}\n{}\n",
      mail_name("cronce on " + facts.node), mail_line(facts.user), mail_line(address),
      mail_text("cronce: " + notice_title(notice, facts)), notice_json(notice, facts),
      as_utf8(notice.run.output_tail));
  return {{std::string(kSendmail), "-i", "-t"}, inherited_environment(node_environment), text};
}

Status deliver(const Delivery& delivery, Duration patience, int stop) {
  const Descriptor input = memory(delivery.input);
  std::array<int, 2> ends{-1, -1};
  if (!input.open() || pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("hold a notice");
  const Descriptor output(ends[0]);
  Descriptor theirs(ends[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const auto pid = start(delivery, input.get(), theirs.get());
  theirs.reset();
  if (!pid) return pid.error();
  int status = 0;
  std::string tail;
  if (!await(*pid, output.get(), stop, patience, tail, status)) {
    pollfd asked{stop, POLLIN, 0};
    if (poll(&asked, 1, 0) == 1) return Error{Code::unavailable, "the node leaves"};
    return Error{Code::unavailable,
                 fmt::format("it did not end within {} and was killed", print(patience))};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Done{};
  const std::string how = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  const std::string said = last_line(std::move(tail));
  return Error{Code::unavailable, said.empty() ? how : fmt::format("{}: {}", how, said)};
}

}  // namespace cronce
