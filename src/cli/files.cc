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

/// run-parts takes only such names, so that `job.dpkg-old` and `job~` do not run.
bool is_run_parts_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Result<std::vector<std::string>, Refusal> list_folder(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string path = at->path().string();
    const bool is_yaml = guess_format(path) == FileFormat::yaml;
    const bool taken = is_yaml || is_run_parts_name(at->path().filename().string());
    std::error_code dangling;  // a link to nowhere is no file, and no reason to stop
    if (taken && fs::is_regular_file(at->path(), dangling)) paths.push_back(path);
  }
  if (failed) {
    return Refusal{kExitNotFound, fmt::format("cannot read {}: {}", folder, failed.message())};
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string read_all(std::FILE* file) {
  std::string text;
  std::array<char, 65'536> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), got);
  }
  return text;
}

Result<std::string, Refusal> read_text(const std::string& path, const Console& console) {
  if (path == "-") return read_all(console.in);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  std::string text;
  if (file != nullptr) text = read_all(file.get());
  if (file == nullptr || std::ferror(file.get()) != 0) {
    return Refusal{kExitNotFound, fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  }
  return text;
}

Result<FileFormat, Refusal> pick_format(const std::string& path,
                                        const std::optional<std::string>& format) {
  if (!format) {
    if (path != "-") return guess_format(path);
    return Refusal{kExitUsage,
                   "standard input has no name to guess from: add --format yaml, "
                   "crontab or crontab-system"};
  }
  const auto row = std::find(kFormats.begin(), kFormats.end(), *format);
  if (row != kFormats.end()) return static_cast<FileFormat>(row - kFormats.begin());
  return Refusal{kExitUsage,
                 fmt::format("'{}' is not a format: use yaml, crontab or crontab-system", *format)};
}

std::string shown(const std::string& path) { return path == "-" ? "<stdin>" : path; }

FileContext context_of(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path == "-" ? "stdin" : path, failed);
  return {shown(path), absolute.parent_path().string(), host_zone(), host_name()};
}

}  // namespace

std::string_view name(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

Result<std::vector<ReadFile>, Refusal> read_files(const std::vector<std::string>& paths,
                                                  const std::optional<std::string>& format,
                                                  const Console& console) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      all.push_back(path);
      continue;
    }
    const auto listed = list_folder(path);
    if (!listed) return listed.error();
    all.insert(all.end(), listed->begin(), listed->end());
  }
  std::vector<ReadFile> files;
  for (const std::string& path : all) {
    const auto picked = pick_format(path, format);
    if (!picked) return picked.error();
    const auto text = read_text(path, console);
    if (!text) return text.error();
    files.push_back({shown(path), *picked, read_job_file(*text, *picked, context_of(path))});
  }
  return files;
}

}  // namespace cronce
