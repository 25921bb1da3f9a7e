// No file of this process can grow beyond a size, as on a full disk, until it goes out of scope.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace cronce {

class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes = 0) {
    signal(SIGXFSZ, SIG_IGN);  // then it is an error of the write
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit most{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_DFL);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace cronce
