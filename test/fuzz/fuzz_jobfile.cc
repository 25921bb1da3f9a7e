// A YAML job file.
#include <cstddef>
#include <cstdint>

#include "test/fuzz/file_properties.h"

namespace cronce::fuzz {
namespace {

/// YAML knows more line breaks than LF.
std::size_t count_lines(std::string_view text) {
  std::size_t lines = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    lines += rest.starts_with('\n') || (rest.starts_with('\r') && !rest.starts_with("\r\n")) ||
                     rest.starts_with("\xc2\x85") || rest.starts_with("\xe2\x80\xa8") ||
                     rest.starts_with("\xe2\x80\xa9")
                 ? 1
                 : 0;
  }
  return lines;
}

}  // namespace
}  // namespace cronce::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cronce;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const FileContext context{"jobs.yaml", "/srv", "Europe/Berlin", "host"};
  const JobFile file = read_yaml_jobs(text, context);
  fuzz::check_diagnostics(file, text, fuzz::count_lines(text));
  fuzz::check_jobs(file);
  const JobFile again = read_yaml_jobs(text, context);
  CHECK(again.set.jobs == file.set.jobs && again.usable() == file.usable());
  return 0;
}
