// A crontab in both forms: the first byte of the input chooses (`s` is the system form), the rest
// is the text. Every seventh length stands for a host whose zone is not known.
#include <cstddef>
#include <cstdint>

#include "test/fuzz/file_properties.h"

namespace cronce::fuzz {
namespace {

/// A wrong zone is answered with the nearest of 600 names, and under the sanitizers that takes
/// longer than all the rest; a few of them find as much as many.
bool is_slow(std::string_view text) {
  constexpr std::string_view kZone = "CRON_TZ";
  std::size_t zones = 0;
  for (std::size_t at = 0; (at = text.find(kZone, at)) != std::string_view::npos; ++at) ++zones;
  return zones > 2;
}

void check_crontab(std::string_view text, bool system_form, const FileContext& context) {
  const JobFile file = read_crontab(text, system_form, context);
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  check_diagnostics(file, text, breaks + 1);
  check_jobs(file);
  const JobFile again = read_crontab(text, system_form, context);
  CHECK(again.set.jobs == file.set.jobs);
  for (const Job& job : file.set.jobs) {
    CHECK(!std::get<ShellCommand>(job.command).line.empty());
    CHECK(job.user->empty() != system_form);
    CHECK(job.env_base == EnvBase::cron);
  }
}

}  // namespace
}  // namespace cronce::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cronce;
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const bool system_form = text.starts_with('s');
  if (!text.empty()) text.remove_prefix(1);
  const FileContext context{"tab", "/etc", text.size() % 7 == 0 ? "" : "Europe/Berlin", "host"};
  if (fuzz::is_slow(text)) return -1;  // not for the corpus
  fuzz::check_crontab(text, system_form, context);
  return 0;
}
