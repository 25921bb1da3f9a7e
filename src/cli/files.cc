#include "cli/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/host.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kFormats{"yaml", "crontab", "crontab-system"};

/// No job file comes near it, and a device or a pipe may never end.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

/// run-parts takes only such names, so that `job.dpkg-old` and `job~` do not run.
bool is_run_parts_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// `/etc/cron.d/report`, also where it was named `./report`; as it was named if nobody knows.
std::string absolute(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::absolute(path, failed);
  return failed ? path : found.lexically_normal().string();
}

/// The files of a folder; the error is why they cannot be listed.
Result<std::vector<std::string>> list_folder(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string path = at->path().string();
    const bool is_yaml = guess_format(absolute(path)) == FileFormat::yaml;
    const bool taken = is_yaml || is_run_parts_name(at->path().filename().string());
    std::error_code dangling;  // a link to nowhere is no file, and no reason to stop
    if (taken && fs::is_regular_file(at->path(), dangling)) paths.push_back(path);
  }
  if (failed) return Error{Code::not_found, failed.message()};
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// One byte more than kLargestFile shows that there is more.
std::string read_all(std::FILE* file) {
  std::string text;
  std::array<char, 65'536> buffer{};
  while (text.size() <= kLargestFile) {
    const std::size_t most = std::min(buffer.size(), kLargestFile + 1 - text.size());
    const std::size_t got = std::fread(buffer.data(), 1, most, file);
    if (got == 0) break;
    text.append(buffer.data(), got);
  }
  return text;
}

/// The text; the error is why it cannot be read.
Result<std::string> read_text(const std::string& path, const Console& console) {
  const bool standard = path == "-";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
      standard ? nullptr : std::fopen(path.c_str(), "rbe"), std::fclose);
  std::FILE* file = standard ? console.in : opened.get();
  std::string text;
  if (file != nullptr) text = read_all(file);
  if (file == nullptr || std::ferror(file) != 0) {
    return Error{Code::not_found, std::strerror(errno)};
  }
  return text;
}

Result<FileFormat, Refusal> pick_format(const std::string& path,
                                        const std::optional<std::string>& format) {
  if (!format) {
    if (path != "-") return guess_format(absolute(path));
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

std::string shown(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::string identity_of(const std::string& path) {
  if (path == "-") return path;
  std::error_code failed;
  const fs::path found = fs::canonical(path, failed);
  return failed ? absolute(path) : found.string();
}

FileContext context_of(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path == "-" ? "stdin" : path, failed);
  return {shown(path), absolute.parent_path().string(), host_zone(), host_name()};
}

ReadFile unreadable(const std::string& path, FileFormat format, const std::string& why) {
  ReadFile file{shown(path), identity_of(path), format, {}, why};
  file.content.diagnostics.push_back(
      {Severity::error, shown(path), 0, 0, "", "cannot be read: " + why});
  return file;
}

ReadFile read_file(const std::string& path, FileFormat format, const Console& console) {
  const auto text = read_text(path, console);
  if (!text) return unreadable(path, format, text.error().message);
  ReadFile file{shown(path), identity_of(path), format, {}, ""};
  if (text->size() <= kLargestFile) {
    file.content = read_job_file(*text, format, context_of(path));
  } else {
    file.content.diagnostics.push_back(
        {Severity::syntax, shown(path), 0, 0, "", "larger than 64 MiB: this is no job file"});
  }
  return file;
}

}  // namespace

std::string_view name(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

Result<ReadFiles, Refusal> read_files(const std::vector<std::string>& paths,
                                      const std::optional<std::string>& format,
                                      const Console& console) {
  ReadFiles found;
  for (const std::string& path : paths) {
    std::error_code failed;
    const bool is_folder = path != "-" && fs::is_directory(path, failed);
    const auto listed =
        is_folder ? list_folder(path) : Result<std::vector<std::string>>(std::vector{path});
    if (!listed) {
      found.files.push_back(unreadable(path, FileFormat::yaml, listed.error().message));
      continue;
    }
    if (listed->empty()) found.empty_folders.push_back(path);
    for (const std::string& one : *listed) {
      const auto picked = pick_format(one, format);
      if (!picked) return picked.error();
      found.files.push_back(read_file(one, *picked, console));
    }
  }
  return found;
}

}  // namespace cronce
