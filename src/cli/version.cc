#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "cli/command.h"
#include "schedule/zone.h"

namespace cronce {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10'000, FMT_VERSION % 10'000 / 100,
                     FMT_VERSION % 100);
}

std::string version_json() {
  json::object libraries;
  libraries["fmt"] = fmt_version();
  libraries["openssl"] = openssl_version();
  json::object out;
  out["version"] = CRONCE_VERSION;
  out["commit"] = CRONCE_COMMIT;
  out["compiler"] = json::value(kCompiler);
  out["libraries"] = libraries;
  out["zone_data"] = zone_data_version();
  return json::print(out) + "\n";
}

}  // namespace

std::string_view program_version() { return CRONCE_VERSION; }

int run_version(const Args& args, const Console& console) {
  if (args.has("--json")) {
    put(console.out, version_json());
    return kExitDone;
  }
  put(console.out, fmt::format("cronce {} ({})\n", CRONCE_VERSION, CRONCE_COMMIT));
  put(console.out, fmt::format("compiler   {}\n", kCompiler));
  put(console.out,
      fmt::format("libraries  fmt {}, OpenSSL {}\n", fmt_version(), openssl_version()));
  put(console.out, fmt::format("zone data  {}\n", zone_data_version()));
  return kExitDone;
}

}  // namespace cronce
