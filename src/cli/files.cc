#include "cli/files.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

namespace cronce {
namespace {

constexpr std::array<std::string_view, 3> kFormats{"yaml", "crontab", "crontab-system"};

Result<FileFormat, Refusal> pick_format(const std::string& path,
                                        const std::optional<std::string>& format) {
  if (!format) {
    if (path != "-") return guess_format(absolute_path(path));
    return Refusal{kExitUsage,
                   "standard input has no name to guess from: add --format yaml, "
                   "crontab or crontab-system"};
  }
  const auto row = std::find(kFormats.begin(), kFormats.end(), *format);
  if (row != kFormats.end()) return static_cast<FileFormat>(row - kFormats.begin());
  return Refusal{kExitUsage, fmt::format("--format: '{}' is not a format: use yaml, crontab or "
                                         "crontab-system",
                                         *format)};
}

}  // namespace

std::string_view name(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

Result<ReadFiles, Refusal> read_files(const std::vector<std::string>& paths,
                                      const std::optional<std::string>& format,
                                      const Console& console) {
  ReadFiles found;
  for (const std::string& path : paths) {
    std::error_code failed;
    const bool is_folder = path != "-" && std::filesystem::is_directory(path, failed);
    const auto listed =
        is_folder ? list_job_files(path) : Result<std::vector<std::string>>(std::vector{path});
    if (!listed) {
      found.files.push_back(unreadable_file(path, FileFormat::yaml, listed.error().message));
      continue;
    }
    if (listed->empty()) found.empty_folders.push_back(path);
    for (const std::string& one : *listed) {
      const auto picked = pick_format(one, format);
      if (!picked) return picked.error();
      found.files.push_back(read_job_path(one, *picked, one == "-" ? console.in : nullptr));
    }
  }
  return found;
}

}  // namespace cronce
