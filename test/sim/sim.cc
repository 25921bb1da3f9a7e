// sim: runs seeds of the simulated world, and says what came of them.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "test/sim/campaign.h"

namespace {

using namespace cronce::sim;

constexpr const char* kUsage =
    "Usage: sim --seed N [--liveness] [--trace] [--canary K]   one seed\n"
    "       sim --seeds A-B [--jobs J] [--progress]            a range, up to the first wrong "
    "seed\n"
    "               [--keep-going]                             or all of them, with a line for "
    "each\n"
    "               [--liveness | --mixed]                     all of them, or every tenth\n"
    "       sim --standard [--jobs J]                          what the tests run\n"
    "       sim --determinism A-B [--liveness | --mixed]       each seed twice\n"
    "       sim --canary K [--seeds A-B]                       until planted bug K is caught\n"
    "       sim --canaries [--jobs J]                          all of them\n";

int usage() {
  std::fputs(kUsage, stderr);
  return 2;
}

bool parse_range(std::string_view text, Range& range) {
  const std::string owned(text);
  char* end = nullptr;
  range.first = std::strtoull(owned.c_str(), &end, 10);
  range.last = range.first;
  if (*end == '-') range.last = std::strtoull(end + 1, &end, 10);
  return *end == '\0' && range.first <= range.last;
}

struct Options {
  Campaign campaign;
  bool one = false, many = false, standard = false, determinism = false, canaries = false;
};

bool parse_option(std::string_view name, std::string_view value, Options& options,
                  bool& took_value) {
  Campaign& campaign = options.campaign;
  took_value = true;
  if (name == "--seed") {
    options.one = true;
    return parse_range(value, campaign.range);
  }
  if (name == "--seeds") {
    options.many = true;
    return parse_range(value, campaign.range);
  }
  if (name == "--determinism") {
    options.determinism = true;
    return parse_range(value, campaign.range);
  }
  if (name == "--jobs" || name == "--canary") {
    Range number;
    if (!parse_range(value, number)) return false;
    if (name == "--jobs") campaign.processes = static_cast<int>(number.first);
    if (name == "--canary" && number.first > kCanaries) return false;
    if (name == "--canary") campaign.canary = static_cast<Canary>(number.first);
    return true;
  }
  took_value = false;
  if (name == "--liveness") campaign.liveness = true;
  if (name == "--mixed") campaign.mixed = true;
  if (name == "--keep-going") campaign.keep_going = true;
  if (name == "--progress") campaign.progress = true;
  if (name == "--trace") campaign.reader = Reader::person;
  if (name == "--standard") options.standard = true;
  if (name == "--canaries") options.canaries = true;
  return name == "--liveness" || name == "--mixed" || name == "--keep-going" ||
         name == "--progress" || name == "--trace" || name == "--standard" || name == "--canaries";
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    bool took_value = false;
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (!parse_option(argv[i], value, options, took_value)) return usage();
    if (took_value) ++i;
  }
  if (options.standard) return run_standard(options.campaign);
  if (options.canaries) return run_canaries(options.campaign);
  if (options.determinism) return run_twice(options.campaign);
  if (options.one) return run_one(options.campaign);
  if (options.campaign.canary != Canary::none) return run_canary(options.campaign);
  if (options.many) return run_range(options.campaign);
  return usage();
}
