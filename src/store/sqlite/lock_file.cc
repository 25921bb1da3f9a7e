#include "store/sqlite/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "store/sqlite/database.h"

namespace cronce::sqlite {

LockFile::LockFile(const std::string& path) : path_(path) {
  constexpr mode_t kMode = 0666;  // as the file itself: the umask decides
  handle_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode);
  if (handle_ < 0) {
    throw DatabaseError{{Code::invalid, fmt::format("{}: {}", path, std::strerror(errno))}};
  }
}

LockFile::~LockFile() { ::close(handle_); }

LockFile::Turn::Turn(const LockFile& file) : handle_(file.handle_) {
  while (::flock(handle_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    throw DatabaseError{
        {Code::unavailable, fmt::format("{}: {}", file.path_, std::strerror(errno))}};
  }
}

LockFile::Turn::~Turn() { ::flock(handle_, LOCK_UN); }

}  // namespace cronce::sqlite
