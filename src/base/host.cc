#include "base/host.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cronce {
namespace {

/// `/usr/share/zoneinfo/Europe/Berlin` -> `Europe/Berlin`
std::string zone_of_path(const std::string& path) {
  constexpr std::string_view kFolder = "/zoneinfo/";
  const std::size_t at = path.find(kFolder);
  return at == std::string::npos ? "" : path.substr(at + kFolder.size());
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

std::string boot_id() {
  std::string line;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, line);
  return line;
}

std::string host_zone(const std::string& etc) {
  if (const char* tz = std::getenv("TZ"); tz != nullptr) {
    const std::string text = *tz == ':' ? tz + 1 : tz;
    if (text.empty()) return "UTC";  // as the C library takes it
    const std::string zone = text.front() == '/' ? zone_of_path(text) : text;
    if (!zone.empty()) return zone;  // otherwise a path such as /etc/localtime
  }
  std::error_code failed;
  const auto target = std::filesystem::read_symlink(etc + "/localtime", failed);
  if (const std::string zone = zone_of_path(target.string()); !failed && !zone.empty()) return zone;
  std::string line;
  std::ifstream file(etc + "/timezone");
  if (std::getline(file, line) && !line.empty()) return line;
  // A copy of a zone file has lost its name: the host has a zone, but nobody can say which.
  return std::filesystem::exists(etc + "/localtime", failed) ? "" : "UTC";
}

}  // namespace cronce
