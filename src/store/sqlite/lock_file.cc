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

void LockFile::wait_in_line() {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::uint64_t ticket = ++last_;
  moved_on_.wait(lock, [&] { return serving_ == ticket; });
}

void LockFile::leave_line() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++serving_;
  moved_on_.notify_all();
}

LockFile::Turn::Turn(LockFile& file) : file_(file) {
  file_.wait_in_line();
  while (::flock(file_.handle_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    file_.leave_line();
    throw DatabaseError{
        {Code::unavailable, fmt::format("{}: {}", file_.path_, std::strerror(error))}};
  }
}

LockFile::Turn::~Turn() {
  ::flock(file_.handle_, LOCK_UN);
  file_.leave_line();
}

}  // namespace cronce::sqlite
