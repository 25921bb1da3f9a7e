#include "node/job_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/host.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

/// run-parts takes only such names, so that `job.dpkg-old` and `job~` do not run.
bool is_run_parts_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// One byte more than kLargestJobFile shows that there is more.
std::string read_all(std::FILE* file) {
  std::string text;
  std::array<char, 65'536> buffer{};
  while (text.size() <= kLargestJobFile) {
    const std::size_t most = std::min(buffer.size(), kLargestJobFile + 1 - text.size());
    const std::size_t got = std::fread(buffer.data(), 1, most, file);
    if (got == 0) break;
    text.append(buffer.data(), got);
  }
  return text;
}

/// The text; the error is why it cannot be read.
Result<std::string> read_text(const std::string& path, std::FILE* stream) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
      stream != nullptr ? nullptr : std::fopen(path.c_str(), "rbe"), std::fclose);
  std::FILE* file = stream != nullptr ? stream : opened.get();
  std::string text;
  if (file != nullptr) text = read_all(file);
  if (file == nullptr || std::ferror(file) != 0) {
    return Error{Code::not_found, std::strerror(errno)};
  }
  return text;
}

std::string shown(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::string identity_of(const std::string& path) {
  if (path == "-") return path;
  std::error_code failed;
  const fs::path found = fs::canonical(path, failed);
  return failed ? absolute_path(path) : found.string();
}

FileContext context_of(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path == "-" ? "stdin" : path, failed);
  return {shown(path), absolute.parent_path().string(), host_zone(), host_name()};
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::absolute(path, failed);
  return failed ? path : found.lexically_normal().string();
}

bool is_job_file_name(const std::string& name) {
  return guess_format("/" + name) == FileFormat::yaml || is_run_parts_name(name);
}

Result<std::vector<std::string>> list_job_files(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code dangling;  // a link to nowhere is no file, and no reason to stop
    const bool taken = is_job_file_name(at->path().filename().string());
    if (taken && fs::is_regular_file(at->path(), dangling)) paths.push_back(at->path().string());
  }
  if (failed) return Error{Code::not_found, failed.message()};
  std::sort(paths.begin(), paths.end());
  return paths;
}

ReadFile unreadable_file(const std::string& path, FileFormat format, const std::string& why) {
  ReadFile file{shown(path), identity_of(path), format, {}, why};
  file.content.diagnostics.push_back(
      {Severity::error, shown(path), 0, 0, "", "cannot be read: " + why});
  return file;
}

ReadFile read_job_path(const std::string& path, FileFormat format, std::FILE* stream) {
  const auto text = read_text(path, stream);
  if (!text) return unreadable_file(path, format, text.error().message);
  ReadFile file{shown(path), identity_of(path), format, {}, ""};
  if (text->size() <= kLargestJobFile) {
    file.content = read_job_file(*text, format, context_of(path));
  } else {
    file.content.diagnostics.push_back(
        {Severity::syntax, shown(path), 0, 0, "", "larger than 64 MiB: this is no job file"});
  }
  return file;
}

}  // namespace cronce
