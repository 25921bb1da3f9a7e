#include <fmt/format.h>

#include "base/json.h"
#include "cli/command.h"
#include "schedule/zone.h"

namespace cronce {

int run_version(const Args& args, const Console& console) {
  if (args.has("--json")) {
    json::object out;
    out["version"] = CRONCE_VERSION;
    out["commit"] = CRONCE_COMMIT;
    out["compiler"] = __VERSION__;
    out["zone_data"] = zone_data_version();
    fmt::print(console.out, "{}\n", json::print(out));
    return kExitDone;
  }
  fmt::print(console.out, "cronce {} ({})\ncompiler   {}\nzone data  {}\n", CRONCE_VERSION,
             CRONCE_COMMIT, __VERSION__, zone_data_version());
  return kExitDone;
}

}  // namespace cronce
