// Times of our schedules, for bench/schedule/run. One JSON object a line on standard output.
//
//   bench_schedule next QUESTIONS INSTANTS   first_after() for each question at each instant
//   bench_schedule parse                     a million different expressions
//   bench_schedule memory                    bytes held by a built schedule
//   bench_schedule count                     count() over 10 and over 1,000 years
//
// QUESTIONS has an expression, a tab and a zone in each line, INSTANTS seconds since the epoch.
#include <malloc.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "schedule/cron_expr.h"
#include "schedule/schedule.h"

namespace {
std::size_t held_bytes = 0;  // by operator new, as the allocator rounds them
}  // namespace

void* operator new(std::size_t size) {
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  held_bytes += malloc_usable_size(block);
  return block;
}
void operator delete(void* block) noexcept {
  held_bytes -= malloc_usable_size(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace cronce {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWarmUp{100};
constexpr std::chrono::milliseconds kMeasured{300};
constexpr int kExpressions = 1'000'000;
constexpr int kSchedules = 10'000;

/// splitmix64: the same numbers everywhere.
class Random {
 public:
  unsigned below(unsigned limit) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<unsigned>((z ^ (z >> 31)) % limit);
  }

 private:
  std::uint64_t state_ = 1;
};

Schedule build(std::string_view expression, std::string_view zone) {
  ScheduleSpec spec;
  spec.elements = {CronSpec{std::string(expression)}};
  spec.timezone = zone;
  return Schedule::build(spec).value();
}

template <class F>
double seconds_of(F work) {
  const auto start = SteadyClock::now();
  work();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Nanoseconds for each of `calls` calls that `work` makes, once per repetition.
template <class F>
std::vector<double> repeat(std::size_t calls, F work) {
  const auto start = SteadyClock::now();
  while (SteadyClock::now() - start < kWarmUp) work();
  std::vector<double> ns;
  while (SteadyClock::now() - start < kWarmUp + kMeasured) {
    ns.push_back(seconds_of(work) * 1e9 / static_cast<double>(calls));
  }
  return ns;
}

std::vector<Time> read_instants(const std::string& path) {
  std::vector<Time> instants;
  std::ifstream in(path);
  for (std::int64_t seconds = 0; in >> seconds;) instants.emplace_back(Seconds{seconds});
  CHECK(!instants.empty());
  return instants;
}

void print_numbers(std::string_view name, const std::vector<double>& numbers) {
  fmt::print(",\"{}\":[", name);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    fmt::print("{}{:.3f}", i == 0 ? "" : ",", numbers[i]);
  fmt::print("]");
}

void run_next(const std::string& questions, const std::string& instants_path) {
  const std::vector<Time> instants = read_instants(instants_path);
  std::vector<Time> answers(instants.size());
  fmt::print("{{\"peer\":\"ours\",\"version\":\"this tree\"}}\n");
  std::ifstream in(questions);
  int row = 0;
  for (std::string line; std::getline(in, line); ++row) {
    const std::size_t tab = line.find('\t');
    const Schedule schedule = build(line.substr(0, tab), line.substr(tab + 1));
    const auto ns = repeat(instants.size(), [&] {
      for (std::size_t i = 0; i < instants.size(); ++i)
        answers[i] = *schedule.first_after(instants[i]);
    });
    fmt::print("{{\"row\":{}", row);
    print_numbers("ns", ns);
    fmt::print(",\"answers\":[");
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto seconds = std::chrono::floor<Seconds>(answers[i]).time_since_epoch();
      fmt::print("{}{}", i == 0 ? "" : ",", seconds.count());
    }
    fmt::print("]}}\n");
  }
}

/// One field: a value, a list, a range, a range with a step, `*` or `*/n`.
std::string random_field(Random& random, unsigned low, unsigned high) {
  const unsigned a = low + random.below(high - low + 1);
  const unsigned b = a + random.below(high - a + 1);
  switch (random.below(6)) {
    case 0:
      return "*";
    case 1:
      return fmt::format("*/{}", 1 + random.below(high));
    case 2:
      return fmt::format("{}-{}", a, b);
    case 3:
      return fmt::format("{}-{}/{}", a, b, 1 + random.below(5));
    case 4:
      return fmt::format("{},{}", a, b);
    default:
      return fmt::format("{}", a);
  }
}

/// Days up to 28 only, so that every expression fires.
std::string random_expression(Random& random) {
  std::string text = random_field(random, 0, 59);
  constexpr std::array<std::pair<unsigned, unsigned>, 4> kRest{{{0, 23}, {1, 28}, {1, 12}, {0, 6}}};
  for (const auto& [low, high] : kRest) text += " " + random_field(random, low, high);
  return text;
}

std::vector<std::string> random_expressions(std::size_t count) {
  Random random;
  std::unordered_set<std::string> seen;
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::string text = random_expression(random);
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  return texts;
}

void run_parse() {
  const auto texts = random_expressions(kExpressions);
  std::vector<double> seconds;
  std::uint64_t sum = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    seconds.push_back(seconds_of([&] {
      for (const std::string& text : texts) sum += CronExpr::parse(text).value().minutes();
    }));
  }
  fmt::print("{{\"expressions\":{},\"checksum\":{}", texts.size(), sum);
  print_numbers("seconds", seconds);
  fmt::print("}}\n");
}

/// In a zone of its own a schedule shares, so the zone is loaded before.
void run_memory() {
  const auto texts = random_expressions(kSchedules);
  std::vector<Schedule> schedules;
  schedules.reserve(texts.size());
  schedules.push_back(build("* * * * *", "Europe/Berlin"));
  const std::size_t before = held_bytes;
  for (std::size_t i = 1; i < texts.size(); ++i)
    schedules.push_back(build(texts[i], "Europe/Berlin"));
  const double heap =
      static_cast<double>(held_bytes - before) / static_cast<double>(texts.size() - 1);
  fmt::print("{{\"object\":{},\"heap\":{:.1f}}}\n", sizeof(Schedule), heap);
}

void run_count() {
  const Time start = parse_time("2000-01-01T00:00:00Z").value();
  for (const char* zone : {"UTC", "America/New_York"}) {
    const Schedule schedule = build("* * * * * *", zone);
    for (const int years : {10, 1'000}) {
      const Time end = start + std::chrono::days{years * 146'097LL / 400};
      std::int64_t slots = 0;
      const auto ns = repeat(1, [&] { slots = schedule.count(start, end); });
      fmt::print("{{\"tz\":\"{}\",\"years\":{},\"slots\":{}", zone, years, slots);
      print_numbers("ns", ns);
      fmt::print("}}\n");
    }
  }
}

int run(const std::vector<std::string>& args) {
  if (args.size() == 3 && args[0] == "next") {
    run_next(args[1], args[2]);
  } else if (args.size() == 1 && args[0] == "parse") {
    run_parse();
  } else if (args.size() == 1 && args[0] == "memory") {
    run_memory();
  } else if (args.size() == 1 && args[0] == "count") {
    run_count();
  } else {
    fmt::print(stderr, "usage: bench_schedule next QUESTIONS INSTANTS | parse | memory | count\n");
    return 64;
  }
  return 0;
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) { return cronce::run({argv + 1, argv + argc}); }
