// What `doctor` finds on this machine, but for its disks (doctor_disk.cc).
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/doctor.h"
#include "cli/doctor_disk.h"
#include "keeper/cgroup.h"
#include "keeper/user.h"
#include "link/http.h"
#include "schedule/zone.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The value of a line such as `CapEff: 000001ffffffffff`.
std::string line_value(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t begin = line.find_first_not_of(" \t:", name.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::set<int> effective_capabilities() {
  const std::string hex = line_value(text_of("/proc/self/status"), "CapEff");
  std::uint64_t bits = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  std::set<int> found;
  for (int i = 0; i < 64; ++i) {
    if (((bits >> i) & 1U) != 0U) found.insert(i);
  }
  return found;
}

void look_at_clock(HostFacts& host, const Clock& clock) {
  host.wall = clock.wall();
  host.boot = clock.boot();
  timex state{};
  const int answer = adjtimex(&state);  // asks for nothing to be changed
  host.clock_known = answer >= 0;
  host.synchronised = answer >= 0 && answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  host.clock_error =
      std::chrono::duration_cast<Duration>(std::chrono::microseconds{state.maxerror});
  std::istringstream shift(line_value(text_of("/proc/self/timens_offsets"), "boottime"));
  std::int64_t seconds = 0;
  if (shift >> seconds) host.boot_shift = Seconds{seconds};
}

void look_at_zones(HostFacts& host, const std::vector<JobRow>& jobs) {
  const char* named = std::getenv("TZDIR");
  host.zone_folder = named != nullptr && *named != '\0' ? named : "/usr/share/zoneinfo";
  host.zone_data = zone_data_version();
  std::error_code failed;
  host.zones_there = fs::is_directory(host.zone_folder, failed);
  std::set<std::string> zones;
  for (const JobRow& job : jobs) {
    if (!job.retired()) zones.insert(job.definition->schedule.timezone);
  }
  std::copy_if(zones.begin(), zones.end(),
               std::inserter(host.unknown_zones, host.unknown_zones.end()),
               [](const std::string& zone) { return !zone.empty() && !load_zone(zone); });
}

std::optional<std::uint64_t> hard_limit(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_max;
}

void lower_to(std::optional<std::uint64_t>& limit, const std::string& path) {
  std::uint64_t most = 0;
  if (std::ifstream(path) >> most) limit = std::min(limit.value_or(most), most);
}

/// Those of the user, of the kernel, and of every control group around us.
std::optional<std::uint64_t> most_processes(bool root, const std::optional<std::string>& group) {
  std::optional<std::uint64_t> most = root ? std::nullopt : hard_limit(RLIMIT_NPROC);
  lower_to(most, "/proc/sys/kernel/pid_max");
  lower_to(most, "/proc/sys/kernel/threads-max");
  for (fs::path path = group.value_or("/"); path.has_relative_path(); path = path.parent_path()) {
    lower_to(most, path / "pids.max");
  }
  std::istringstream groups(text_of("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t at = line.find(":pids:");
    if (at != line.npos) lower_to(most, "/sys/fs/cgroup/pids" + line.substr(at + 6) + "/pids.max");
  }
  return most;
}

void look_at_limits(HostFacts& host) {
  const auto group = own_cgroup(text_of("/proc/self/mountinfo"), text_of("/proc/self/cgroup"));
  host.open_files = hard_limit(RLIMIT_NOFILE);
  host.processes = most_processes(host.root, group);
  host.hard_processes = hard_limit(RLIMIT_NPROC);
  host.hard_memory = hard_limit(RLIMIT_AS);
  host.hard_core = hard_limit(RLIMIT_CORE);
  // What a keeper would do: make a group, have a process enter it, and leave nothing behind.
  const auto made = make_keeper_cgroup();
  host.cgroups = made.ok();
  if (!made) {
    host.no_cgroups = made.error().message;
    return;
  }
  std::error_code failed;
  host.cgroup_kill = fs::exists(made->path + "/cgroup.kill", failed);
  remove_cgroup(made->path);
}

/// Each may be a question to a directory server.
void look_for_users(HostFacts& host, const std::vector<JobRow>& jobs) {
  constexpr std::size_t kMostUsers = 50;
  for (const JobRow& job : jobs) {
    const std::string& user = *job.definition->user;
    if (job.retired() || user.empty() || user == host.user || host.users.contains(user)) continue;
    if (host.users.size() == kMostUsers) return;
    const auto known = find_user(user);
    host.users[user] = known || known.error().code != Code::not_found;
  }
}

/// The library takes a while to load, so only for whoever needs it.
void look_for_http(HostFacts& host, const std::vector<JobRow>& jobs) {
  if (std::none_of(jobs.begin(), jobs.end(), calls_http)) return;
  const Status able = can_call_http();
  if (!able) host.no_http = able.error().message;
}

}  // namespace

bool calls_http(const JobRow& job) {
  const Job& definition = *job.definition;
  const bool calls = std::holds_alternative<Shared<HttpCall>>(definition.command) ||
                     !definition.notify->webhook.empty();
  return calls && !job.retired() && !job.whole;
}

HostFacts gather_host(const Places& places, const std::vector<JobRow>& jobs, const Clock& clock) {
  HostFacts host;
  host.user = own_user().name;
  host.root = geteuid() == 0;
  host.capabilities = effective_capabilities();
  look_at_clock(host, clock);
  look_at_zones(host, jobs);
  look_at_limits(host);
  look_for_users(host, jobs);
  look_for_http(host, jobs);
  if (const auto path = places.store_path()) {
    const std::string folder = fs::path(*path).parent_path();
    host.store_file = look_at_path(*path);
    host.store_folder = look_at_path(folder);
    host.store_disk = look_at_disk(folder);
  }
  host.state_folder = look_at_path(places.state);
  host.state_disk = look_at_disk(places.state);
  return host;
}

}  // namespace cronce
