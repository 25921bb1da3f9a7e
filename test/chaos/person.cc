#include "test/chaos/person.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cronce::chaos {
namespace {

constexpr int kFirstActMs = 2'000;

struct Weight {
  What what;
  int weight;
};
// A pause is followed by its resume, a drop by its return.
constexpr std::array kWeights{Weight{What::trigger, 30}, Weight{What::pause, 14},
                              Weight{What::cancel, 18},  Weight{What::backfill, 20},
                              Weight{What::release, 4},  Weight{What::retire, 3},
                              Weight{What::recede, 5},   Weight{What::drop, 6}};

}  // namespace

Person::Person(Site site, std::vector<JobSpec> jobs, std::uint64_t seed, int seconds, int commands)
    : site_(std::move(site)), jobs_(std::move(jobs)), random_(seed) {
  draw(seconds, commands);
}

// ---- before it begins

int Person::between(int least, int most) {
  return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
}

const std::string& Person::any_job() {
  return jobs_[static_cast<std::size_t>(between(0, static_cast<int>(jobs_.size()) - 1))].name;
}

void Person::draw(int seconds, int commands) {
  int sum = 0;
  for (const Weight& row : kWeights) sum += row.weight;
  for (int i = 0; i < commands; ++i) {
    int left = between(0, sum - 1);
    const auto row = std::find_if(kWeights.begin(), kWeights.end(),
                                  [&](const Weight& one) { return (left -= one.weight) < 0; });
    Planned one{.at_ms = between(kFirstActMs, std::max(kFirstActMs, seconds * 1'000)),
                .what = row->what};
    one.jobs = {any_job()};
    if (chance(8)) one.kill_after_ms = between(0, 25);
    switch (row->what) {
      case What::trigger:
        draw_trigger(std::move(one));
        break;
      case What::pause:
        draw_pause(std::move(one));
        break;
      case What::backfill:
        draw_backfill(std::move(one));
        break;
      case What::drop:
        draw_drop(std::move(one));
        break;
      case What::release:
        one.jobs = {fmt::format("job-{}0", between(2, 4))};
        one.words = {one.jobs.front(), chance(50) ? "--all" : "last"};
        plan_.push_back(std::move(one));
        break;
      case What::retire:
        one.jobs = {fmt::format("guest-{}", between(0, 1))};
        [[fallthrough]];
      default:
        one.words = one.jobs;
        if (one.what == What::cancel && chance(30)) one.words.emplace_back("--waiting");
        plan_.push_back(std::move(one));
    }
  }
  std::sort(plan_.begin(), plan_.end(),
            [](const Planned& a, const Planned& b) { return a.at_ms < b.at_ms; });
}

/// With an id of its own, that of an earlier one, or the same from two or three at once.
void Person::draw_trigger(Planned one) {
  const bool old = requests_ > 0 && chance(20);
  const int number = old ? between(1, requests_) : ++requests_;
  // An id is a request of one job.
  const auto job = static_cast<std::size_t>(number * 7) % jobs_.size();
  one.jobs = {jobs_[job].name};
  one.words = one.jobs;
  // What is held waits for another command of this person.
  if (chance(10) && !jobs_[job].hold) one.words.emplace_back("--wait");
  one.requests.assign(chance(30) ? static_cast<std::size_t>(between(2, 3)) : 1,
                      fmt::format("request-{}", number));
  plan_.push_back(std::move(one));
}

/// One job, or all ten of a pattern; for a while, or until the resume that follows.
void Person::draw_pause(Planned one) {
  one.jobs = {fmt::format("job-{:02}", between(0, 49))};
  one.words = one.jobs;
  if (chance(30)) {
    const int ten = between(0, 4);
    one.jobs.clear();
    for (int i = 0; i < 10; ++i) one.jobs.push_back(fmt::format("job-{}{}", ten, i));
    one.words = {fmt::format("job-{}?", ten)};
  }
  Planned resume = one;
  resume.what = What::resume;
  resume.at_ms += between(1'000, 9'000);
  if (chance(25)) {
    one.until_ms = between(2, 6) * 1'000;
    one.words.insert(one.words.end(), {"--until", fmt::format("{}ms", one.until_ms)});
  }
  plan_.push_back(std::move(one));
  plan_.push_back(std::move(resume));
}

/// Mostly of those that leave slots out, because they take longer than from one to the next.
void Person::draw_backfill(Planned one) {
  static constexpr std::array kSorts{4, 6, 7, 8};
  if (chance(60)) {
    const int sort = kSorts.at(static_cast<std::size_t>(between(0, 3)));
    one.jobs = {fmt::format("job-{}{}", between(0, 2), sort)};
  }
  one.again = chance(35);
  one.from_ms = between(3'000, one.again ? 5'000 : 10'000);
  one.to_ms = between(0, 3'000);
  one.words = one.jobs;
  plan_.push_back(std::move(one));
}

/// The last guest stays: a file without jobs would be another matter.
void Person::draw_drop(Planned one) {
  one.jobs = {"guest-0", "guest-1"};
  if (chance(50)) one.jobs.erase(one.jobs.begin() + between(0, 1));
  Planned end = one;
  end.ends = true;
  end.at_ms += between(500, 8'000);
  plan_.push_back(std::move(one));
  plan_.push_back(std::move(end));
}

// ---- while it runs

void Person::tick(int now_ms) {
  while (!plan_.empty() && plan_.front().at_ms <= now_ms) {
    const Planned one = plan_.front();
    plan_.pop_front();
    perform(one);
  }
  for (auto& [pid, command] : busy_) {
    if (command.kill_at < 0 || command.kill_at > chaos::now_ms()) continue;
    command.kill_at = -1;
    acts_[command.act].killed = kill(pid, SIGKILL) == 0;
  }
}

void Person::perform(const Planned& planned) {
  if (planned.what == What::drop) return drop(planned);
  Act act{.what = planned.what, .jobs = planned.jobs};
  act.again = planned.again;
  act.until_ms = planned.until_ms;
  std::vector<std::string> words = planned.words;
  if (planned.what == What::backfill) {
    act.from = (wall_ms() - planned.from_ms) / kSecond * kSecond;
    act.to = (wall_ms() - planned.to_ms) / kSecond * kSecond;
    words.insert(words.end(), {"--from", print_time(act.from), "--to", print_time(act.to)});
    if (act.again) words.emplace_back("--again");
  }
  if (planned.what != What::trigger) return start(std::move(act), words, planned.kill_after_ms);
  act.waits = words.back() == "--wait";
  act.request = planned.requests.front();
  words.insert(words.end(), {"--request-id", act.request});
  // Of several one may be killed.
  for (std::size_t i = 0; i < planned.requests.size(); ++i) {
    start(act, words, i == 0 ? planned.kill_after_ms : -1);
  }
}

void Person::start(Act act, std::vector<std::string> words, int kill_after_ms) {
  const std::string output = fmt::format("{}/command-{}", site_.folder, acts_.size());
  words.insert(words.begin(), {site_.program, name_of(act.what)});
  words.insert(words.end(), {"--json", "--store", site_.store()});
  fmt::print("{:7.3f} {} {}{}\n", chaos::now_ms() / 1'000.0, name_of(act.what),
             fmt::join(words.begin() + 2, words.end() - 3, " "),
             kill_after_ms < 0 ? "" : fmt::format(", killed after {} ms", kill_after_ms));
  act.began = wall_ms();
  const pid_t pid = spawn(words, {}, output);
  busy_[pid] = {acts_.size(), output, kill_after_ms < 0 ? -1 : chaos::now_ms() + kill_after_ms};
  acts_.push_back(std::move(act));
}

void Person::ended(pid_t pid, int status) {
  const auto found = busy_.find(pid);
  if (found == busy_.end()) return;
  Act& act = acts_[found->second.act];
  act.ended = wall_ms();
  act.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  act.said = read_file(found->second.output);
  act.runs = read_runs(act.said);
  busy_.erase(found);
}

void Person::write_file_of(const std::vector<JobSpec>& guests) {
  guests_ = guests;
  begin_deploy();
  for (std::size_t host = 0; host < site_.hosts(); ++host) deploy_to(host);
}

void Person::write_guests() { write_file_of(guest_jobs()); }

void Person::begin_deploy() {
  newest_ = as_yaml(guests_, site_.actor, site_.witness, ++generation_);
}

void Person::deploy_to(std::size_t host) const {
  const std::string path = site_.guests(host);
  write_file(path + ".new", newest_);
  std::filesystem::rename(path + ".new", path);
}

/// Drops may lie over one another: the first return ends all of them.
void Person::drop(const Planned& planned) {
  fmt::print("{:7.3f} the file {} {}\n", chaos::now_ms() / 1'000.0,
             planned.ends ? "has its guests again, not without" : "drops",
             fmt::join(planned.jobs, " "));
  if (!planned.ends) {
    std::vector<JobSpec> left = guest_jobs();
    std::erase_if(left, [&](const JobSpec& job) {
      return std::find(planned.jobs.begin(), planned.jobs.end(), job.name) != planned.jobs.end();
    });
    acts_.push_back({.what = What::drop, .jobs = planned.jobs, .began = wall_ms()});
    write_file_of(left);
    return;
  }
  write_guests();
  for (Act& act : acts_) {
    if (act.what != What::drop || act.ended != 0) continue;
    act.ended = wall_ms();
    act.exit_code = 0;
  }
}

// ---- afterwards

void Person::make_good() {
  drop({.what = What::drop, .ends = true});
  Act act{.what = What::resume};
  for (const JobSpec& job : jobs_) act.jobs.push_back(job.name);
  start(std::move(act), {"--all"}, -1);
}

void Person::release(const std::vector<Record>& records) {
  std::map<std::string, bool> held;
  for (const Record& record : records) {
    if (record.state == "held") held[record.job] = true;
  }
  static constexpr int kTryLater = 75;
  for (const auto& [job, is_held] : held) {
    // What may have run in a time that the store forgot it does not release.
    const bool refused = std::any_of(acts_.begin(), acts_.end(), [&name = job](const Act& act) {
      return act.what == What::release && act.jobs.front() == name && act.exit_code == kTryLater;
    });
    if (refused) {
      start({.what = What::cancel, .jobs = {job}}, {job, "--waiting"}, -1);
    } else {
      start({.what = What::release, .jobs = {job}}, {job, "--all"}, -1);
    }
  }
}

void Person::print_counts() const {
  std::map<What, std::map<int, int>> counts;
  for (const Act& act : acts_) ++counts[act.what][act.exit_code];
  fmt::print("{:6} commands and changes of a file, by exit code:\n", acts_.size());
  for (const auto& [what, codes] : counts) {
    std::string text;
    int sum = 0;
    for (const auto& [code, count] : codes) {
      text += fmt::format("  {}: {}", code, count);
      sum += count;
    }
    fmt::print("{:6} {:<9}{}\n", sum, name_of(what), what == What::drop ? "" : text);
  }
}

}  // namespace cronce::chaos
