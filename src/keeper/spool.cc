#include "keeper/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/digest.h"
#include "keeper/descriptor.h"
#include "keeper/folder.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "cronce end 1\n";
constexpr std::string_view kEnding = ".end";

/// Not readable, but the same for the same end, and harmless whatever a request is called.
std::string name_of(const EndKey& key) {
  WireWriter out;
  out.write(key);
  return sha256(out.take()).hex(40) + std::string(kEnding);
}

struct StoredEnd {
  EndKey key;
  FinishEntry end;
};

/// The head, the digest of the rest, and the rest: half a file is not taken for a whole one, even
/// from a disk that lies.
std::string print_end(const EndKey& key, const FinishEntry& end) {
  WireWriter out;
  out.write(key);
  out.write(end);
  const std::string body = out.take();
  return std::string(kHead) + sha256(body).hex() + "\n" + body;
}

Result<StoredEnd> parse_end(std::string_view text) {
  const Error unreadable{Code::corrupt, "not an end of a run that this version can read"};
  constexpr std::size_t kDigest = 64 + 1;
  if (!text.starts_with(kHead) || text.size() < kHead.size() + kDigest) return unreadable;
  text.remove_prefix(kHead.size());
  const std::string_view body = text.substr(kDigest);
  if (text.substr(0, kDigest - 1) != sha256(body).hex()) return unreadable;
  WireReader in(body);
  StoredEnd stored;
  in.read(stored.key);
  in.read(stored.end);
  if (!in.done()) return unreadable;
  return stored;
}

}  // namespace

Status Spool::put(const EndKey& key, const FinishEntry& end) const {
  if (const Status made = make_folder(folder_); !made) return made;
  return write_durably(folder_ + "/" + name_of(key), print_end(key, end));
}

Status Spool::sync() const { return sync_folder(folder_); }

Status Spool::remove(const EndKey& key) const {
  const std::string path = folder_ + "/" + name_of(key);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("remove", path.c_str());
  return Done{};
}

Result<Spool::Kept> Spool::read_all(const StoreId& store, const std::string& name_space) const {
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::directory_iterator file(folder_, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (file->path().extension() == kEnding) files.push_back(file->path());
  }
  if (failed && failed != std::errc::no_such_file_or_directory)
    return Error{Code::unavailable, "cannot read " + folder_ + ": " + failed.message()};
  std::sort(files.begin(), files.end());
  Kept kept;
  for (const fs::path& file : files) {
    const auto text = read_file(file.string());
    if (!text && text.error().code == Code::not_found) continue;  // stored meanwhile
    const auto stored = text ? parse_end(*text) : Result<StoredEnd>(text.error());
    if (!stored) {
      kept.unreadable.push_back(file.filename().string());
    } else if (stored->key.store == store && stored->key.name_space == name_space) {
      kept.ends.push_back(stored->end);
    }
  }
  return kept;
}

}  // namespace cronce
